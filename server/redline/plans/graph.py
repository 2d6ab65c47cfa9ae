"""The order of a plan's steps: what waits for what, and what may run side by side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from redline.plans.plan import MAX_FILES, MAX_STEPS, Plan, PlanStep
from redline.plans.states import STEP_RESULTS, StepState


def cycle(steps: Sequence[PlanStep]) -> tuple[str, ...]:
    """Return the ids of steps that wait for each other; empty: none do."""
    try:
        tuple(_sorter(steps).static_order())
    except CycleError as error:
        ids: Sequence[str] = error.args[1]
        return tuple(dict.fromkeys(ids))
    return ()


def in_order(steps: Sequence[PlanStep]) -> tuple[PlanStep, ...]:
    """Sort steps so that each comes after those it waits for.

    The steps must have no cycle; otherwise they stay in the given order.
    """
    if cycle(steps):
        return tuple(steps)
    by_id = {step.id: step for step in steps}
    ordered = _sorter(steps).static_order()
    return tuple(by_id[step_id] for step_id in ordered if step_id in by_id)


def next_steps(
    steps: Sequence[PlanStep],
    states: Mapping[str, StepState],
    *,
    n_lanes: int,
) -> tuple[PlanStep, ...]:
    """Return the steps that may begin now.

    Args:
        steps: Those that are carried out.
        states: The state of each; a step that is not in it waits.
        n_lanes: How many steps may be written at once.
    """
    running = [step for step in steps if states.get(step.id) == "writing"]
    begun: list[PlanStep] = []
    ids = {step.id for step in steps}
    for step in steps:
        if len(running) + len(begun) >= n_lanes:
            break
        is_due = states.get(step.id, "waiting") == "waiting" and all(
            states.get(other, "waiting") in STEP_RESULTS
            for other in step.after
            if other in ids
        )
        if is_due and not any(_share(step, other) for other in (*running, *begun)):
            begun.append(step)
    return tuple(begun)


def without_givers(plan: Plan, chosen: Collection[str]) -> tuple[str, ...]:
    """Return the chosen steps that use what only steps that are not chosen give.

    What such a step would call does not exist without the other one.
    """
    left = set(chosen)
    dropped: list[str] = []
    while True:
        missing = {
            name for step in plan.steps if step.id not in left for name in step.gives
        } - {name for step in plan.steps if step.id in left for name in step.gives}
        more = [
            step.id
            for step in plan.steps
            if step.id in left and missing.intersection(step.uses)
        ]
        if not more:
            return tuple(dropped)
        dropped += more
        left -= set(more)


def first_part(plan: Plan) -> tuple[Plan, str]:
    """Cut a plan that is too large to its first steps.

    Returns:
        The plan, and a sentence that says what was cut; empty: nothing.
    """
    ordered = in_order(plan.steps)
    files: set[str] = set()
    chosen: list[PlanStep] = []
    for step in ordered:
        if len(chosen) == MAX_STEPS or len(files | {step.file}) > MAX_FILES:
            break
        chosen.append(step)
        files.add(step.file)
    ids = {step.id for step in chosen}
    if len(ids) == len(plan.steps):
        return plan, ""
    ids -= set(without_givers(plan, ids))
    part = Plan(
        summary=plan.summary,
        assumptions=plan.assumptions,
        questions=plan.questions,
        contracts=tuple(
            one
            for one in plan.contracts
            if any(one.name in step.gives for step in chosen if step.id in ids)
        ),
        steps=tuple(step for step in plan.steps if step.id in ids),
        tests=plan.tests,
    )
    return part, (
        f"The plan has {len(plan.steps)} steps in "
        f"{len({step.file for step in plan.steps})} files; a plan has at most "
        f"{MAX_STEPS} steps in {MAX_FILES} files. These are the first "
        f"{len(part.steps)} steps: plan the rest after they are applied."
    )


def _share(one: PlanStep, other: PlanStep) -> bool:
    """Whether two steps must not run at the same time.

    Steps of one file may if both name a definition, and different ones.
    """
    if not {one.file, one.to or one.file} & {other.file, other.to or other.file}:
        return False
    are_edits = one.kind == other.kind == "edit"
    return not (
        are_edits and one.symbol and other.symbol and one.symbol != other.symbol
    )


def _sorter(steps: Sequence[PlanStep]) -> TopologicalSorter[str]:
    return TopologicalSorter({step.id: step.after for step in steps})
