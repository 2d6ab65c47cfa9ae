"""Translates lines of a document to lines of an earlier version.

Knowledge about a document refers to the version that was read. Until it is read again,
current lines are translated; typing within a line costs nothing.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from redline.text.anchor import Splice

_MAX_SHIFTS = 256
"""More line breaks than a user types before the document is read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shift:
    version: int
    """The first version that has this change."""
    first: int
    old_end: int
    new_end: int
    """Lines `first` to `old_end` became lines `first` to `new_end`, ends excluded."""


class LineShifts:
    """The changes of one document that moved lines."""

    def __init__(self) -> None:
        self._shifts: deque[_Shift] = deque(maxlen=_MAX_SHIFTS)

    def note(self, version: int, splice: Splice) -> None:
        """Record a change that led to a version."""
        old, new = splice.old.end, splice.new.end
        if old.line != new.line:
            # A change that ends at the start of a line does not change that line.
            n_last = 0 if old.character == new.character == 0 else 1
            self._shifts.append(
                _Shift(
                    version=version,
                    first=splice.old.start.line,
                    old_end=old.line + n_last,
                    new_end=new.line + n_last,
                )
            )

    def back(self, line: int, version: int) -> int:
        """Return the line of a version for a current one, or the nearest line."""
        for shift in reversed(self._shifts):
            if shift.version <= version:
                break
            if line >= shift.new_end:
                line += shift.old_end - shift.new_end
            elif line >= shift.first:
                line = max(min(line, shift.old_end - 1), shift.first)
        return line

    def back_range(self, lines: range, version: int) -> range:
        """Translate a range; an empty one stays empty."""
        start = self.back(lines.start, version)
        if not lines:
            return range(start, start)
        return range(start, self.back(lines[-1], version) + 1)
