"""The table of the longest common subsequence, against the textbook's."""

from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from redline.text.common_lines import LcsTable

some_lines = st.lists(st.sampled_from("abc"), max_size=9)


def _n_common(old: list[str], new: list[str]) -> int:
    @cache
    def count(i: int, j: int) -> int:
        if not i or not j:
            return 0
        if old[i - 1] == new[j - 1]:
            return count(i - 1, j - 1) + 1
        return max(count(i - 1, j), count(i, j - 1))

    return count(len(old), len(new))


@given(some_lines, some_lines)
def test_every_cell_is_the_textbooks(old: list[str], new: list[str]) -> None:
    """After each pushed line, each prefix has the right number of common lines."""
    table = LcsTable(old)
    for n_pushed in range(len(new) + 1):
        lengths = [_n_common(old[:end], new[:n_pushed]) for end in range(len(old) + 1)]
        for end, length in enumerate(lengths):
            assert table.n_common(end) == length
            assert table.shortest(end) == lengths.index(length)
        for at in range(len(old)):
            is_longer = lengths[at + 1] > lengths[at]
            assert table.is_longer_by(at, n_pushed) == is_longer
        if n_pushed < len(new):
            table.push(new[n_pushed])


def test_its_size_counts_all_rows() -> None:
    """The size is the width times the rows, the empty row included."""
    table = LcsTable(["a", "b", "c"])
    table.push("a")
    assert table.n_cells == 6
