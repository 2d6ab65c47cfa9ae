"""Changes of a text: splices, changed lines, and anchors that follow them.

A document holds its anchors and passes every splice to each of them. The rules are the
design's: text typed exactly at an anchor's start border is outside and moves it, text
typed exactly at its end border is inside and extends it.

All positions here are in code points.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from redline.text.lines import content_length, strip_end
from redline.text.position import Position, Range


class Splice(Struct, frozen=True):
    """One replacement in a document, as places before and after it."""

    old: Range
    """The replaced range, in the old text."""

    new: Range
    """The range of the new text. Starts where `old` does, except that a line feed
    joined to a carriage return before it moves the start up a line."""

    def moved(self, position: Position) -> Position:
        """Return the new place of a position at or after the end of `old`."""
        line = position.line + self.new.end.line - self.old.end.line
        if position.line != self.old.end.line:
            return Position(line, position.character)
        shift = self.new.end.character - self.old.end.character
        return Position(line, position.character + shift)


def is_touched_by(anchored: Range, splice: Splice) -> bool:
    """Whether a splice changes an anchored range, rather than moves or misses it.

    A splice that begins exactly at the end border does: text inserted there is inside.
    """
    is_before = splice.old.end <= anchored.start
    is_after = splice.old.start > anchored.end
    return not (is_before or is_after)


def follow(anchored: Range, splice: Splice) -> Range:
    """Return the place of an anchored range after a splice.

    A splice across a border is included whole: the range then covers the new text.
    """
    if splice.old.end <= anchored.start:
        return Range(splice.moved(anchored.start), splice.moved(anchored.end))
    if splice.old.start > anchored.end:
        return anchored
    is_start_cut = splice.old.start <= anchored.start
    is_end_cut = splice.old.end >= anchored.end
    return Range(
        splice.new.start if is_start_cut else anchored.start,
        splice.new.end if is_end_cut else splice.moved(anchored.end),
    )


class Anchor:
    """A range of one document that follows its edits until it is released.

    Attributes:
        range: Its current place.
        touched_version: The last version that changed text inside; None if none has.
        is_of_lines: Whether it follows its lines when one change replaces more than
            them and brings them back.
    """

    __slots__ = ("is_of_lines", "range", "touched_version")

    def __init__(self, anchored: Range, *, is_of_lines: bool = False) -> None:
        self.range = anchored
        self.touched_version: int | None = None
        self.is_of_lines = is_of_lines

    @property
    def is_touched(self) -> bool:
        """Whether text inside has changed since the start or the last reset."""
        return self.touched_version is not None

    def reset(self) -> None:
        """Clear the touched state; the range stays."""
        self.touched_version = None


def kept_place(
    anchored: Range, splice: Splice, old_lines: Sequence[str], new_lines: Sequence[str]
) -> Range | None:
    """Return where a splice puts the lines of an anchored range that it replaces.

    An editor may report several changes as one, with the lines between them.

    Args:
        anchored: The range before the splice.
        splice: One change of a document.
        old_lines: The lines of the splice, from its first to its last.
        new_lines: The new lines from the same place on.

    Returns:
        None if it does not replace them all, or does not bring them back exactly once.
    """
    offset = splice.old.start.line
    end = anchored.end.line + bool(anchored.end.character)
    first, end = anchored.start.line - offset, end - offset
    if first < 0 or end > len(old_lines) or first >= end:
        return None
    lines = old_lines[first:end]
    if not any(map(str.strip, lines)) or _places(lines, old_lines) != [first]:
        return None
    places = _places(lines, new_lines)
    if len(places) != 1:
        return None
    shift = splice.new.start.line + places[0] - anchored.start.line
    start, stop = anchored.start, anchored.end
    return Range(
        Position(start.line + shift, start.character),
        Position(stop.line + shift, stop.character),
    )


def _places(lines: Sequence[str], among: Sequence[str]) -> list[int]:
    n = len(lines)
    return [
        at
        for at, line in enumerate(among)
        if line == lines[0] and among[at : at + n] == lines
    ]


class LineSplice(msgspec.Struct, frozen=True, kw_only=True):
    """The old lines [first, old_end) become the new lines [first, new_end); the two
    differ in their first and last line. Both may be empty."""

    first: int
    old_end: int
    new_end: int

    @property
    def shift(self) -> int:
        """Number of lines by which the rest of the text moved down."""
        return self.new_end - self.old_end


def n_new_lines(splice: Splice, old_lines: Sequence[str]) -> int:
    """Count the new lines of a splice's old lines."""
    return len(old_lines) + splice.new.end.line - splice.old.end.line


def line_splice(
    splice: Splice, old_lines: Sequence[str], new_lines: Sequence[str]
) -> LineSplice:
    """Return the lines that a splice changed.

    Args:
        splice: One change of a document.
        old_lines: The lines of the splice, from its first to its last.
        new_lines: The new lines from the same place on; see `n_new_lines`.
    """
    old, new = list(map(strip_end, old_lines)), list(map(strip_end, new_lines))
    n_most = min(len(old), len(new))
    # Text typed after a line's content keeps that line. Among several equal lines it is
    # then clear which one was kept; otherwise assume the last ones.
    is_after = splice.old.start.character >= content_length(old_lines[0])
    head = 1 if is_after and n_most and old[0] == new[0] else 0
    tail = 0
    while tail < n_most - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    while head < n_most - tail and old[head] == new[head]:
        head += 1
    first = splice.old.start.line
    return LineSplice(
        first=first + head,
        old_end=first + len(old) - tail,
        new_end=first + len(new) - tail,
    )
