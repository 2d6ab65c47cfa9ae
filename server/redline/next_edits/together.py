"""Next edits that are taken by one key: the places of a rename in one line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from msgspec.structs import replace

from redline.next_edits.next_edit import NextEdit
from redline.text.position import Range, text_in


def taken_together(edits: Sequence[NextEdit]) -> tuple[NextEdit, ...]:
    """Return the first edit and those right after it that are taken with it, in the
    order of the text."""
    if not edits:
        return ()
    first = edits[0]
    if first.rule != "rename":
        return (first,)
    line = first.range.start.line

    def belongs(edit: NextEdit) -> bool:
        place = edit.range
        is_in_line = place.start.line == place.end.line == line
        return edit is first or (is_in_line and edit.why == first.why)

    return tuple(sorted(takewhile(belongs, edits), key=lambda one: one.range.start))


def n_steps(edits: Sequence[NextEdit]) -> int:
    """Return how often something is to be taken until nothing is left."""
    rest, n = list(edits), 0
    while rest:
        rest = rest[len(taken_together(rest)) :]
        n += 1
    return n


def as_one(edits: Sequence[NextEdit], lines: Sequence[str]) -> NextEdit:
    """Return one edit that does what several do.

    Args:
        edits: At least one, in the order of the text.
        lines: The text, with line ends.
    """
    first, last = edits[0], edits[-1]
    text, at = "", first.range.start
    for edit in edits:
        text += text_in(lines, Range(at, edit.range.start)) + edit.text
        at = edit.range.end
    place = Range(first.range.start, last.range.end)
    return replace(first, range=place, old=text_in(lines, place), text=text)
