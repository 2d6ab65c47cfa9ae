"""Which errors of a checker are new with an edit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.checks.new_errors import new_errors
from redline.text.line_diff import LineHunk
from redline.traces.checkers import CheckerError

ROWS = st.integers(0, 40)


def errors(*places: str) -> list[CheckerError]:
    """Return errors, each from `path:line:message`, lines from 1."""
    return [
        CheckerError(path=path, line=int(line), message=message)
        for path, line, message in (place.split(":") for place in places)
    ]


def hunk(start: int, end: int, n_lines: int) -> LineHunk:
    return LineHunk(start=start, end=end, lines=("x\n",) * n_lines)


RANGE = hunk(9, 12, 5)
"""Lines 10 to 12 become 10 to 14, as errors count."""


@pytest.mark.parametrize(
    ("before", "after", "new"),
    [
        # Above, in and below the range; what is below moves by two.
        (["a:3:m", "a:11:m", "a:20:m"], ["a:3:m", "a:14:m", "a:22:m"], []),
        (["a:20:m"], ["a:20:m", "a:22:m"], ["a:20:m"]),
        (["a:11:m"], ["a:11:m", "a:12:m"], ["a:12:m"]),
        ([], ["a:11:m"], ["a:11:m"]),
        (["a:11:m"], ["a:11:n"], ["a:11:n"]),
        # An error elsewhere was hidden by the one that is gone, perhaps.
        (["a:11:m"], ["a:30:n", "b:1:n"], []),
        (["a:11:m"], [], []),
        # Another file, whose lines do not move.
        (["b:20:m"], ["b:20:m"], []),
        (["b:20:m"], ["b:20:m", "b:22:m"], ["b:22:m"]),
        # Lines in messages move, too.
        (["a:20:x defined on line 15"], ["a:22:x defined on line 17"], []),
    ],
)
def test_only_new_errors_count(
    before: list[str], after: list[str], new: list[str]
) -> None:
    """By message, and by line as the edit moves it."""
    found = new_errors(errors(*before), errors(*after), path="a", hunks=[RANGE])
    assert found == errors(*new)


@given(
    rows=st.lists(ROWS),
    first=st.integers(0, 9),
    sizes=st.tuples(st.integers(0, 5), st.integers(0, 9)),
    imports=st.integers(0, 3),
)
def test_moved_errors_are_not_new(
    rows: list[int], first: int, sizes: tuple[int, int], imports: int
) -> None:
    """Whatever an edit and its imports move."""
    n_old, n_new = sizes
    hunks = [hunk(0, 0, imports), hunk(first, first + n_old, n_new)]
    rows = [row for row in rows if not first <= row < first + n_old]
    moved = [
        row + imports + (n_new - n_old if row >= first + n_old else 0) for row in rows
    ]
    before = errors(*(f"a:{row + 1}:m" for row in rows))
    after = errors(*(f"a:{row + 1}:m" for row in moved))
    assert new_errors(before, after, path="a", hunks=hunks) == []
    extra = errors("a:1:other")
    assert new_errors(before, [*after, *extra], path="a", hunks=hunks) == extra
