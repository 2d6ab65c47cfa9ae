"""Moves a planned change to a text that the user has edited meanwhile.

Lines are compared. A changed place is lost if the user has changed it, or a line next
to it.
"""

from __future__ import annotations

from msgspec import Struct

from redline.text.line_diff import LineHunk, apply_hunks, diff_lines
from redline.text.lines import split_lines


class Rebased(Struct, frozen=True, kw_only=True):
    """The change, for the text as it is now."""

    hunks: tuple[LineHunk, ...]
    """In order, of the lines of the text as it is now."""
    after: str
    """The text with them."""
    n_lost: int = 0
    """Places of the change that are gone."""


def rebase(base: str, current: str, after: str) -> Rebased:
    """Carry the change from `base` to `after` over to `current`."""
    lines, now = split_lines(base), split_lines(current)
    planned = diff_lines(lines, split_lines(after))
    theirs = diff_lines(lines, now)
    hunks: list[LineHunk] = []
    n_lost = 0
    for hunk in planned:
        if any(_touch(hunk, other) for other in theirs):
            n_lost += 1
            continue
        shift = sum(other.shift for other in theirs if other.end <= hunk.start)
        hunks.append(
            LineHunk(start=hunk.start + shift, end=hunk.end + shift, lines=hunk.lines)
        )
    return Rebased(
        hunks=tuple(hunks), after="".join(apply_hunks(now, hunks)), n_lost=n_lost
    )


def _touch(one: LineHunk, other: LineHunk) -> bool:
    return one.start <= other.end and other.start <= one.end
