"""The states of plans: what may follow what."""

from __future__ import annotations

from typing import get_args

from redline.plans.states import (
    PLAN_ENDS,
    PLAN_SUCCESSORS,
    WAITS_FOR_USER,
    PlanState,
    may_follow,
)

STATES: tuple[PlanState, ...] = get_args(PlanState)


def test_the_tables_have_a_row_for_each_state() -> None:
    """No state is without successors by mistake."""
    assert set(PLAN_SUCCESSORS) == set(STATES)


def test_a_plan_that_was_killed_is_planned_again() -> None:
    """From the start: what was shown to the planner is not stored."""
    for state in ("queued", "gathering", "planning"):
        assert may_follow(state, "gathering")


def test_a_plan_that_runs_is_not_planned_again() -> None:
    """Its steps would be lost."""
    for state in ("running", "joining", "reviewing"):
        assert not may_follow(state, "gathering")


def test_nothing_is_applied_without_the_user() -> None:
    """Only a plan that waits for the user becomes applied."""
    before = {state for state in STATES if "applied" in PLAN_SUCCESSORS[state]}
    assert before == {"ready", "held"} <= WAITS_FOR_USER


def test_a_plan_can_be_cancelled_until_it_ends() -> None:
    """Also while it waits for the user."""
    for state in set(STATES) - PLAN_ENDS:
        assert {"cancelled", "failed"} <= PLAN_SUCCESSORS[state]


def test_an_end_stays() -> None:
    """Except that an applied plan can be taken back."""
    left = {state for state in PLAN_ENDS if PLAN_SUCCESSORS[state]}
    assert left == {"applied"}
