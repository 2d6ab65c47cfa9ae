"""The minimal line diff."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redline.text import common_lines
from redline.text.line_diff import LineHunk, apply_hunks, diff_lines

some_lines = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c\r\n", "a"]), max_size=12)

Change = tuple[int, int, str]
"""Start, end and the new lines, a letter each."""


def _n_kept(old: Sequence[str], hunks: Sequence[LineHunk]) -> int:
    return len(old) - sum(hunk.end - hunk.start for hunk in hunks)


def _n_common(old: Sequence[str], new: Sequence[str]) -> int:
    @cache
    def count(i: int, j: int) -> int:
        if i == len(old) or j == len(new):
            return 0
        if old[i] == new[j]:
            return count(i + 1, j + 1) + 1
        return max(count(i + 1, j), count(i, j + 1))

    return count(0, 0)


@given(some_lines, some_lines)
def test_applying_the_diff_gives_the_new_lines(old: list[str], new: list[str]) -> None:
    """The hunks say all there is to change."""
    assert apply_hunks(old, diff_lines(old, new)) == new


@given(some_lines, some_lines)
def test_as_many_lines_as_can_be_are_kept(old: list[str], new: list[str]) -> None:
    """The number of kept lines is that of the longest common subsequence."""
    assert _n_kept(old, diff_lines(old, new)) == _n_common(old, new)


@given(some_lines, some_lines)
def test_hunks_are_apart_and_late(old: list[str], new: list[str]) -> None:
    """Hunks are in order with kept lines between them, and could not start later."""
    _check_shape(old, diff_lines(old, new))


@given(some_lines, some_lines)
@example(list("dbd"), list("adbb"))
def test_texts_too_large_for_the_table(old: list[str], new: list[str]) -> None:
    """The hunks of halves that were diffed apart are put together as well as others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common_lines, "MAX_CELLS", 1)
        patch.setattr(common_lines, "_MAX_DISTANCE", -1)
        hunks = diff_lines(old, new)
    assert apply_hunks(old, hunks) == new
    assert _n_kept(old, hunks) == _n_common(old, new)
    _check_shape(old, hunks)


def _check_shape(old: Sequence[str], hunks: Sequence[LineHunk]) -> None:
    for hunk in hunks:
        assert 0 <= hunk.start <= hunk.end <= len(old)
        assert hunk.start < hunk.end or hunk.lines
        changed = [*old[hunk.start : hunk.end], *hunk.lines]
        is_pure = hunk.start == hunk.end or not hunk.lines
        assert not (is_pure and changed[0] == "".join(old[hunk.end : hunk.end + 1]))
    for upper, lower in pairwise(hunks):
        assert upper.end < lower.start


CASES: list[tuple[str, str, str, list[Change]]] = [
    ("nothing changed", "abc", "abc", []),
    ("both empty", "", "", []),
    ("from nothing", "", "ab", [(0, 0, "ab")]),
    ("to nothing", "ab", "", [(0, 2, "")]),
    ("all replaced", "ab", "xyz", [(0, 2, "xyz")]),
    ("one line replaced", "abc", "axc", [(1, 2, "x")]),
    ("inserted at the start", "ab", "xab", [(0, 0, "x")]),
    ("inserted at the end", "ab", "abx", [(2, 2, "x")]),
    ("deleted in the middle", "abcd", "ad", [(1, 3, "")]),
    ("two hunks", "abcde", "xbcdy", [(0, 1, "x"), (4, 5, "y")]),
    ("a repeated line starts late", "a-b", "a-x-b", [(2, 2, "x-")]),
    ("a doubled line is added last", "ab", "aab", [(1, 1, "a")]),
    ("a doubled line is removed last", "aab", "ab", [(1, 2, "")]),
    ("kept lines stand together", "A-B-C", "X-C", [(0, 3, "X")]),
    ("so do they in the new text", "X-C", "A-B-C", [(0, 1, "A-B")]),
    ("three join", "a-b-c-d", "-d", [(0, 5, "")]),
    ("joined downwards", "baab", "aba", [(0, 2, ""), (4, 4, "a")]),
    ("moved", "abcX", "Xabc", [(0, 0, "X"), (3, 4, "")]),
]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [pytest.param(*case[1:], id=case[0]) for case in CASES],
)
def test_choice_among_minimal_diffs(old: str, new: str, expected: list[Change]) -> None:
    """Each letter is a line; the hunks are the ones that people would draw."""
    hunks = diff_lines(old, new)
    assert [(h.start, h.end, "".join(h.lines)) for h in hunks] == expected


def test_line_ends_count() -> None:
    """Another line end is another line, so that applying is exact."""
    assert diff_lines(["a\r\n", "b"], ["a\n", "b\n"]) == [
        LineHunk(start=0, end=2, lines=("a\n", "b\n"))
    ]


def test_hundreds_of_lines() -> None:
    """A longer text is diffed as minimally as a short one."""
    old = [str(n * n % 97) for n in range(400)]
    new = [str(n * n % 89) for n in range(400)]
    hunks = diff_lines(old, new)
    assert apply_hunks(old, hunks) == new
    assert _n_kept(old, hunks) == _n_common_rows(old, new)


def _n_common_rows(old: Sequence[str], new: Sequence[str]) -> int:
    row = [0] * (len(old) + 1)
    for line in new:
        last, row = row, [0]
        for i, other in enumerate(old):
            row.append(last[i] + 1 if line == other else max(last[i + 1], row[i]))
    return row[-1]
