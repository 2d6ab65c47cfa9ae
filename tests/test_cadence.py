"""Regular steps keep their rate, though each comes late."""

from __future__ import annotations

from itertools import cycle, pairwise

import pytest

from redline.cadence import next_due

GAP_S = 1 / 30


@pytest.mark.parametrize("late_s", [(0.0,), (0.002,), (0.001, 0.02, 0.0)])
def test_late_timers_do_not_lower_the_rate(late_s: tuple[float, ...]) -> None:
    """300 steps take ten seconds."""
    due = next_due(0.0, 100.0, GAP_S)
    for late in [late for late, _ in zip(cycle(late_s), range(300), strict=False)]:
        due = next_due(due, due + late, GAP_S)
    assert due == pytest.approx(110.0 + GAP_S)


def test_an_early_step_moves_the_following_ones() -> None:
    """A whole gap follows it, and no more."""
    assert next_due(6.0, 5.0, GAP_S) == 5.0 + GAP_S


def test_missed_steps_are_not_made_up_for() -> None:
    """After a pause, whole gaps follow again."""
    due = next_due(5.0, 7.0, GAP_S)
    later = [due]
    for _ in range(3):
        later.append(next_due(later[-1], later[-1], GAP_S))
    assert later[0] == pytest.approx(7.0 + GAP_S)
    assert [b - a for a, b in pairwise(later)] == pytest.approx([GAP_S] * 3)
