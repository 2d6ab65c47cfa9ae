"""A change of a document as a change of whole lines.

What counts is a line's content: a line that is written again as it was has not changed,
and neither has one that has another end.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from redline.text.anchor import Splice
from redline.text.lines import content_length, strip_end


class LineSplice(msgspec.Struct, frozen=True, kw_only=True):
    """The lines [first, old_end) of the text before are [first, new_end) of the text
    after; the two are not the same in their first or last line. Both may be empty."""

    first: int
    old_end: int
    new_end: int

    @property
    def shift(self) -> int:
        """How many lines further down the rest of the text stands."""
        return self.new_end - self.old_end


def n_new_lines(splice: Splice, old_lines: Sequence[str]) -> int:
    """Count the lines that the old lines of a splice have become."""
    return len(old_lines) + splice.new.end.line - splice.old.end.line


def line_splice(
    splice: Splice, old_lines: Sequence[str], new_lines: Sequence[str]
) -> LineSplice:
    """Find the lines that a splice has changed.

    Args:
        splice: One change of a document.
        old_lines: Those in which it was, from the first to the last one.
        new_lines: What they are now, from the same place on; see `n_new_lines`.
    """
    old, new = list(map(strip_end, old_lines)), list(map(strip_end, new_lines))
    n_most = min(len(old), len(new))
    # What was typed after a line's end leaves that line. Of several equal lines it is
    # then known which one is meant; else the last lines are those that were kept.
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
