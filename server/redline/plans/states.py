"""The states of a plan, as a table, and those of its steps.

Theory of operation. A plan is written (`gathering`, `planning`), waits for the user
(`planned`), is carried out on an overlay (`running`, `joining`, `reviewing`), waits
again (`ready`, or `held` if something is wrong with it), and is applied or rejected as
a whole. Nothing of the user's changes before `applied`. After a restart, a plan at work
goes on from its last stored step, and one that waits still waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

PlanState = Literal[
    "queued",
    "gathering",
    "planning",
    "planned",
    "running",
    "joining",
    "reviewing",
    "ready",
    "held",
    "applied",
    "rejected",
    "cancelled",
    "failed",
]

StepState = Literal["waiting", "writing", "checked", "problem", "stale", "skipped"]

_States = frozenset[PlanState]

PLAN_SUCCESSORS: Mapping[PlanState, frozenset[PlanState]] = {
    "queued": _States({"gathering", "cancelled", "failed"}),
    # A plan that cannot be made again stays as it was.
    "gathering": _States({"planning", "planned", "held", "cancelled", "failed"}),
    # After a kill, what is shown to the planner is gathered again.
    # A debug runs its fix without a question; a guess has none, and is held.
    "planning": _States(
        {"planned", "running", "held", "gathering", "cancelled", "failed"}
    ),
    # A run, or the same instruction planned again.
    "planned": _States({"running", "gathering", "rejected", "cancelled", "failed"}),
    "running": _States({"joining", "cancelled", "failed"}),
    # A fix with which the test still fails is diagnosed again, once.
    "joining": _States({"reviewing", "planning", "held", "cancelled", "failed"}),
    "reviewing": _States({"ready", "held", "cancelled", "failed"}),
    # Stale steps are written again.
    # `held` after a part was applied and other steps were found to be stale.
    "ready": _States(
        {"held", "applied", "running", "gathering", "rejected", "cancelled", "failed"}
    ),
    "held": _States(
        {"applied", "running", "gathering", "rejected", "cancelled", "failed"}
    ),
    # Taken back.
    "applied": frozenset({"rejected"}),
    "rejected": frozenset(),
    "cancelled": frozenset(),
    "failed": frozenset(),
}
"""The states that may follow each state."""

WAITS_FOR_USER: frozenset[PlanState] = frozenset({"planned", "ready", "held"})
PLAN_ENDS: frozenset[PlanState] = frozenset(
    {"applied", "rejected", "cancelled", "failed"}
)
STEP_RESULTS: frozenset[StepState] = frozenset({"checked", "problem", "skipped"})
"""The states in which the steps after a step may begin."""


def may_follow(state: PlanState, following: PlanState) -> bool:
    """Whether a plan may go from one state to another; it may stay in its state."""
    return following == state or following in PLAN_SUCCESSORS[state]
