"""What stands around a region: the nearest whole lines that the budget allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from hypothesis import given
from hypothesis import strategies as st

from redline.prompts.surrounding_lines import (
    SurroundingLines,
    gather_surrounding_lines,
)
from redline.text.lines import split_lines, with_line_feeds

LINES = st.text(st.sampled_from("aé€\U0001f600\n\n\n\r\x0c\u2028"), max_size=60).map(
    split_lines
)


class CountingLines(Sequence[str]):
    """Lines that count how much of them is read."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self.n_read = 0

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        taken = self._lines[at]
        self.n_read += 1 if isinstance(at, int) else len(taken)
        return taken


def n_bytes(line: str) -> int:
    return len(line.encode())


def size(lines: Sequence[str]) -> int:
    return len("".join(lines).encode())


def longest(lines: Sequence[str], budget: int) -> int:
    """Count the leading lines that fit."""
    return max(n for n in range(len(lines) + 1) if size(lines[:n]) <= budget)


def naive(lines: Sequence[str], first: int, end: int, budget: int) -> SurroundingLines:
    """Two thirds go to what is above, the rest below, what is left above again."""
    above, below = list(reversed(lines[:first])), list(lines[end:])
    n_above = longest(above, int(budget * 2 / 3))
    n_below = longest(below, budget - size(above[:n_above]))
    n_above = longest(above, budget - size(below[:n_below]))
    return SurroundingLines(
        before=with_line_feeds(reversed(above[:n_above])),
        after=with_line_feeds(below[:n_below]),
        shown=range(first - n_above, end + n_below),
        is_whole_file=n_above == len(above) and n_below == len(below),
        n_tokens=size(above[:n_above]) + size(below[:n_below]),
    )


@given(lines=LINES, data=st.data(), budget=st.integers(0, 90))
def test_the_nearest_lines_are_taken(
    lines: list[str], data: st.DataObject, budget: int
) -> None:
    """As a naive search finds them, whole, within the budget."""
    first = data.draw(st.integers(0, len(lines)))
    end = data.draw(st.integers(first, len(lines)))
    around = gather_surrounding_lines(lines, first, end, budget=budget, count=n_bytes)
    assert around == naive(lines, first, end, budget)


def test_no_more_is_read_than_the_budget() -> None:
    """The cost does not depend on the file's size."""
    lines = CountingLines(["x = 1\n"] * 100_000)
    around = gather_surrounding_lines(lines, 50_000, 50_010, budget=600, count=len)
    assert around.before.count("\n") + around.after.count("\n") == 100
    assert not around.is_whole_file
    # Once to count and once to take; and one line more on each side, to see that it
    # does not fit, and again above.
    assert lines.n_read <= 203


def test_all_of_a_small_file_is_taken() -> None:
    """What one side does not use the other may."""
    lines = [*["a\n"] * 9, "target\n", "b"]
    around = gather_surrounding_lines(lines, 9, 10, budget=19, count=len)
    assert around == SurroundingLines(
        before="a\n" * 9,
        after="b",
        shown=range(11),
        is_whole_file=True,
        n_tokens=19,
    )
    part = gather_surrounding_lines(lines, 9, 10, budget=18, count=len)
    assert not part.is_whole_file
    assert part.shown == range(1, 11)
