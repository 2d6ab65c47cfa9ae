"""Takes the range's part out of a reply that has only the headers around it.

A model that is asked for a part of a function or a class returns the header, the part,
and what closes both; other lines of the definition are not there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from redline.text.definition_header import function_name
from redline.text.indentation import indent_of
from redline.text.lines import strip_end
from redline.text.reply_forms.brackets import depth
from redline.text.reply_forms.surroundings import Surroundings

_FILE_HEAD = re.compile(r"(?:package|import|using|use|from|#include|namespace)\b")
"""Lines at the head of a file that replies repeat."""

_MIN_N_INSIDE = 2
"""Lines with text of a header and something below it."""

_HEADER_OF_SCOPE = re.compile(
    r".*\b(?:class|struct|impl|trait|module|namespace|interface|enum|record|object)\b"
)
"""The header of what holds definitions."""

_HEADER_OF_FUNCTION = re.compile(r"(?:\w+ )*(?:def|func?|fn|function)\b")
_FLAT = r"[\w., |]"
_NESTED = rf"{_FLAT}|\[{_FLAT}*+\]|<{_FLAT}*+>"
_ARGUMENTS = rf"{_FLAT}|\[(?:{_NESTED})*+\]|<(?:{_NESTED})*+>"
_TYPE = re.compile(
    r"(?<=\w)\??\s*:\s*[\w.]+"
    rf"(?:\[(?:{_ARGUMENTS})*+\]|<(?:{_ARGUMENTS})*+>)?(?:\s*\|\s*\w+)*"
)
"""A type behind a name; its arguments may have arguments, twice."""
_NAMED = re.compile(
    r"\b(?:def|func?|fn|function|class|struct|impl|trait|module|namespace|interface|enum"
    r"|object|extension|record)[ \t]++(?P<name>\w++)"
)
"""The part of a header that names what it begins."""
_MODIFIERS = re.compile(
    r"^(?:(?:final|public|private|protected|internal|open|abstract|sealed|data|static"
    r"|export|default|partial|pub)\s++)*+"
)
_OPENING_OF_FUNCTION = re.compile(r"(?:[\w<>\[\], ]*\s)?(?P<name>\w+) ?\([^=;{]*+\{$")
"""The header of a function of which only modifiers show that it is one."""
_BRANCHES = frozenset({"if", "elseif", "for", "foreach", "while", "switch", "catch"})
_MAX_N_CHARS = 1_000
"""Longer lines are data."""
_RESULT = re.compile(r"->[^:{]*+")

_NOTE = re.compile(r"\s*(?://|#(?!\[)|--|/\*.*\*/\s*$)")
_MAX_N_HEADER_LINES = 12

_MANY_LETTERS = re.compile(r"\w{4}")

CLOSERS = re.compile(r"\s*(?:[)\]}]+[;,]?|end|fi|done|esac)\s*$")


def inside(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Take the range's part out of a definition of which only the header came.

    Returns:
        None if the reply does not begin with the header of what is around the range, or
        does not end with what closes it.
    """
    texts = [at for at, line in enumerate(lines) if line.strip()]
    n_headers = _n_headers([lines[at] for at in texts], around)
    if len(texts) < _MIN_N_INSIDE or not n_headers:
        return None
    stop = len(texts)
    wanted = depth(around.target)
    found = depth(lines[texts[n_headers] :])
    while stop > n_headers and found < wanted:
        stop -= 1
        if not CLOSERS.match(lines[texts[stop]]):
            return None
        found -= depth([lines[texts[stop]]])
    for header in texts[:n_headers]:
        last = lines[texts[stop - 1]]
        if _is_word_end(last) and indent_of(last) == indent_of(lines[header]):
            stop -= 1
    end = texts[stop] if stop < len(texts) else len(lines)
    inner = without_blanks(list(lines[texts[n_headers] : end]), around, 1, 1)
    return inner if inner and found == wanted else None


