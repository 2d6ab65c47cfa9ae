"""Comments that ask for code: `redline: …`, and those that describe code to come."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from redline.text.lines import strip_end
from redline.text.position import Position, Range

_MAX_LINES = 50
"""Most lines of one instruction."""

_MAX_CHARS = 1_000
"""Longest line that can be a comment."""

_MARKS = r"#++|//++!?+|--++|;++|%++|/\*++|<!--++|\{-|\(\*|'|\""
_ENDS = r"\*+/|--+>|-\}|\*\)"
_TAIL = rf"\s*+(?P<end>{_ENDS})?\s*+$"
_REST = rf"\s*+(?P<text>(?:(?!\s*+(?:{_ENDS})?\s*+$).)*+){_TAIL}"
_ORDER = re.compile(
    rf"(?P<before>.*?)(?P<mark>{_MARKS})\s*+redline:{_REST}",
    re.IGNORECASE,
)
_COMMENT = re.compile(rf"\s*(?P<mark>{_MARKS}|\*(?!/)){_REST}")

_INSIDE = re.compile(rf"\s*+(?:\*(?!/))?{_REST}")


class Comment(Struct, frozen=True, kw_only=True):
    """Adjacent lines of comment."""

    first: int
    last: int
    text: str
    """The text without comment marks, line by line."""
    n_code_chars: int = 0
    """Length of the code before it on its first line, stripped."""

    @property
    def has_code(self) -> bool:
        """Whether its first line begins with code."""
        return self.n_code_chars > 0


def range_of_comment(lines: Sequence[str], comment: Comment) -> Range:
    """Return the range of a comment, without the code before it."""
    top = lines[comment.first]
    indent = len(top) - len(top.lstrip(" \t"))
    start = Position(comment.first, indent + comment.n_code_chars)
    return Range(start, Position(comment.last, len(strip_end(lines[comment.last]))))


def instruction_at(lines: Sequence[str], line: int) -> Comment | None:
    """Find the comment with an instruction for Redline that contains a line.

    It may continue below, in comments with the same mark.
    """
    for first in range(line, max(line - _MAX_LINES, -1), -1):
        comment = _order_from(lines, first)
        if comment is not None:
            return comment if line <= comment.last else None
        if _read(_COMMENT, lines[first]) is None:
            return None
    return None


def instructions_in(lines: Sequence[str]) -> list[Comment]:
    """Find all comments with an instruction for Redline, in order."""
    found: list[Comment] = []
    for first, line in enumerate(lines):
        is_inside = found and first <= found[-1].last
        if is_inside or "redline:" not in line.lower():
            continue
        if (comment := _order_from(lines, first)) is not None:
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
    text = "\n".join(filter(None, said))
    return Comment(first=first, last=last, text=text) if _says(lines[line]) else None


def _order_from(lines: Sequence[str], first: int) -> Comment | None:
    found = _read(_ORDER, lines[first])
    if found is None or _is_quoted(found["before"], found["mark"]):
        return None
    texts, last = [found["text"]], first
    is_block = found["mark"].startswith(("/*", "<!--", "{-", "(*"))
    is_open = not found["end"]
    while is_open and last + 1 < min(len(lines), first + _MAX_LINES):
        more = _read(_COMMENT, lines[last + 1])
        if is_block:
            text, end = _inside(lines[last + 1])
            is_open = not end
        elif more is not None and more["mark"] == found["mark"]:
            text = more["text"]
        else:
            break
        texts.append(text)
        last += 1
    text = "\n".join(filter(None, texts))
    if not text:
        return None
    n_code_chars = len(found["before"].strip())
    return Comment(first=first, last=last, text=text, n_code_chars=n_code_chars)


def _inside(line: str) -> tuple[str, bool]:
    """Read a later line of a block comment: its text, and whether it ends it."""
    found = _read(_INSIDE, line)
    return (found["text"], bool(found["end"])) if found else ("", True)


def _is_quoted(before: str, mark: str) -> bool:
    """Whether the mark is inside a string, as far as one line shows."""
    if mark in ("'", '"'):
        # A comment of Vim or Visual Basic, which begins the line.
        return bool(before.strip())
    return any(before.count(quote) % 2 for quote in "\"'`")


def _says(line: str) -> str:
    """Return the text of a line of pure comment; empty for other lines."""
    found = _read(_COMMENT, line)
    if found is None or found["mark"] in ("'", '"', "*"):
        return ""
    return str(found["text"])


def _read(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    return pattern.match(strip_end(line)) if len(line) <= _MAX_CHARS else None
