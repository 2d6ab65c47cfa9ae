"""Counting what dips and jumps, in frames that are written down here."""

from __future__ import annotations

import pytest
from tests.editors.vscode.frames import (
    Frame,
    Line,
    count_bare,
    count_detours,
    count_dips,
    count_jumps,
)

BASE = "one\ntwo\n"


def frame(*texts: str, top: int = 0, gap_at: int = 99) -> Frame:
    """A frame with lines; `+` marks one, and `~` is before what is painted at its end.

    Above line `gap_at`, something else takes the height of a line.
    """
    lines = []
    for at, each in enumerate(texts):
        text, _, gone = each.partition("~")
        place = top + 10 * (at + (at >= gap_at))
        is_marked = text.startswith("+")
        text = text.removeprefix("+")
        lines.append(
            Line(number=at + 1, text=text, top=place, is_marked=is_marked, gone=gone)
        )
    return Frame(lines=tuple(lines), height=10)


STEADY = (frame("one", "two"), frame("one", "+new", "two~old"), frame("one", "new"))


def test_a_steady_edit() -> None:
    """A line that comes moves those below it: nothing dips or jumps."""
    assert count_dips(STEADY) == count_jumps(STEADY) == count_bare(STEADY, BASE) == 0


@pytest.mark.parametrize(
    ("dips", "frames"),
    [
        (1, ("+new", "new", "+new")),
        (2, ("+new~old", "+new", "+new", "+new~old")),
        (0, ("+n", "+ne", "+new")),
        (0, ("+new", "new", "new")),
    ],
)
def test_dips(dips: int, frames: tuple[str, ...]) -> None:
    """What is gone for good is no dip."""
    assert count_dips([frame(each) for each in frames]) == dips


@pytest.mark.parametrize(
    ("jumps", "frames"),
    [
        (1, (frame("one"), frame("one", top=16), frame("one", top=16))),
        (2, (frame("one"), frame("one", top=16), frame("one"))),
        (2, (frame("one", "two"), frame("one", "two", gap_at=1), frame("one", "two"))),
    ],
)
def test_jumps(jumps: int, frames: tuple[Frame, ...]) -> None:
    """Scrolling, and a row that is no line, as that of a code lens."""
    assert count_jumps(frames) == jumps


def test_bare_lines() -> None:
    """A line that came without its mark; not after it was accepted."""
    frames = [frame("one", "new"), frame("one", "+new"), frame("one", "new")]
    assert count_bare(frames, BASE) == 1


@pytest.mark.parametrize(
    ("detours", "places"),
    [(0, (2, 2, 2)), (0, (2, 3, 5)), (0, (5, 3, 2)), (2, (2, 3, 4, 2)), (1, (3, 2, 4))],
)
def test_detours(detours: int, places: tuple[int, ...]) -> None:
    """A line below an edit goes straight to its place, or there and back."""
    frames = [frame(*["above"] * (place - 1), "below") for place in places]
    assert count_detours(frames, "below") == detours
