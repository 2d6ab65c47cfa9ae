"""Reads a reply that is a diff, and applies it if its old side is in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from msgspec import Struct, field

from redline.text.chatter import MARKDOWN_LANGUAGES, PROSE_LANGUAGES
from redline.text.fence import Fence, read_fence
from redline.text.lines import strip_end
from redline.text.reply_forms.copies import is_telling
from redline.text.reply_forms.surroundings import Doubt, Surroundings

_HUNK = re.compile(r"@@(?: .*)?$")
_HEADER = re.compile(
    r"(?:diff |index [0-9a-f]|--- \S|\+\+\+ \S|new file|old mode|new mode|similarity )"
)
_MARKS = ((1, " "), (1, ""), (2, "  "))
"""The width of a mark, and what lines of context begin with instead: of a diff, of one
whose context lost its blanks, and of one with a blank after each mark."""

_MARKED = re.compile(r"[-+](?![-+])")

_LANGUAGES_OF_LISTS = PROSE_LANGUAGES | {"csv", "diff", "tsv", "yaml"}
"""LSP language ids whose lines may begin with one sign."""

_TEXT = re.compile(
    r"<<[-~]?[\"']?(?P<name>[A-Za-z_]\w*+)|(?P<quotes>\"{3}|'{3}|`{3,})[^\"'`]*+$"
    r"|(?<![`\w])(?P<tick>`)(?!`)[^`]*+$|R\"(?P<raw>[^()\s\\\"]{0,16})\([^\"]*+$"
)
"""What begins a here-document, a long string, a fenced block, a template of JavaScript
or a raw string of C++."""

_NAMES = frozenset({"diff", "patch", "udiff"})
"""What models write behind the fence around a diff."""

_ENVELOPE = re.compile(r"\*{3} (?:Begin Patch|End Patch|Update File: |End of File)")
"""Lines around the hunks of a patch for OpenAI's tool."""

_BEGIN = re.compile(r"\*{3} Begin Patch\s*$")
_END = re.compile(r"\*{3} End Patch\s*$")
_NUMBERED_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")

_OLD_NAME, _NEW_NAME = re.compile(r"--- \S"), re.compile(r"\+\+\+ \S")

_NO_END = "\\ No newline at end of file"


class _Hunk(Struct):
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def bare(lines: Sequence[str]) -> list[str]:
    """Cut off what is around a patch for OpenAI's tool, such as a command."""
    start = next((at for at, line in enumerate(lines) if _BEGIN.match(line)), None)
    if start is None:
        return list(lines)
    ends = [at for at, line in enumerate(lines) if _END.match(line) and at > start]
    return list(lines[start : ends[-1] + 1 if ends else len(lines)])


def looks_like_patch(line: str) -> bool:
    """Whether the first line of a reply may be that of a diff."""
    signs = (_HUNK, _HEADER, _MARKED, _ENVELOPE)
    return any(sign.match(line) for sign in signs)


def is_named(fence_name: str, lines: Sequence[str], around: Surroundings) -> bool:
    """Whether the fence around a reply says that it is a diff, and its lines agree."""
    if fence_name not in _NAMES or around.language in MARKDOWN_LANGUAGES | {"diff"}:
        return False
    marks = [line for line in lines if line[:1] in ("+", "-")]
    return marks != [] and not any(line[:1] in ("+", "-") for line in around.target)


def fenced_on_page(lines: Sequence[str], around: Surroundings) -> Doubt | None:
    """Say whether a block in a page of Markdown may be a diff of the page.

    Its old side is then at one place of the file. It may also be a text for readers.
    """
    texts = [at for at, line in enumerate(lines) if line.strip()]
    if around.language not in MARKDOWN_LANGUAGES or len(texts) < 3:
        return None
    fence = read_fence(lines[texts[0]])
    if fence is None or fence.info.lower() not in _NAMES:
        return None
    inner = lines[texts[0] + 1 : texts[-1]]
    return "unsure" if applied(inner, around) is not None else None


