"""The definition around a line, found by indentation alone.

A menu must be there in a few milliseconds for any file: this reads the lines between
the cursor and the definition's borders, and parses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from redline.assist.actions.headers import HeaderKind, read_header
from redline.text.lines import strip_end
from redline.text.position import Position, Range

_MAX_LINES_UP = 1_000
_MAX_LINES_DOWN = 2_000
"""How far it searches, at half a microsecond a line."""

_MAX_BLANK_LINES = 50

_CLOSER = re.compile(r"[)\]}{]|end\b")
"""The start of a line that closes a block of the same indentation."""

_DECORATORS = ("@", "#[")
_HEADS = (*_DECORATORS, "#", "//", "/*", "*", "--")
"""The start of lines that belong to the definition below them."""


class IndentedDefinition(Struct, frozen=True, kw_only=True):
    """A function or a class; line numbers are the document's."""

    kind: HeaderKind
    name: str
    first: int
    """Includes the comments and decorators right above it."""
    header: int
    """The line with its name."""
    body: int
    """The first line after its signature; may be after `last`."""
    last: int


def definitions_around(
    lines: Sequence[str], line: int, language: str
) -> list[IndentedDefinition]:
    """Find the definitions that contain a line, innermost first."""
    found: list[IndentedDefinition] = []
    at, depth = _start(lines, line)
    for number in range(at, max(at - _MAX_LINES_UP, -1), -1):
        text = lines[number]
        code = text.lstrip(" \t")
        width = len(text) - len(code)
        if (width >= depth and number != at) or not code.strip() or _CLOSER.match(code):
            continue
        header = read_header(text, language)
        if header is not None:
            last = _last_line(lines, number)
            # A definition that ends above the line does not contain it.
            if last >= line:
                found.append(
                    IndentedDefinition(
                        kind=header.kind,
                        name=header.name,
                        first=_with_head(lines, number),
                        header=number,
                        body=_body(lines, number, last),
                        last=last,
                    )
                )
        depth = min(depth, width)
        if width == 0:
            break
    return found


def range_of_lines(lines: Sequence[str], first: int, last: int) -> Range:
    return Range(Position(first, 0), Position(last, len(strip_end(lines[last]))))


def _start(lines: Sequence[str], line: int) -> tuple[int, int]:
    """Return the line to start from, and its indentation.

    Decorators belong to the definition below them; a blank line counts as indented like
    the text that follows it.
    """
    number = line
    while number < len(lines) - 1 and lines[number].strip().startswith(_DECORATORS):
        number += 1
    text = lines[number].strip()
    if text:
        return number, _width(lines[number]) + bool(_CLOSER.match(text))
    below = lines[number : number + _MAX_BLANK_LINES]
    return number, next((_width(each) for each in below if each.strip()), 0)


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _last_line(lines: Sequence[str], header: int) -> int:
    depth = _width(lines[header])
    last = header
    for number in range(header + 1, min(header + _MAX_LINES_DOWN, len(lines))):
        code = lines[number].lstrip(" \t")
        width = len(lines[number]) - len(code)
        if width > depth:
            # The common case; a blank line does not end the definition, and is not its
            # last line.
            last = number if code.strip() else last
            continue
        if not code.strip():
            continue
        if width < depth or not _CLOSER.match(code):
            break
        last = number
    return last


def _with_head(lines: Sequence[str], header: int) -> int:
    depth = _width(lines[header])
    first = header
    while first > 0:
        above = lines[first - 1]
        if _width(above) < depth or not above.lstrip(" \t").startswith(_HEADS):
            break
        first -= 1
    # A shebang is not a comment of the definition.
    return first + (first == 0 and header > 0 and lines[0].startswith("#!"))


def _body(lines: Sequence[str], header: int, last: int) -> int:
    for number in range(header, last + 1):
        text = strip_end(lines[number]).split(" #")[0].split(" //")[0].rstrip()
        if text.endswith((":", "{", "=>", "=")):
            return number + 1
    return header + 1
