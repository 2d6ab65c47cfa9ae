"""`phantom-member`: readers of a property that is a method now, and the reverse.

The edit makes a method of a property of a type of the file, such as `get size()`, or a
property of a method without arguments, and a line outside of the range still reads or
calls it as before.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from redline.checks.callers import standard_members
from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.name_uses import WordEdit, WordUse
from redline.checks.problem import Problem
from redline.checks.written_types import is_of_type
from redline.syntax.word_set import word_set
from redline.text.lines import with_line_feeds

_LANGUAGES = word_set(
    "csharp dart java javascript javascriptreact kotlin php python scala swift"
    " typescript typescriptreact"
)
_HEADER = re.compile(r"^([^({=;:]*+)(.?)")
_STATEMENTS = word_set(
    "return if elif else for while switch case catch throw raise yield await new import"
    " from with assert del not do in function set"
)
_METHOD_WORDS = word_set("def fun func function")
_EMPTY = re.compile(r"\s*+\(\s*+(?:self)?\s*+\)")
_HOLDS_FUNCTION = re.compile(r"->|=>|\b(?:Func|Action|Function|Callable|lambda|fn)\b")
_OBJECT = re.compile(r"(?<!\w)(\w++)(?:\(\))?(?:[?!]?\.|\?*->)$")
_WRITTEN = re.compile(r"\s*+(?:=(?![=>])|[-+*/|&]=|\+\+|--)")


def check_accessors(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first line that takes a member in the form of before."""
    language = candidate.language_id
    if language not in _LANGUAGES:
        return
    was, now = (
        _forms(without_text(with_line_feeds(lines), language), language)
        for lines in (candidate.old_lines, candidate.new_lines)
    )
    for name in was.keys() & now.keys():
        if {*was[name], *now[name]} != {True, False} or was[name] == now[name]:
            continue
        if len(was[name]) > 1 or len(now[name]) > 1:
            continue
        is_method = True in now[name]
        line = _first_reader(candidate, name, is_method=is_method)
        if line is not None:
            form = "a method" if is_method else "no method any more"
            yield Problem(
                rule="phantom-member",
                message=f"`{name}` is {form}, and line {line + 1} of the file uses it"
                " as before.",
            )
            return


def _forms(code: str, language: str) -> dict[str, set[bool | None]]:
    """Return for each name that a text may declare whether it is a method.

    None: it may be called in either form.
    """
    found: dict[str, set[bool | None]] = defaultdict(set)
    lines = code.split("\n")
    for above, line in pairwise(["", *lines]):
        header = _HEADER.match(line)
        words = header[1].split() if header else []
        if header is None or not words or words[0] in _STATEMENTS:
            continue
        if language == "kotlin" and words[-1] == "get":
            words = [*words[:-1], "get", words[-2]] if len(words) > 1 else words
        name = words[-1].strip("$#")
        found[name].add(_is_method(words, header, above, language))
    return found


def _is_method(
    words: Sequence[str], header: re.Match[str], above: str, language: str
) -> bool | None:
    line, decorator = header.string, above.strip()
    if language == "python" and decorator.startswith("@"):
        if "property" in decorator or decorator.endswith(("setter", "deleter")):
            return False
        return None
    if header[2] == "(" and "get" not in words[:-1]:
        is_empty = _EMPTY.match(line, header.end() - 1) is not None
        return True if is_empty else None
    if header[2] == "(" or language not in ("python", "javascript", "typescript"):
        head, _, rest = line.partition("=>")
        kept = head if language == "csharp" else head + rest
        return None if _HOLDS_FUNCTION.search(kept) else False
    return None


def _first_reader(candidate: CheckedEdit, name: str, *, is_method: bool) -> int | None:
    """Return the line outside of the range that takes it in the other form."""
    edit = WordEdit(candidate, name)
    old = [one for one in edit.old if edit.owner("before", one.line)]
    lines = [one.line for one in old if edit.declares(one, "before")]
    owners = {edit.owner("before", line) for line in lines}
    if len(owners) != 1 or not all(map(edit.was_in_region, lines)):
        return None
    if any(_declares(edit, one) for one in edit.new if edit.is_left(one)):
        return None
    owner = owners.pop()
    for one in edit.new:
        is_taken = one.is_own or one.is_of_other
        if not is_taken or not edit.is_left(one) or _WRITTEN.match(one.tail):
            continue
        is_other = bool(_EMPTY.match(one.tail)) != is_method
        if is_method and one.is_called:
            continue
        if is_other and (one.is_own or _is_of(candidate, one, name, owner)):
            return one.line
    return None


def _declares(edit: WordEdit, one: WordUse) -> bool:
    if one.sets_own:
        return True
    return one.may_declare and bool(edit.owner("after", one.line))


def _is_of(candidate: CheckedEdit, one: WordUse, name: str, owner: str) -> bool:
    """Whether a member is taken of an object of a type."""
    found = _OBJECT.search(one.head)
    if found is None:
        return False
    value = found[1]
    if owner.lower().endswith(value.lower().strip("_")):
        return True
    if name not in standard_members(candidate.language_id) and len(name) > 2:
        return not value[:1].isupper()
    lines = candidate.code_after.split("\n")
    return is_of_type(lines, one.line, value, owner)