def is_patch(lines: Sequence[str], around: Surroundings) -> bool | Doubt:
    """Whether a whole reply is a diff.

    Signs at the start of lines can also be text: a comment (`--`), a number, a list, or
    a diff that the user edits. So a diff is certain only if its range shows no such
    lines, and the reply has some that the range's plain text cannot have.
    """
    is_marked = any(line.startswith(("+", "-")) for line in lines)
    if not is_marked or _are_all_in_text(lines, around):
        return False
    if around.language in MARKDOWN_LANGUAGES and _are_all_in_blocks(lines, around):
        return False
    if any(map(_HUNK.match, lines)) or any(map(_BEGIN.match, lines)):
        return _is_patch_with_hunks(lines, around)
    texts = [line.rstrip() for line in lines if line.strip()]
    target = around.own_texts
    own = set(target)
    marks = {line[0] for line in texts if _is_marked(line, own)}
    is_all_marked = all(line[0] in "+- " for line in texts)
    if not marks or not (len(marks) == 2 or is_all_marked):
        return False
    # In code, lines begin with a sign and blanks only in a diff, or in some text.
    is_list = around.language in _LANGUAGES_OF_LISTS or around.may_be_in_text
    file = {line.rstrip() for line in around.lines} - {""}
    if _reads_as_is(texts) and (is_list or not _has_context(texts, file)):
        return False
    if is_all_marked and not is_list and _has_whole_old_side(lines, around):
        return True
    copies = [line for line in texts if line[0] in "- " and _is_copy(line, own)]
    if any(line[0] in "+-" for line in own):
        return "unsure" if copies else False
    is_sure = (
        around.language not in _LANGUAGES_OF_LISTS
        and [line.lstrip("+- ") for line in texts] != [line.lstrip() for line in target]
        and not any(map(_MARKED.match, around.lines))
        and (marks == {"+", "-"} or any(line[0] == " " for line in copies))
        and (
            any(_is_code(line[1:]) for line in copies if line[0] == "-")
            or (marks == {"+"} and len(copies) == len(target) > 1)
        )
    )
    return True if is_sure else "unsure"


