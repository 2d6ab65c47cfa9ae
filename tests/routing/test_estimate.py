"""Probabilities and the score agree, and harder is never easier."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.routing.estimate import Estimate

LOG_ODDS = st.floats(min_value=-50, max_value=50)
ESTIMATES = st.builds(
    Estimate, above_fast=LOG_ODDS, deep=LOG_ODDS, guarded=st.floats(0, 1)
)


@given(ESTIMATES)
def test_the_score_places_the_likeliest_tier(estimate: Estimate) -> None:
    shares = estimate.by_tier

    assert sum(shares.values()) == pytest.approx(1)
    assert min(shares.values()) >= 0
    limits = {"fast": (0, 0.4), "standard": (0.4, 0.7), "deep": (0.7, 1)}
    least, most = limits[estimate.likeliest]
    assert least <= estimate.score <= most


@given(ESTIMATES, st.floats(min_value=0, max_value=20))
def test_more_log_odds_are_never_easier(estimate: Estimate, more: float) -> None:
    harder = estimate.harder(more)

    assert harder.score >= estimate.score - 1e-9
    assert harder.guarded == estimate.guarded