def with_plain_header(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Write the header of what is around the range as the file does.

    A model may break it over several lines, and put a comment of its own above it.
    """
    texts = [at for at, line in enumerate(lines) if line.strip()]
    headers = {_squashed(line): strip_end(line) for line in _enclosing(around)}
    start = next(
        (n for n, at in enumerate(texts) if not _NOTE.match(lines[at])), len(texts)
    )
    notes = [lines[at].strip() for at in texts[:start]]
    if len(notes) > 1 or any(map(around.has, notes)):
        return None
    for stop in range(start + 1, min(len(texts), start + _MAX_N_HEADER_LINES)):
        last = texts[stop - 1]
        text = _squashed("".join(lines[texts[start] : last + 1]))
        header = headers.get(text)
        if header and (stop - start > 1 or notes) and _is_header(header):
            return [header, *lines[last + 1 :]]
    return None


def _is_header(line: str) -> bool:
    text = line.strip()
    forms = (_HEADER_OF_FUNCTION.match, _OPENING_OF_FUNCTION.fullmatch)
    return bool(_NAMED.search(line) or any(form(text) for form in forms))


def _squashed(code: str) -> str:
    return re.sub(r",(?=[)\]])", "", re.sub(r"\s", "", code))


def _is_word_end(line: str) -> bool:
    """Whether a line closes a block by a word, as in Ruby and in shell scripts."""
    return CLOSERS.match(line) is not None and line.strip()[0].isalpha()


def _n_headers(reply: Sequence[str], around: Surroundings) -> int:
    """Count the first lines of a reply that are headers of what is around the range.

    Lines of the file's head may come before, such as its package. The last of them must
    be the header of a scope, or of a function whose first line the range begins with.
    """
    enclosing = _enclosing(around)
    names = [line.strip() for line in enclosing]
    forms: list[tuple[Callable[[str], str], Sequence[str]]] = [
        (form, list(map(form, names))) for form in (str, without_types, _without_brace)
    ]
    count, at = 0, len(names)
    while count < len(reply) - 1:
        text = reply[count].strip()
        places = (
            known.index(form(text)) for form, known in forms if form(text) in known[:at]
        )
        if (place := next(places, None)) is not None:
            at = place
        elif not (text == "{" and count) and not (
            at == len(names) and _is_file_head(text, around)
        ):
            break
        count += 1
    if at == len(names) or not _is_directly_inside(enclosing[at], at, around):
        return 0
    return count


def _without_brace(header: str) -> str:
    """Leave out all blanks, and the brace that may also be on the next line."""
    return _squashed(header).removesuffix("{")


def _is_file_head(text: str, around: Surroundings) -> bool:
    return _FILE_HEAD.match(text) is not None and any(
        line.strip() == text for line in around.before if _FILE_HEAD.match(line)
    )


def without_types(header: str) -> str:
    """Leave out the types of a function's header, and all blanks.

    Models do not always repeat them, nor the modifiers of a type. Another line stays as
    it is.
    """
    text = header.strip()
    if not _HEADER_OF_FUNCTION.match(text):
        is_header = _NAMED.search(header) or _OPENING_OF_FUNCTION.match(text)
        return _MODIFIERS.sub("", text) if is_header else header
    text = _RESULT.sub("", _TYPE.sub("", header))
    return re.sub(r"\s", "", text)


def begins_with_header(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a text begins with a header of what is around the range."""
    first = next((line.strip() for line in lines if line.strip()), "")
    own = next((line.strip() for line in around.target if line.strip()), "")
    is_own = any(line.strip() == first for line in around.target)
    if len(first) > _MAX_N_CHARS or is_own:
        return False
    if named := _NAMED.search(first):
        if (found := _NAMED.search(own)) and found["name"] == named["name"]:
            return False
        headers = (_NAMED.search(line[:_MAX_N_CHARS]) for line in _enclosing(around))
        return any(one is not None and one[0] == named[0] for one in headers)
    name = "" if first.endswith((";", ",")) else _name_of_function(first)
    if name in ("", _name_of_function(own)):
        return False
    enclosing = (line.strip()[:_MAX_N_CHARS] for line in _enclosing(around))
    return name in map(_name_of_function, enclosing)


def _name_of_function(header: str) -> str:
    opening = _OPENING_OF_FUNCTION.fullmatch(header)
    opened = opening["name"] if opening else ""
    return function_name(header) or ("" if opened in _BRANCHES else opened)


def has_outer_line(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a text begins with a line that encloses the range, or ends with the
    next one that is less deep."""
    texts = [line.rstrip() for line in lines if line.strip()]
    own = around.own_texts
    if not texts or not own:
        return False
    may_begin, may_end = (
        len(indent_of(line)) < len(indent_of(own[0]))
        and line not in own
        and _MANY_LETTERS.search(line) is not None
        for line in (texts[0], texts[-1])
    )
    if not (may_begin or may_end):
        return False
    least = min(len(indent_of(line)) for line in own)
    above = {
        line.rstrip() for line in _enclosing(around) if len(indent_of(line)) < least
    }
    below = next(
        (
            line.rstrip()
            for line in around.after
            if line.strip() and len(indent_of(line)) < least
        ),
        "",
    )
    return (may_begin and texts[0] in above) or (may_end and texts[-1] == below)


def name_of(header: str) -> str:
    """Return the name that the header of a definition gives; empty without one."""
    named = _NAMED.search(header) if len(header) < _MAX_N_CHARS else None
    return named["name"] if named else ""


def _enclosing(around: Surroundings) -> list[str]:
    """Return the lines that enclose the range by indentation, innermost first."""
    own = next((line for line in around.target if line.strip()), "")
    least = len(indent_of(own))
    found = []
    for line in reversed(around.before):
        if not least:
            break
        if line.strip() in ("", "{") or len(indent_of(line)) >= least:
            continue
        least = len(indent_of(line))
        found.append(line)
    return found


def _is_directly_inside(header: str, place: int, around: Surroundings) -> bool:
    """Whether what follows a header in a reply can be the range.

    Other lines of a function's body would be left out or changed without a word.
    """
    if _HEADER_OF_SCOPE.match(header):
        return True
    nearest = next(
        (one for one in reversed(around.before) if one.strip() not in ("", "{")), ""
    )
    return place == 0 and nearest == header


def without_blanks(
    part: list[str], around: Surroundings, n_head: int, n_tail: int
) -> list[str]:
    """Remove the blank lines that lie between the range and the lines around it."""
    own = around.target
    has_blank_head = bool(own) and not own[0].strip()
    has_blank_tail = bool(own) and not own[-1].strip()
    is_after_blank = bool(around.before) and not around.before[-1].strip()
    is_before_blank = bool(around.after) and not around.after[0].strip()
    while part and not part[0].strip() and (n_head or is_after_blank):
        if has_blank_head:
            break
        part.pop(0)
    while part and not part[-1].strip() and (n_tail or is_before_blank):
        if has_blank_tail:
            break
        part.pop()
    return part
