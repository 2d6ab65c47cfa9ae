"""The longest common subsequence, by each of its three ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redline.text import common_lines as module
from redline.text.common_lines import Pair, common_lines

Way = Callable[[Sequence[str], Sequence[str]], list[Pair]]

some_lines = st.lists(st.sampled_from("abcd"), max_size=12)


def _n_common(old: Sequence[str], new: Sequence[str]) -> int:
    @cache
    def count(i: int, j: int) -> int:
        if i == len(old) or j == len(new):
            return 0
        if old[i] == new[j]:
            return count(i + 1, j + 1) + 1
        return max(count(i + 1, j), count(i, j + 1))

    return count(0, 0)


def _check(pairs: list[Pair], old: Sequence[str], new: Sequence[str]) -> None:
    assert len(pairs) == _n_common(old, new)
    assert all(old[i] == new[j] for i, j in pairs)
    for (i, j), (next_i, next_j) in pairwise(pairs):
        assert i < next_i
        assert j < next_j


@given(some_lines, some_lines)
def test_as_many_lines_as_can_be_are_paired(old: list[str], new: list[str]) -> None:
    """The pairs are equal lines, in order on both sides, and none could be added."""
    _check(common_lines(old, new), old, new)


@pytest.fixture(params=["near", "halves", "near, then halves"])
def small_table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make texts of a few lines too large for the table."""
    way: str = request.param
    monkeypatch.setattr(module, "MAX_CELLS", 6)
    distance = {"near": 100, "halves": -1, "near, then halves": 4}[way]
    monkeypatch.setattr(module, "_MAX_DISTANCE", distance)
    return way


@pytest.mark.usefixtures("small_table")
class TestLargeTexts:
    """What is too large for one table is still exact."""

    @given(some_lines, some_lines)
    @example(old=list("a"), new=list("a" * 12))
    @example(old=list("abcabba"), new=list("cbabac"))
    def test_as_many_lines_as_can_be_are_paired(
        self, old: list[str], new: list[str]
    ) -> None:
        """Myers' search and the halves find as much as the table does."""
        _check(common_lines(old, new), old, new)
