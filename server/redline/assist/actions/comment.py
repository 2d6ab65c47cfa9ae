"""Comments that ask for code: `redline: …`, and those that describe code to come."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from redline.text.lines import strip_end
from redline.text.position import Position, Range

_MAX_LINES = 50
"""Most lines of one instruction."""

_MAX_CHARS = 1_000
"""Longest line that can be a comment."""

_LINE_MARKS = r"-?#++|//++!?+|--++|;++|%++|::|@?REM(?=\s)|'|\""
"""Marks of comments that end with their line, also the `-#` of Haml."""

_BLOCKS = (
    (r"/\*++!?+", r"\*+/"),
    (r"<!--++", r"--+>"),
    (r"<%!?+--", r"--%>"),
    (r"<%#", r"-?%>"),
    (r"\{\{(?:~?+!)?--", r"--~?\}\}"),
    (r"\{\{~?+!", r"~?\}\}"),
    (r"\{#-?", r"-?#\}"),
    (r"<#", r"#>"),
    (r"@\*", r"\*@"),
    (r"\{-", r"-\}"),
    (r"\(\*++", r"\*+\)"),
    (r"--\[=*+\[", r"\]=*+\]"),
)
"""Where block comments begin and end, those of templates included."""

_BLOCK_ENDS = tuple((re.compile(begin), re.compile(end)) for begin, end in _BLOCKS)
_BEGINS = "|".join(begin for begin, _ in _BLOCKS)
_ORDER = re.compile(
    rf"(?P<before>.*?)(?P<mark>{_BEGINS}|{_LINE_MARKS})\s*+redline:(?P<text>.*+)",
    re.IGNORECASE,
)
_OPENED = re.compile(rf"(?P<before>\s*+\{{?+)(?P<mark>{_BEGINS})\s*+$")
_ORDER_INSIDE = re.compile(r"\s*+\*?+\s*+redline:(?P<text>.*+)", re.IGNORECASE)
_LINE = re.compile(rf"\s*+(?P<mark>{_LINE_MARKS})\s*+(?P<text>.*+)", re.IGNORECASE)
_LINE_COMMENT_END = re.compile(r"(?=[%?]>\s*+$)")
"""The end of the code in a template or in PHP, which ends the comment."""

_BRACES = (
    (re.compile(r"^\s*+\{$"), re.compile(r"\}\s*+$")),
    (re.compile(r"\{\{-?\s*+$"), re.compile(r"\s*+-?\}\}")),
)
"""What belongs to a block comment of JSX, alone on its lines, and of Go's templates."""

_ENDS = r"\*+/|--+>|-\}|\*\)"
_COMMENT = re.compile(
    r"\s*(?P<mark>#++|//++!?+|--++|;++|%++|/\*++|<!--++|\{-|\(\*)"
    rf"\s*+(?P<text>(?:(?!\s*+(?:{_ENDS})?\s*+$).)*+)\s*+(?:{_ENDS})?\s*+$"
)


class Comment(Struct, frozen=True, kw_only=True):
    """Adjacent lines of comment."""

    first: int
    last: int
    text: str
    """The text without comment marks, line by line."""
    code_before: str = ""
    """The code before it on its first line, stripped."""
    code_after: str = ""
    """The code after it on its last line, stripped."""

    @property
    def has_code(self) -> bool:
        """Whether its lines have code, too."""
        return bool(self.code_before or self.code_after)


def range_of_comment(lines: Sequence[str], comment: Comment) -> Range:
    """Return the range of a comment, without the code around it."""
    top = strip_end(lines[comment.first])
    bottom = strip_end(lines[comment.last]).rstrip()
    before = len(top) - len(top.lstrip()) + len(comment.code_before)
    start = len(top) - len(top[before:].lstrip())
    end = len(bottom.removesuffix(comment.code_after).rstrip())
    return Range(Position(comment.first, start), Position(comment.last, end))


def instruction_at(lines: Sequence[str], line: int) -> Comment | None:
    """Find the comment with an instruction for Redline that contains a line.

    It may continue below, in comments with the same mark.
    """
    # A block comment may have its instruction below its first line.
    for first in range(min(line + 1, len(lines) - 1), max(line - _MAX_LINES, -1), -1):
        comment = _order_from(lines, first)
        if comment is not None and comment.first <= line:
            return comment if line <= comment.last else None
    return None


