"""Positions and ranges, and the three encodings in which clients count.

Inside Redline a position's `character` counts code points. Clients count code units of
the encoding that was negotiated at `initialize` (LSP 3.18, "Position"); only the
functions here convert, both ways, for a line and for a document.

Everything clamps and nothing raises: a client's position may be past its line or its
document, or in the middle of a character.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import msgspec

from redline.text.lines import content_length


class Encoding(Enum):
    """The unit that a client counts; the values are LSP's `PositionEncodingKind`."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"


class Position(msgspec.Struct, frozen=True, order=True):
    """A place between two characters; both numbers count from zero."""

    line: int
    character: int
    """Code points before the place, unless a name or docstring says client units."""


class Range(msgspec.Struct, frozen=True, order=True):
    """The text from `start` to `end`, excluding `end`."""

    start: Position
    end: Position

    @property
    def is_empty(self) -> bool:
        """Whether there is no text between start and end."""
        return self.start == self.end

    def contains(self, other: Range) -> bool:
        """Whether `other` is inside, borders included."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Range) -> bool:
        """Whether the two share text, or one is a place strictly inside the other.

        Two empty ranges at one place overlap too: both would insert text there.
        """
        if self.start == other.start:
            return self.is_empty == other.is_empty
        return self.start < other.end and other.start < self.end


def to_code_points(line: str, units: int, encoding: Encoding) -> int:
    """Convert a client's `character` to code points.

    Args:
        line: The whole line; its end is not counted as text.
        units: Code units before the place. Past the line means its end; in the middle
            of a character means before it.
        encoding: The unit.
    """
    if units <= 0:
        return 0
    # Each character has at least one unit, so the text before the place is in here.
    head = _head(line, units)
    if encoding is Encoding.UTF_32 or head.isascii():
        return len(head)
    # A lone surrogate cannot be encoded and counts one unit, as "?" does.
    if encoding is Encoding.UTF_8:
        encoded = head.encode("utf-8", "replace")[:units]
        return len(encoded.decode("utf-8", "ignore"))
    encoded = head.encode("utf-16-le", "replace")[: 2 * units]
    return len(encoded.decode("utf-16-le", "ignore"))


def to_units(line: str, code_points: int, encoding: Encoding) -> int:
    """Convert a `character` in code points to a client's.

    Args:
        line: The whole line; its end is not counted as text.
        code_points: Code points before the place. Past the line means its end.
        encoding: The unit of the result.
    """
    head = _head(line, code_points)
    if encoding is Encoding.UTF_32 or head.isascii():
        return len(head)
    if encoding is Encoding.UTF_8:
        return len(head.encode("utf-8", "replace"))
    return len(head.encode("utf-16-le", "replace")) // 2


def _head(line: str, n_chars: int) -> str:
    """Return the first characters of a line, at most those before its end."""
    return line[: max(n_chars, 0)].rstrip("\r\n")


def clamp(lines: Sequence[str], position: Position) -> Position:
    """Move a position in code points to the nearest place in the document."""
    line = position.line
    # The usual case.
    if 0 <= line < len(lines) and (
        0 <= position.character <= content_length(lines[line])
    ):
        return position
    return from_client(lines, position, Encoding.UTF_32)


def from_client(
    lines: Sequence[str], position: Position, encoding: Encoding
) -> Position:
    """Convert a client's position to code points.

    Args:
        lines: The document's lines, at least one.
        position: In units of `encoding`. Past the last line means the document's end,
            before the first its start.
        encoding: The client's unit.
    """
    if position.line < 0:
        return Position(0, 0)
    if position.line >= len(lines):
        return Position(len(lines) - 1, content_length(lines[-1]))
    character = to_code_points(lines[position.line], position.character, encoding)
    return Position(position.line, character)


def to_client(lines: Sequence[str], position: Position, encoding: Encoding) -> Position:
    """Convert a position in code points to the client's units, clamped."""
    inside = clamp(lines, position)
    character = to_units(lines[inside.line], inside.character, encoding)
    return Position(inside.line, character)


def range_from_client(
    lines: Sequence[str], client_range: Range, encoding: Encoding
) -> Range:
    """Convert a client's range to code points; a backwards one is reversed."""
    start = from_client(lines, client_range.start, encoding)
    if client_range.is_empty:
        # The usual case: a key was typed.
        return Range(start, start)
    end = from_client(lines, client_range.end, encoding)
    return Range(start, end) if start <= end else Range(end, start)


def range_to_client(lines: Sequence[str], inner: Range, encoding: Encoding) -> Range:
    """Convert a range in code points to the client's units."""
    return Range(
        to_client(lines, inner.start, encoding), to_client(lines, inner.end, encoding)
    )


def text_in(lines: Sequence[str], inner: Range) -> str:
    """Return the text of a range in code points inside the document."""
    start, end = inner.start, inner.end
    if start.line == end.line:
        return lines[start.line][start.character : end.character]
    head = lines[start.line][start.character :]
    tail = lines[end.line][: end.character]
    return "".join([head, *lines[start.line + 1 : end.line], tail])
