"""Which line of an earlier version a line of a document is.

What was found out about a document is about the version that was looked at. Until it is
looked at again, the lines of now are translated; typing within a line costs nothing.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from redline.text.anchor import Splice

_MAX_SHIFTS = 256
"""More line breaks than anybody types before the document is looked at again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shift:
    version: int
    """From which on it holds."""
    first: int
    old_end: int
    new_end: int
    """Lines `first` to `old_end` became lines `first` to `new_end`, without the end."""


class LineShifts:
    """The changes of one document that moved lines."""

    def __init__(self) -> None:
        self._shifts: deque[_Shift] = deque(maxlen=_MAX_SHIFTS)

    def note(self, version: int, splice: Splice) -> None:
        """Take note of a change that led to a version."""
        old, new = splice.old.end, splice.new.end
        if old.line != new.line:
            # At the start of a line, that line is as it was.
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
        """Say which line of a version a line of now is; of a new one, the nearest."""
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
