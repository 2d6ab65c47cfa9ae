"""Routing follows what a user keeps, within bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.routing.conftest import MakeTask

from redline.routing.experience import NO_EXPERIENCE, Experience
from redline.routing.route import route
from redline.settings.tree import RoutingSettings

COUNT = st.integers(min_value=0, max_value=10**6)


def test_nothing_changes_without_edits() -> None:
    assert NO_EXPERIENCE.shift == pytest.approx(0)
    assert NO_EXPERIENCE.reliability == pytest.approx(0.9)
    assert NO_EXPERIENCE.signal is None


@given(COUNT, COUNT)
def test_everything_stays_within_bounds(n_failed: int, n_kept: int) -> None:
    n_all = n_failed + n_kept
    found = Experience(
        n_fast=n_all,
        n_fast_failed=n_failed,
        n_opinions=n_all,
        n_opinions_wrong=n_failed,
    )

    assert -0.3 <= found.shift <= 0.6
    assert 0.75 <= found.reliability <= 0.97


def test_more_failures_make_higher_tiers_likelier() -> None:
    shifts = [Experience(n_fast=60, n_fast_failed=n).shift for n in (0, 9, 15, 60)]

    assert shifts == sorted(shifts)
    assert shifts[0] < -0.1
    assert shifts[1] == pytest.approx(0)
    assert shifts[-1] == 0.6


def test_a_doubtful_task_goes_up_and_the_reason_says_why(task: MakeTask) -> None:
    doubtful = task(instruction="Total them exactly, also with refunds and taxes.")
    often = Experience(n_fast=60, n_fast_failed=40)

    before = route(doubtful, settings=RoutingSettings(), asked=None)
    after = route(doubtful, settings=RoutingSettings(), asked=None, experience=often)

    assert after.score > before.score
    assert any("40 were not kept" in each for each in after.reasons)
    assert "experience" in after.signals
    assert after.boundaries == before.boundaries
