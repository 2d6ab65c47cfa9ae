"""Finds where a text that is being written meets the old text again.

While new lines differ from the old ones, the search follows every run of lines that
also occurs in the old text. A run is accepted once its evidence is enough for the
number of old lines that it would skip: one line close by, several of them further away.

This module does not know hunks and painting.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import log2

from msgspec import Struct

_TELLING, _COMMON, _BARE = 2.0, 1.0, 0.5
"""Evidence of a line that occurs once in the old text, of one that occurs several
times, and of one with fewer than three letters or digits (blank, `}`, `):`)."""

_ENOUGH = 1.0
"""Evidence that is enough for skipping at most one line. Each doubling of the skipped
lines requires as much again. Chosen on code that changed between CPython 3.8, 3.12 and
3.13: accepting earlier paints lines as deleted that are not, accepting later paints
lines as inserted that are kept. The numbers are in
`docs/explanation/streaming-diff.md`."""

_MAX_STARTS = 16
"""Most runs that one line may start, at the nearest places: bounds the work for lines
that occur everywhere. A run that starts further away soon has a rarer line."""


class _Run(Struct, frozen=True):
    n_lines: int
    evidence: float


class Resync:
    """The search after one difference, in the old lines from `start` on."""

    def __init__(self, index: LineIndex, start: int) -> None:
        self._index = index
        self._start = start
        # Runs that the last line continued or started, by their old line.
        self._runs: dict[int, _Run] = {}

    def feed(self, line: str) -> int | None:
        """Process one more new line.

        Returns:
            The old line up to which the two texts have met; None: not yet.
        """
        evidence = self._index.evidence(line)
        runs = {}
        for at, run in self._runs.items():
            if self._index.stands_at(line, at + 1):
                runs[at + 1] = _Run(run.n_lines + 1, run.evidence + evidence)
        for at in self._index.places(line, self._start, _MAX_STARTS):
            if at not in runs:
                runs[at] = _Run(1, evidence)
        self._runs = runs
        met = [at + 1 for at, run in runs.items() if self._is_believed(at, run)]
        return min(met, default=None)

    @property
    def n_open(self) -> int:
        """How many of the last new lines may still turn out to be kept."""
        return max((run.n_lines for run in self._runs.values()), default=0)

    def _is_believed(self, at: int, run: _Run) -> bool:
        n_skipped = at + 1 - run.n_lines - self._start
        return run.evidence >= _ENOUGH * (1 + log2(max(1, n_skipped)))


class LineIndex:
    """The places of each line in the old text."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._places: dict[str, list[int]] = {}
        for at, line in enumerate(lines):
            self._places.setdefault(line, []).append(at)

    def stands_at(self, line: str, at: int) -> bool:
        """Whether a line is at a place, which may be past the end."""
        return at < len(self._lines) and self._lines[at] == line

    def places(self, line: str, start: int, limit: int) -> list[int]:
        """Return the first places from `start` on, at most `limit`."""
        places = self._places.get(line, [])
        first = bisect_left(places, start)
        return places[first : first + limit]

    def evidence(self, line: str) -> float:
        """Return the evidence that meeting this line gives."""
        if sum(map(str.isalnum, line)) < 3:
            return _BARE
        return _TELLING if len(self._places.get(line, ())) == 1 else _COMMON
