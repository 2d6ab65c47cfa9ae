"""Anchors: ranges that follow the user's edits.

A document holds its anchors and shows each of them every splice. The rules are the
design's: what is typed exactly at an anchor's start border is outside and moves it,
what is typed exactly at its end border is inside and makes it longer.

All positions here are in code points.
"""

from __future__ import annotations

from dataclasses import dataclass

from redline.text.position import Position, Range


@dataclass(frozen=True, slots=True)
class Splice:
    """One replacement that a document has taken, as places before and after it."""

    old: Range
    """What was replaced, in the text before."""

    new: Range
    """What stands there now, in the text after. Starts where `old` does, except that a
    line feed which has joined a carriage return before it moves the start up a line."""

    def moved(self, position: Position) -> Position:
        """Return where a position at or after the end of `old` is now."""
        line = position.line + self.new.end.line - self.old.end.line
        if position.line != self.old.end.line:
            return Position(line, position.character)
        shift = self.new.end.character - self.old.end.character
        return Position(line, position.character + shift)


def is_touched_by(anchored: Range, splice: Splice) -> bool:
    """Tell whether a splice changes an anchored range, rather than move or miss it.

    A splice that begins exactly at the end border does: an insertion there is inside.
    """
    is_before = splice.old.end <= anchored.start
    is_after = splice.old.start > anchored.end
    return not (is_before or is_after)


def follow(anchored: Range, splice: Splice) -> Range:
    """Return where an anchored range is after a splice.

    A splice across a border is taken in whole: the range then covers the new text.
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
        range: Where it is now.
        touched_version: The last version that changed text inside; None if none has.
    """

    __slots__ = ("range", "touched_version")

    def __init__(self, anchored: Range) -> None:
        self.range = anchored
        self.touched_version: int | None = None

    @property
    def is_touched(self) -> bool:
        """Whether text inside has changed since the start or the last reset."""
        return self.touched_version is not None

    def reset(self) -> None:
        """Forget that it was touched; the range stays where it is."""
        self.touched_version = None