def _are_all_in_text(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether all marks are in texts that the reply opens and closes itself.

    Such a text is a long string, a here-document or a fenced block. A diff has lines
    of the file, also behind its marks.
    """
    known = around.texts
    end: re.Pattern[str] | None = None
    has_mark = False
    for line in lines:
        if end is not None:
            copied = line[1:].strip() if line[:1] in ("+", "-") else ""
            if copied in known and not copied.isalnum():
                return False
            has_mark |= line[:1] in ("+", "-", "@")
            end = None if end.search(line) else end
        elif line[:1] in ("+", "-", "@"):
            return False
        elif (opening := _TEXT.search(line)) and line.strip() not in known:
            end = _end_of(opening)
    return has_mark and end is None


def _are_all_in_blocks(page: Sequence[str], around: Surroundings) -> bool:
    """Whether all marks of a page of Markdown are in its blocks of diffs.

    It must begin with the range's first line: otherwise the block may be a diff of it.
    """
    texts = [line.rstrip() for line in page if line.strip()]
    if texts[:1] != around.own_texts[:1]:
        return False
    opening: Fence | None = None
    for line in page:
        fence, is_marked = read_fence(line), line.startswith(("+", "-", "@"))
        if opening is None:
            is_outside = fence is None and is_marked
            opening = fence
        elif fence and fence.is_bare and fence.may_end(opening):
            opening, is_outside = None, False
        else:
            is_outside = is_marked and opening.info.lower() not in _NAMES
        if is_outside:
            return False
    return opening is None


def _end_of(opening: re.Match[str]) -> re.Pattern[str]:
    """Return what ends the text that a match of `_TEXT` begins."""
    if name := opening["name"]:
        return re.compile(rf"^\t*{name}$")
    raw = opening["raw"]
    quotes = opening["quotes"] or opening["tick"]
    return re.compile(re.escape(quotes if raw is None else f'){raw}"'))


def _has_whole_old_side(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether the lines without `+` are the range, each behind one sign.

    No text repeats a range in this form, and has lines with `+` between.
    """
    old = [line[1:].rstrip() for line in lines if line.strip() and line[0] != "+"]
    n_new = sum(line[:1] == "+" for line in lines)
    return (
        old == around.own_texts
        and n_new > 1
        and not any(map(_MARKED.match, around.target))
    )


def lines_in_text(lines: Sequence[str]) -> set[int]:
    """Return the lines in here-documents and long strings that a text also closes."""
    found: set[int] = set()
    end: re.Pattern[str] | None = None
    start = 0
    for at, line in enumerate(lines):
        if end is not None and end.search(line):
            found.update(range(start, at))
            end = None
        elif end is None and (opening := _TEXT.search(line)):
            is_fence = (opening["quotes"] or opening["tick"] or "").startswith("`")
            end = None if is_fence else _end_of(opening)
            start = at + 1
    return found


def _is_patch_with_hunks(lines: Sequence[str], around: Surroundings) -> bool | Doubt:
    if any(map(_HUNK.match, around.target)):
        return False
    first = next(filter(str.strip, lines))
    own = {line.rstrip() for line in around.target} - {""}
    hunks = [line for line in lines if _HUNK.match(line)]
    has_numbers = any(map(_NUMBERED_HUNK.match, hunks))
    has_form = has_numbers or _BEGIN.match(first) is not None
    is_sure = (
        # Not a sign before each line of the range.
        (has_form or not any(line[3:].rstrip() in own for line in hunks))
        and any(sign.match(first) for sign in (_HUNK, _HEADER, _ENVELOPE))
        and (has_form or around.language not in PROSE_LANGUAGES)
        and not any(line[:1] in ("+", "-") for line in around.target)
        and (_has_file_names(lines) or not any(map(_HUNK.match, around.lines)))
    )
    return True if is_sure else "unsure"


def _has_file_names(lines: Sequence[str]) -> bool:
    """Whether a diff begins with the names of its files and a numbered hunk."""
    texts = [line for line in lines if line.strip()][:3]
    signs = (_OLD_NAME, _NEW_NAME, _NUMBERED_HUNK)
    return len(texts) == 3 and all(
        sign.match(line) for sign, line in zip(signs, texts, strict=True)
    )


def _is_marked(line: str, own: Set[str]) -> bool:
    """Whether a line begins with a mark, and not with a comment or an operator."""
    if line[0] not in "+-" or line in own:
        return False
    return line[1:2] != line[0] or line[1:] in own


def _is_copy(line: str, own: Set[str]) -> bool:
    """Whether a line is one of the range behind a mark."""
    return line not in own and (
        line[1:] in own or (line[1:2] == " " and line[2:] in own)
    )


def _has_context(texts: Sequence[str], own: Set[str]) -> bool:
    """Whether most lines without a mark are those of the file behind a mark."""
    bare = [line for line in texts if line[0] == " "]
    return len(bare) > 1 and any(
        2 * sum(line[width:] in own for line in bare) > len(bare) for width in (1, 2)
    )


def _is_code(text: str) -> bool:
    """Whether a text is no operand of a sign, nor an item of a list."""
    return text[:2] == "  " or text[:1] == "\t" or is_telling([text])


def applied(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Apply a diff to the range.

    Returns:
        The range's new lines; None if the old side of a hunk is not at exactly one
        place, or the diff changes lines outside of the range.
    """
    marks = {line[:2] for line in lines if line[:1] in ("+", "-")}
    for width, blanks in _MARKS:
        if width > 1 and not all(mark[1:] in ("", " ") for mark in marks):
            continue
        hunks = [
            one
            for one in _hunks(lines, width=width, blanks=blanks)
            if one.old or one.new
        ]
        if hunks and (new := _apply(hunks, around)) is not None:
            return new
    return None


def _reads_as_is(texts: Sequence[str]) -> bool:
    """Whether marks are one of several uses of `-` and `+`, as in a list."""
    return all(line[:2] in ("- ", "+ ") or line[0] == " " for line in texts) and not (
        {"+ ", "- "} <= {line[:2] for line in texts}
    )


def _hunks(lines: Sequence[str], *, width: int, blanks: str) -> Iterator[_Hunk]:
    """Read the hunks of a diff whose marks have this form; see `_MARKS`."""
    hunk = _Hunk()
    is_in_hunk = False
    for line in lines:
        if _HUNK.match(line):
            yield hunk
            hunk, is_in_hunk = _Hunk(), True
        elif (
            line == _NO_END
            or _ENVELOPE.match(line)
            or (not is_in_hunk and not hunk.old and _HEADER.match(line))
        ):
            continue
        elif line[:1] == "+":
            hunk.new.append(line[width:])
        elif line[:1] == "-":
            hunk.old.append(line[width:])
        else:
            text = line.removeprefix(blanks)
            hunk.old.append(text)
            hunk.new.append(text)
    yield hunk


def _apply(hunks: Sequence[_Hunk], around: Surroundings) -> list[str] | None:
    file = [strip_end(line) for line in (*around.before, *around.target, *around.after)]
    start, stop = len(around.before), len(around.before) + len(around.target)
    place, shift = 0, 0
    lines = list(file)
    for hunk in hunks:
        place = _place(file, hunk.old, place, range(start, stop))
        if place < 0:
            return None
        edges = _common_edges(hunk)
        first, last = place + edges[0], place + len(hunk.old) - edges[1]
        if first < start or last > stop:
            return None
        new = hunk.new[edges[0] : len(hunk.new) - edges[1]]
        lines[first + shift : last + shift] = new
        shift += len(new) - (last - first)
        place += len(hunk.old)
    return lines[start : stop + shift]


def _place(file: Sequence[str], old: Sequence[str], start: int, region: range) -> int:
    """Find the only place of old lines that touches the range; -1: there is none."""
    keys = [line.rstrip() for line in old]
    places = [
        at
        for at in range(start, len(file) - len(old) + 1)
        if at <= region.stop
        and at + len(old) >= region.start
        and [line.rstrip() for line in file[at : at + len(old)]] == keys
    ]
    return places[0] if len(places) == 1 and old else -1


def _common_edges(hunk: _Hunk) -> tuple[int, int]:
    """Count the lines that both sides begin and end with."""
    most = min(len(hunk.old), len(hunk.new))
    head = next((n for n in range(most) if hunk.old[n] != hunk.new[n]), most)
    most -= head
    tail = next((n for n in range(most) if hunk.old[-1 - n] != hunk.new[-1 - n]), most)
    return head, tail
