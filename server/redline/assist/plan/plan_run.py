"""Runs a plan: its steps on lanes, joining, and the review of the whole."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from msgspec.structs import replace

from redline.assist.plan.joining import join
from redline.assist.plan.plan_answers import PlanAnswers
from redline.assist.plan.plan_review import PlanReviewed, review_plan
from redline.assist.plan.plan_tools import PlanTools, tier_use
from redline.assist.plan.planned_files import PlanFiles
from redline.assist.plan.step_runner import StepOutcome, StepRunner
from redline.assist.testing.proof import Proved
from redline.assist.tiers.cost import Cost
from redline.errors import HeldBackError, ModelError, RedlineError
from redline.plans.contracts import JoinProblem
from redline.plans.graph import next_steps
from redline.plans.overlay import Overlay
from redline.plans.plan import Plan, PlanStep
from redline.plans.record import (
    PlanRecord,
    StepProblem,
    StepRecord,
    TierUse,
    unwritten_steps,
    with_step,
    with_use,
)
from redline.store.task import TaskRoute, TaskTimes, TaskUsage, plain_id
from redline.supervisor import Supervisor

_TOO_DEAR = "The cost limit was reached before this step."


class ChangePlan(Protocol):
    """Stores and shows the next state of a plan."""

    async def __call__(self, **fields: Any) -> PlanRecord: ...  # Any: its own fields.


class PlanRun:
    """One run of a plan, which may continue an earlier one."""

    def __init__(
        self,
        record: PlanRecord,
        plan: Plan,
        *,
        tools: PlanTools,
        answers: PlanAnswers,
        change: ChangePlan,
        max_cost: float | None,
        prove: Callable[[Overlay], Awaitable[Proved]] | None = None,
    ) -> None:
        """Continue a run.

        Args:
            record: The plan, in one of the states of a run.
            plan: The same plan.
            tools: What it works with.
            answers: Deletes the answers that are read.
            change: Stores and shows each change, before it has an effect.
            max_cost: US dollars after which no step begins; None: no limit.
            prove: Runs the test of a debug, or the tests of a plan; None: none.
        """
        self._record = record
        self._plan = plan
        self._tools = tools
        self._answers = answers
        self._change_plan = change
        self._max_cost = max_cost
        self._prove_overlay = prove
        self._proved: Proved | None = None
        self._files = PlanFiles(record.request.roots)
        self._runner = StepRunner(
            plan,
            record.overlay,
            kind=record.request.kind,
            seen=record.seen,
            files=self._files,
            tools=tools,
        )
        self._supervisor = Supervisor()
        self._uses = record.uses
        """What the plan took before this run."""
        self._review_uses: tuple[TierUse, ...] = ()

    async def run(self) -> str:
        """Run to the end, which waits for the user. Cancelling is safe.

        Returns:
            The output of a test that still fails and is to be diagnosed again; empty:
            the plan waits for the user.

        Raises:
            RedlineError: If it fails.
        """
        try:
            await self._write_steps()
            await self._change(state="joining", step="Checking the joined steps")
            problems = await join(
                self._written(),
                self._record.overlay,
                files=self._files,
                tools=self._tools,
                snapshots=self._runner.snapshots(),
            )
            await self._take_problems(problems)
            if not self._record.overlay.changes():
                await self._change(
                    state="held", step="", message="No step has changed anything."
                )
                return ""
            await self._prove()
            if output := self._output_to_diagnose():
                return output
            await self._review()
        finally:
            await self._supervisor.aclose()
            await self._runner.aclose()
            # Of answers that were not complete when the plan was cancelled or failed.
            if self._spent() != self._record.uses:
                with suppress(RedlineError):
                    await self._change(uses=self._spent())
        return ""

    # Steps.

    async def _write_steps(self) -> None:
        steps = [step for step in self._plan.steps if step.id in self._record.chosen]
        tasks: dict[asyncio.Task[StepOutcome], PlanStep] = {}
        # A step that was being written when the server ended is written again.
        for one in self._record.steps:
            if one.state == "writing":
                self._note(replace(one, state="waiting"))
        while True:
            begun = self._next(steps)
            if begun:
                for step in begun:
                    self._note(StepRecord(id=step.id, state="writing"))
                await self._change(step=self._progress(steps))
                for step in begun:
                    work = self._runner.run(step)
                    task = self._supervisor.start(work, name=f"step {step.id}")
                    tasks[task] = step
            if not tasks:
                return
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                del tasks[task]
                self._note(task.result().record)
            await self._change(
                overlay=self._runner.overlay,
                uses=self._spent(),
                step=self._progress(steps),
            )

    def _next(self, steps: Sequence[PlanStep]) -> tuple[PlanStep, ...]:
        """Return the steps that begin now; without money they are problems."""
        while True:
            states = {one.id: one.state for one in self._record.steps}
            n_lanes = self._tools.services.settings().plan.parallel
            begun = next_steps(steps, states, n_lanes=n_lanes)
            if not begun or self._may_spend():
                return begun
            for step in begun:
                self._note(StepRecord(id=step.id, state="writing"))
                self._note(StepRecord(id=step.id, state="problem", message=_TOO_DEAR))

    def _may_spend(self) -> bool:
        if self._max_cost is None:
            return True
        spent = replace(self._record, uses=self._spent()).cost
        return (spent or 0.0) < self._max_cost

    def _spent(self) -> tuple[TierUse, ...]:
        record = replace(self._record, uses=self._uses)
        for use in (*self._runner.uses, *self._review_uses):
            record = with_use(record, use)
        return record.uses

    def _progress(self, steps: Sequence[PlanStep]) -> str:
        n_done = sum(
            self._record.step_record(step.id).state not in ("waiting", "writing")
            for step in steps
        )
        return f"{n_done} of {len(steps)} steps are written"

    # The whole.

    async def _take_problems(self, problems: Sequence[JoinProblem]) -> None:
        """Give each problem to the last step of its file, or to one that gives it."""
        for problem in problems:
            step = self._owner(problem)
            if step is None:
                continue
            one = self._record.step_record(step.id)
            found = StepProblem(
                rule=problem.rule, message=problem.message, line=problem.line
            )
            if all(known.message != found.message for known in one.problems):
                self._note(
                    replace(
                        one,
                        state="problem",
                        problems=(*one.problems, found),
                        needs_look=True,
                    )
                )

    def _owner(self, problem: JoinProblem) -> PlanStep | None:
        chosen = [step for step in self._plan.steps if step.id in self._record.chosen]
        of_file = [step for step in chosen if problem.file in (step.file, step.to)]
        givers = [step for step in of_file if problem.name in step.gives]
        # A file that no step edits uses a name that one of them has removed.
        return next(iter([*givers, *of_file[::-1], *chosen[::-1]]), None)

    async def _prove(self) -> None:
        """Run the tests on the overlay as it is now."""
        if self._prove_overlay is not None:
            await self._change(step="Running the tests")
            self._proved = await self._prove_overlay(self._record.overlay)
            await self._change(proved=self._proved.proof)

    def _output_to_diagnose(self) -> str:
        """Return the output of a test that a fix leaves red, if it may be diagnosed
        again."""
        record = self._record
        if self._proved is None or record.request.kind != "debug":
            return ""
        may_retry = not record.is_second_diagnosis and self._may_spend()
        return self._proved.output if may_retry else ""

    async def _review(self) -> None:
        await self._change(state="reviewing", step="Reviewing the whole")
        choice = self._tools.job.tiers.choose("deep")
        message = ""
        reviewed: PlanReviewed | None = None
        if not self._may_spend():
            message = "It is not reviewed: the cost limit was reached."
        elif not choice.model.describe().is_model:
            message = "It is not reviewed: no model fills the deep tier."
        else:
            try:
                reviewed = await self._ask_review()
            except (HeldBackError, ModelError) as error:
                message = f"It is not reviewed: {error}"
        if reviewed is not None:
            message = reviewed.message
            is_fixed = reviewed.overlay != self._record.overlay
            await self._change(overlay=reviewed.overlay, findings=reviewed.findings)
            if is_fixed:
                # What was proved is another text.
                await self._prove()
        reasons = self._reasons(reviewed)
        said = "" if self._proved is None else self._proved.message
        now = self._tools.job.now()
        await self._change(
            state="held" if reasons or message else "ready",
            step="",
            message=" ".join(filter(None, [*reasons, message, said])),
            uses=self._spent(),
            ran_s=None if self._record.began_s is None else now - self._record.began_s,
        )

    async def _ask_review(self) -> PlanReviewed:
        rest = None
        if self._max_cost is not None:
            rest = max(0.0, self._max_cost - (self._record.cost or 0.0))
        return await review_plan(
            self._record,
            self._record.overlay,
            files=self._files,
            tools=self._tools,
            answers=self._answers,
            snapshots=self._runner.snapshots(),
            max_cost=rest,
            on_spent=self._record_review,
        )

    def _record_review(self, spent: Cost) -> None:
        self._review_uses = (*self._review_uses, tier_use("deep", spent))
        now = self._tools.job.now()
        label = self._tools.job.tiers.choose("deep").model.describe().label
        self._tools.ledger.record(
            TaskUsage(
                id=plain_id(self._record.id),
                kind=self._record.request.kind,
                tier="deep",
                model=plain_id(label),
                route=TaskRoute(tier="deep"),
                times=TaskTimes(queued_at=now),
                outcome="shown",
                tokens=spent.tokens,
                cost=spent.cost,
            )
        )

    def _reasons(self, reviewed: PlanReviewed | None) -> list[str]:
        """Return why the plan is held back."""
        record = self._record
        states = {
            step.id: record.step_record(step.id).state
            for step in self._plan.chosen
            if step.id not in record.applied
        }
        bad = [one for one, state in states.items() if state in ("problem", "stale")]
        reasons = []
        if bad:
            verb = "has" if len(bad) == 1 else "have"
            reasons.append(f"{', '.join(bad)} {verb} problems.")
        if unwritten := unwritten_steps(record):
            reasons.append(unwritten)
        if reviewed is not None and reviewed.is_grave:
            reasons.append("The review has grave findings.")
        if self._proved is not None and self._proved.proof == "red":
            is_debug = record.request.kind == "debug"
            reasons.append("The fix is not proved." if is_debug else "Its tests fail.")
        return reasons

    def _written(self) -> Plan:
        """Return the plan with the steps that have a result."""
        record = self._record
        return replace(
            self._plan,
            steps=tuple(
                step
                for step in self._plan.steps
                if record.step_record(step.id).state in ("checked", "problem")
            ),
        )

    def _note(self, step: StepRecord) -> None:
        self._record = with_step(self._record, step)

    async def _change(self, **fields: Any) -> None:
        # Any: the record's own fields.
        fields.setdefault("steps", self._record.steps)
        self._record = await self._change_plan(**fields)