def instructions_in(lines: Sequence[str]) -> list[Comment]:
    """Find all comments with an instruction for Redline, in order."""
    found: list[Comment] = []
    for first in range(len(lines)):
        is_inside = found and first <= found[-1].last
        if not is_inside and (comment := _order_from(lines, first)) is not None:
            found.append(comment)
    return found


def comment_at(lines: Sequence[str], line: int) -> Comment | None:
    """Find the adjacent lines of pure comment that contain a line."""
    first = last = line
    while first > 0 and line - first < _MAX_LINES and _says(lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and last - line < _MAX_LINES and _says(lines[last + 1]):
        last += 1
    said = [_says(each) for each in lines[first : last + 1]]
    text = _joined(said)
    return Comment(first=first, last=last, text=text) if _says(lines[line]) else None


def _order_from(lines: Sequence[str], first: int) -> Comment | None:
    """Find the comment whose instruction begins in a line."""
    if "redline:" not in lines[first].lower():
        return None
    found = opened = _read(_ORDER, lines[first])
    top = first
    if found is None and first:
        top = first - 1
        opened = _read(_OPENED, lines[top])
        found = _read(_ORDER_INSIDE, lines[first])
    if found is None or opened is None:
        return None
    before, mark = opened["before"], opened["mark"]
    if _is_quoted(before, mark):
        return None
    end = _end_of_block(mark)
    if end is None:
        last, text, after = _line_comments(lines, first, mark, found["text"])
    elif (inside := _inside(lines, first, found["text"], end)) is not None:
        last, text, after = inside
    else:
        return None
    if end is not None:
        before, after = _without_braces(before, after)
    return (
        Comment(
            first=top,
            last=last,
            text=text,
            code_before=before.strip(),
            code_after=after.strip(),
        )
        if text
        else None
    )


def _end_of_block(mark: str) -> re.Pattern[str] | None:
    """Return what ends the block comment of a mark; None: the line ends it."""
    return next((end for begin, end in _BLOCK_ENDS if begin.fullmatch(mark)), None)


def _inside(
    lines: Sequence[str], first: int, top: str, end: re.Pattern[str]
) -> tuple[int, str, str] | None:
    """Read a block comment to its end.

    Returns:
        Its last line, its text, and what follows it; None if it has no end.
    """
    texts: list[str] = []
    for last in range(first, min(len(lines), first + _MAX_LINES)):
        line = top if last == first else strip_end(lines[last])
        found = end.search(line[:_MAX_CHARS])
        said = (line if found is None else line[: found.start()]).strip()
        texts.append(said if last == first else said.removeprefix("*").lstrip())
        if found is not None:
            return last, _joined(texts), line[found.end() :]
    return None


def _line_comments(
    lines: Sequence[str], first: int, mark: str, top: str
) -> tuple[int, str, str]:
    """Read adjacent comments with the same mark, as `_inside` does."""
    found = _LINE_COMMENT_END.search(top)
    if found is not None:
        return first, top[: found.start()].strip(), top[found.end() :]
    texts, last = [top.strip()], first
    while last + 1 < min(len(lines), first + _MAX_LINES):
        more = _read(_LINE, lines[last + 1])
        if more is None or more["mark"].lower() != mark.lower():
            break
        texts.append(more["text"].strip())
        last += 1
    return last, _joined(texts), ""


def _without_braces(before: str, after: str) -> tuple[str, str]:
    """Cut the braces around a block comment that are a part of it."""
    for opening, closing in _BRACES:
        begin, end = opening.search(before), closing.match(after)
        if begin is not None and end is not None:
            return before[: begin.start()], after[end.end() :]
    return before, after


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(filter(None, texts))


def _is_quoted(before: str, mark: str) -> bool:
    """Whether the mark is inside a string, as far as one line shows."""
    if mark in ("'", '"', "::") or mark.lower().endswith("rem"):
        # A comment of Vim, Visual Basic or batch files, which begins the line.
        return bool(before.strip())
    return any(before.count(quote) % 2 for quote in "\"'`")


def _says(line: str) -> str:
    """Return the text of a line of pure comment; empty for other lines."""
    found = _read(_COMMENT, line)
    return str(found["text"]) if found is not None else ""


def _read(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    return pattern.match(strip_end(line)) if len(line) <= _MAX_CHARS else None
