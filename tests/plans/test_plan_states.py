"""The states of plans and steps: each cell of the tables."""

from __future__ import annotations

from itertools import product
from typing import get_args

from redline.plans.states import (
    PLAN_ENDS,
    PLAN_SUCCESSORS,
    STEP_SUCCESSORS,
    WAITS_FOR_USER,
    PlanState,
    StepState,
    may_follow,
    step_may_follow,
)

STATES: tuple[PlanState, ...] = get_args(PlanState)
STEP_STATES: tuple[StepState, ...] = get_args(StepState)


def test_the_tables_have_a_row_for_each_state() -> None:
    """No state is without successors by mistake."""
    assert set(PLAN_SUCCESSORS) == set(STATES)
    assert set(STEP_SUCCESSORS) == set(STEP_STATES)


def test_a_plan_moves_only_as_the_table_says() -> None:
    """Each cell, present or absent; a state may stay."""
    for one, other in product(STATES, STATES):
        assert may_follow(one, other) == (one == other or other in PLAN_SUCCESSORS[one])
    for here, there in product(STEP_STATES, STEP_STATES):
        is_listed = here == there or there in STEP_SUCCESSORS[here]
        assert step_may_follow(here, there) == is_listed


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
