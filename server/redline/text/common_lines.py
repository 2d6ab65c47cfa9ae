"""The longest common subsequence of two sequences of lines.

`common_lines` finds the largest set of lines of an old text that stay in a new one. It
is
exact at every size; only the method changes:

- Lines that occur on one side only can never stay and are left out first.
- Up to `MAX_CELLS` the whole table is computed and walked once.
- Above it, Myers' greedy search, "An O(ND) difference algorithm and its variations"
  (1986), as long as few lines differ: a large file with scattered edits.
- Otherwise halving (Hirschberg 1975) until the parts fit: memory stays bounded, and at
  most twice the cells are computed.

The table has one bit per cell, an integer per row. From Crochemore, Iliopoulos, Pinzon
and Reid, "A fast and practical bit-vector algorithm for the longest common subsequence
problem" (2001), in the form of Hyyrö, "Bit-parallel LCS-length computation revisited"
(2004): a row takes one addition and a few logical operations on Python integers, 0.6 µs
for 2,000 lines. In the row after some lines, bit i is 0 if and only if adding
`across[i]` to `across[:i]` extends the common subsequence with those lines by one line.

This module does not know hunks: `line_diff` makes them from the pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

Pair = tuple[int, int]
"""Index of a line in the old text, and of the equal line in the new one."""

_MAX_DISTANCE = 512
"""Most deleted and inserted lines for Myers' search: at most about 0.1 s and 130,000
stored integers before it gives up."""

MAX_CELLS = 1 << 27
"""Largest table that is stored: 16 MB of rows, about 11,000 x 11,000 lines."""


def common_lines(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """Return a longest sequence of pairs of equal lines, in order on both sides."""
    in_old, in_new = set(old), set(new)
    old_at = [i for i, line in enumerate(old) if line in in_new]
    new_at = [j for j, line in enumerate(new) if line in in_old]
    pairs = _pairs([old[i] for i in old_at], [new[j] for j in new_at])
    return [(old_at[i], new_at[j]) for i, j in pairs]


def _pairs(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    if len(old) * len(new) <= MAX_CELLS:
        return _pairs_by_rows(old, new)
    pairs = _pairs_if_near(old, new)
    return _pairs_by_halves(old, new) if pairs is None else pairs


def _pairs_by_rows(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    # The table is computed from the end, so that the walk goes from the start and pairs
    # equal lines as soon as it meets them: the only direction in which a text can be
    # aligned while it is being written.
    table = LcsTable(old[::-1])
    for line in reversed(new):
        table.push(line)
    pairs: list[Pair] = []
    i = j = 0
    n_old, n_new = len(old), len(new)
    while i < n_old and j < n_new:
        if old[i] == new[j]:
            pairs.append((i, j))
            i += 1
            j += 1
        elif table.is_longer_by(n_old - 1 - i, n_new - j):
            j += 1
        else:
            i += 1
    return pairs


def _pairs_if_near(old: Sequence[str], new: Sequence[str]) -> list[Pair] | None:
    """Search with at most `_MAX_DISTANCE` deletions and insertions; None if more."""
    n_old, n_new = len(old), len(new)
    # How far the search got on each diagonal, as an index into the old lines.
    reach = {1: 0}
    history: list[dict[int, int]] = []
    for distance in range(_MAX_DISTANCE + 1):
        history.append(dict(reach))
        for diagonal in range(-distance, distance + 1, 2):
            i, _ = _step(reach, diagonal, n_old, n_new)
            j = i - diagonal
            while 0 <= i < n_old and j < n_new and old[i] == new[j]:
                i += 1
                j += 1
            reach[diagonal] = i
            if i == n_old and j == n_new:
                return _walk_back(history, n_old, n_new)
    return None


_NOWHERE = -(1 << 60)
"""The value for a diagonal that the search cannot be on."""


def _step(
    reach: dict[int, int], diagonal: int, n_old: int, n_new: int
) -> tuple[int, bool]:
    """Return the better of the last two steps to a diagonal.

    Returns:
        The next index into the old lines, and whether the step was an insertion.
    """
    inserted = reach.get(diagonal + 1, _NOWHERE)
    if inserted - diagonal > n_new:
        inserted = _NOWHERE
    deleted = reach.get(diagonal - 1, _NOWHERE) + 1
    if deleted > n_old:
        deleted = _NOWHERE
    return (deleted, False) if deleted > inserted else (inserted, True)


def _walk_back(history: list[dict[int, int]], n_old: int, n_new: int) -> list[Pair]:
    pairs: list[Pair] = []
    i, j = n_old, n_new
    for reach in reversed(history):
        start, is_insertion = _step(reach, i - j, n_old, n_new)
        while i > start:
            i -= 1
            j -= 1
            pairs.append((i, j))
        if is_insertion:
            j -= 1
        else:
            i -= 1
    return pairs[::-1]


def _pairs_by_halves(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    if len(new) < 2 or len(old) * len(new) <= MAX_CELLS:
        return _pairs_by_rows(old, new)
    middle = len(new) // 2
    cut = _best_cut(old, new[:middle], new[middle:])
    head = _pairs_by_halves(old[:cut], new[:middle])
    tail = _pairs_by_halves(old[cut:], new[middle:])
    return head + [(cut + i, middle + j) for i, j in tail]


def _best_cut(old: Sequence[str], head: Sequence[str], tail: Sequence[str]) -> int:
    """Return where to cut the old lines so that the two parts lose no common line."""
    gains = _gains(head, old)
    losses = _gains(tail[::-1], old[::-1])[::-1]
    score = best_score = best = 0
    for cut, (gain, loss) in enumerate(zip(gains, losses, strict=True), start=1):
        score += gain - loss
        if score > best_score:
            best_score, best = score, cut
    return best


def _gains(lines: Sequence[str], across: Sequence[str]) -> list[bool]:
    """Return for each of `across` whether it extends the subsequence with `lines`."""
    rows = LcsRows(across)
    row = rows.first
    for line in lines:
        row = rows.after(row, line)
    return [bit == "0" for bit in f"{row:0{len(across)}b}"[::-1]]


class LcsRows:
    """Computes the next row of the table."""

    def __init__(self, across: Sequence[str]) -> None:
        self.first = (1 << len(across)) - 1
        """The row after zero lines."""
        self._places: dict[str, int] = {}
        for at, line in enumerate(across):
            self._places[line] = self._places.get(line, 0) | 1 << at

    def after(self, row: int, line: str) -> int:
        """Compute the row after one more line."""
        hits = row & self._places.get(line, 0)
        return ((row + hits) | (row - hits)) & self.first


class LcsTable:
    """All rows for lines that arrive one by one."""

    def __init__(self, across: Sequence[str]) -> None:
        self._width = len(across)
        self._rule = LcsRows(across)
        self._rows = [self._rule.first]

    @property
    def n_cells(self) -> int:
        """The current size of the table."""
        return self._width * len(self._rows)

    def push(self, line: str) -> None:
        self._rows.append(self._rule.after(self._rows[-1], line))

    def is_longer_by(self, at: int, n_lines: int) -> bool:
        """Whether `across[at]` extends the subsequence with the first `n_lines`."""
        return not self._rows[n_lines] >> at & 1

    def n_common(self, end: int) -> int:
        """Count the lines common to all pushed lines and `across[:end]`."""
        return end - (self._rows[-1] & ((1 << end) - 1)).bit_count()

    def shortest(self, end: int) -> int:
        """Return the smallest `end` with as many common lines as this one."""
        return (~self._rows[-1] & ((1 << end) - 1)).bit_length()
