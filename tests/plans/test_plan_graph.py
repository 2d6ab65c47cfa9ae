"""The order of steps, and the parts of a plan."""

from __future__ import annotations

import pytest

from redline.plans.graph import (
    cycle,
    first_part,
    in_order,
    next_steps,
    without_givers,
)
from redline.plans.plan import MAX_STEPS, Contract, Plan, PlanStep
from redline.plans.states import StepState


def step(
    step_id: str,
    file: str = "",
    *,
    after: tuple[str, ...] = (),
    symbol: str = "",
    gives: tuple[str, ...] = (),
    uses: tuple[str, ...] = (),
) -> PlanStep:
    """Return a step of a file of its own, unless one is named."""
    return PlanStep(
        id=step_id,
        file=file or f"{step_id}.py",
        instruction="x",
        after=after,
        symbol=symbol,
        gives=gives,
        uses=uses,
    )


def test_steps_that_wait_for_each_other_are_found() -> None:
    """Also a step that waits for itself."""
    assert cycle([step("a"), step("b", after=("a",))]) == ()
    assert set(cycle([step("a", after=("b",)), step("b", after=("a",))])) == {"a", "b"}
    assert cycle([step("a", after=("a",))]) == ("a",)


def test_a_step_comes_after_those_it_waits_for() -> None:
    """The rest keeps a valid order."""
    steps = [step("c", after=("b",)), step("b", after=("a",)), step("a")]
    assert [one.id for one in in_order(steps)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("steps", "states", "begun"),
    [
        ([step("a"), step("b")], {}, "ab"),
        ([step("a"), step("b", after=("a",))], {}, "a"),
        ([step("a"), step("b", after=("a",))], {"a": "writing"}, ""),
        ([step("a"), step("b", after=("a",))], {"a": "checked"}, "b"),
        ([step("a"), step("b", after=("a",))], {"a": "problem"}, "b"),
        ([step("a"), step("b", after=("a",))], {"a": "skipped"}, "b"),
        # A step that is not carried out is not waited for.
        ([step("b", after=("a",))], {}, "b"),
        ([step("a", "x.py"), step("b", "x.py")], {}, "a"),
        ([step("a", "x.py", symbol="f"), step("b", "x.py", symbol="g")], {}, "ab"),
        ([step("a", "x.py", symbol="f"), step("b", "x.py", symbol="f")], {}, "a"),
        ([step("a", "x.py", symbol="f"), step("b", "x.py")], {"a": "writing"}, ""),
        ([step(one) for one in "abcdef"], {}, "abcd"),
        ([step(one) for one in "abcdef"], {"a": "writing", "b": "checked"}, "cde"),
    ],
)
def test_steps_begin_as_soon_as_they_may(
    steps: list[PlanStep], states: dict[str, StepState], begun: str
) -> None:
    """At most four at once, and never two on the same lines."""
    found = next_steps(steps, states, n_lanes=4)
    assert "".join(one.id for one in found) == begun


def test_a_step_without_what_it_uses_is_left_out() -> None:
    """And those that use what it gives."""
    plan = Plan(
        summary="",
        steps=(
            step("a", gives=("f",)),
            step("b", uses=("f",), gives=("g",)),
            step("c", uses=("g",)),
            step("d"),
        ),
    )
    assert without_givers(plan, ["b", "c", "d"]) == ("b", "c")
    assert without_givers(plan, ["a", "b", "d"]) == ()


def test_a_plan_that_is_too_large_is_cut() -> None:
    """To its first steps, which do not use what the others give."""
    names = [f"s{n}" for n in range(MAX_STEPS + 1)]
    small = Plan(summary="", steps=tuple(step(one, "a.py") for one in names[:-1]))
    assert first_part(small) == (small, "")
    steps = [step(one, "a.py") for one in names]
    steps[0] = step("s0", "a.py", uses=("last",))
    steps[-1] = step(names[-1], "a.py", gives=("last",), after=("s1",))
    contract = Contract(name="last", file="a.py", signature="def last()")
    plan, message = first_part(
        Plan(summary="", steps=tuple(steps), contracts=(contract,))
    )
    assert [one.id for one in plan.steps] == names[1:-1]
    assert plan.contracts == ()
    assert "21 steps" in message


def test_a_plan_has_few_files() -> None:
    """A thirteenth file is for the next plan."""
    steps = tuple(step(f"s{n}") for n in range(13))
    plan, message = first_part(Plan(summary="", steps=steps))
    assert len(plan.steps) == 12
    assert "13 files" in message
