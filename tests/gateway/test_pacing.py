"""The pace of deltas, by a clock that the test controls."""

from __future__ import annotations

import pytest

from redline.gateway.answers.response_writer import (
    FORGIVEN_S,
    N_BETWEEN_TURNS,
    AnswerPacer,
)


def run(
    pace: AnswerPacer, *, seconds: float, grain_s: float, begin: float = 0.0
) -> int:
    """Return how many deltas are sent by a clock with a coarse resolution."""
    now, n_sent = begin, 0
    while now < begin + seconds:
        pause_s = pace.pause_s(now)
        if pause_s:
            n_grains = -(-(now + pause_s) // grain_s)
            now = max(now + pause_s, n_grains * grain_s)
        n_sent += now < begin + seconds
    return n_sent


@pytest.mark.parametrize("per_s", [10, 1_000, 5_000])
@pytest.mark.parametrize("grain_s", [0.000_001, 0.001, 0.016])
def test_the_pace_holds_whatever_the_grain_of_the_clock(
    per_s: int, grain_s: float
) -> None:
    n_sent = run(AnswerPacer(per_s), seconds=2.0, grain_s=grain_s)
    assert n_sent == pytest.approx(2 * per_s, abs=1 + per_s * grain_s)


def test_the_first_delta_does_not_wait() -> None:
    assert AnswerPacer(1.0).pause_s(100.0) is None


def test_each_delta_has_its_time() -> None:
    pace = AnswerPacer(10.0)
    pace.pause_s(0.0)
    assert pace.pause_s(0.0) == pytest.approx(0.1)
    assert pace.pause_s(0.1) == pytest.approx(0.1)
    assert pace.pause_s(0.35) is None


def test_a_long_pause_is_not_caught_up_with() -> None:
    pace = AnswerPacer(100.0)
    pace.pause_s(0.0)
    n_late = 0
    while pace.pause_s(60.0) in (None, 0.0):
        n_late += 1
    assert n_late == pytest.approx(FORGIVEN_S * 100, abs=1)


def test_without_a_pace_others_still_get_their_turn() -> None:
    pace = AnswerPacer(None)
    pauses = [pace.pause_s(0.0) for _ in range(3 * N_BETWEEN_TURNS)]
    assert pauses.count(0.0) == 3
    assert pauses[N_BETWEEN_TURNS - 1] == 0.0
    assert set(pauses) == {None, 0.0}
