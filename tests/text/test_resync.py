"""Finding where two texts meet again."""

from __future__ import annotations

import pytest

from redline.text.resync import LineIndex, Resync

OLD = [
    "def area(width, height):\n",
    "    check(width)\n",
    "    check(height)\n",
    "\n",
    "    return width * height\n",
    "\n",
    "def check(value):\n",
    "    assert value\n",
    "\n",
    "    return width * height\n",
]


def _met_after(new: list[str], start: int) -> tuple[int, int] | None:
    """Count the new lines that it takes to meet, and the old lines passed then."""
    search = Resync(LineIndex(OLD), start)
    for n_fed, line in enumerate(new, start=1):
        met = search.feed(line)
        if met is not None:
            return n_fed, met
    return None


CASES: list[tuple[str, list[int | str], int, tuple[int, int] | None]] = [
    ("a line that stands once, close by", ["x", 2], 1, (2, 3)),
    ("a line that stands once, at the very place", ["x", 1], 1, (2, 2)),
    ("a line that stands twice, close by", ["x", 4], 4, (2, 5)),
    ("a blank line says too little", ["x", 3], 3, None),
    ("a blank line and its neighbour", ["x", 3, 4], 3, (3, 5)),
    ("far away one line is not enough", ["x", 7], 0, None),
    ("but a run is", ["x", 6, 7], 0, (3, 8)),
    ("a broken run is not", ["x", 6, "y", 7], 0, None),
    ("nothing before the start is met", ["x", 0, 1, 2], 5, None),
    ("a run at the end of the old text ends there", ["x", 9, "y"], 9, (2, 10)),
    ("unknown lines meet nothing", ["x", "y", "z"], 0, None),
]


@pytest.mark.parametrize(
    ("new", "start", "expected"),
    [pytest.param(*case[1:], id=case[0]) for case in CASES],
)
def test_meeting(
    new: list[int | str], start: int, expected: tuple[int, int] | None
) -> None:
    """A number is that old line; the search starts at `start`."""
    lines = [OLD[line] if isinstance(line, int) else f"{line}\n" for line in new]
    assert _met_after(lines, start) == expected


def test_lines_of_an_open_run_are_counted() -> None:
    """The longest run that is not believed yet says how many lines are undecided."""
    search = Resync(LineIndex(OLD), 0)
    counts = []
    for line in ["x\n", OLD[5], OLD[6], "y\n"]:
        search.feed(line)
        counts.append(search.n_open)
    assert counts == [0, 1, 2, 0]


def test_far_places_of_a_common_line_are_not_followed() -> None:
    """The work for one line is bounded however often it stands in the old text."""
    index = LineIndex(["\n"] * 1000 + ["far\n"])
    assert index.places("\n", 10, 3) == [10, 11, 12]
    assert index.places("far\n", 10, 3) == [1000]
    assert index.places("near\n", 10, 3) == []
