"""A change of a document as a change of whole lines.

Only a line's content counts: a line that is rewritten unchanged has not changed, and
neither has one with another line end.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from redline.text.anchor import Splice
from redline.text.lines import content_length, strip_end


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
