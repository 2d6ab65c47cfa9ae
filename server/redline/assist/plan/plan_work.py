"""The work on a plan: planning or diagnosing, and carrying out the steps.

Every change is stored before it has an effect, so the work goes on where it was after
the server is killed.
"""

from __future__ import annotations

from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Sequence,
)
from contextlib import contextmanager
from functools import partial
from typing import Any

from msgspec.structs import replace

from redline.assist.plan.debug.case import gather_case
from redline.assist.plan.debug.diagnosing import Diagnoser
from redline.assist.plan.estimate import estimated_cost
from redline.assist.plan.gathering import gather_plan
from redline.assist.plan.plan_answers import PlanAnswers
from redline.assist.plan.plan_document_files import PlanDocumentFiles
from redline.assist.plan.plan_limits import PlanLimits, tier_of
from redline.assist.plan.plan_records import PlanRecords
from redline.assist.plan.plan_run import PlanRun
from redline.assist.plan.plan_tools import PlanTools, tier_use
from redline.assist.plan.planned_files import PlanFiles, read_files
from redline.assist.plan.planning import Planner
from redline.assist.testing.plan_tests import PlanTests
from redline.assist.testing.proof import Proved, Prover
from redline.assist.tiers.cost import Cost
from redline.plans.overlay import Overlay
from redline.plans.plan import Plan
from redline.plans.record import (
    PlanRecord,
    PlanRequest,
    StepRecord,
    with_use,
)
from redline.plans.refusals import paths_of
from redline.plans.states import PlanState
from redline.routing.route import Tier
from redline.store.task import (
    Outcome,
    TaskRoute,
    TaskTimes,
    TaskTokens,
    TaskUsage,
    plain_id,
)

_OUTCOMES: dict[PlanState, Outcome] = {"cancelled": "stopped", "failed": "failed"}


class PlanWork:
    """Works on the plans of one server."""

    def __init__(
        self,
        tools: PlanTools,
        *,
        records: PlanRecords,
        limits: PlanLimits,
        documents: PlanDocumentFiles,
        answers: Callable[[str], PlanAnswers],
    ) -> None:
        self._tools = tools
        self._answers = answers
        self._records = records
        self._limits = limits
        self._documents = documents
        self._prover = Prover(
            tools.services.settings, tools.job.documents, tools.services.test_turn
        )

    async def run(self, plan_id: str) -> None:
        """Do what is next for a plan, until it waits for the user or has ended.

        Raises:
            RedlineError: If that fails; the plan is as it was stored last.
        """
        record = self._records.plan(plan_id)
        is_debug = record.request.kind == "debug"
        if record.state not in ("queued", "gathering", "planning"):
            await self._carry_out(plan_id)
        elif not is_debug:
            await self._write(plan_id)
        if is_debug:
            await self._debug(plan_id)

    async def _debug(self, plan_id: str) -> None:
        """Diagnose and fix, until the debug waits for the user."""
        while self._records.plan(plan_id).state in ("queued", "gathering", "planning"):
            await self._diagnose(plan_id)
            if self._records.plan(plan_id).state == "running":
                await self._carry_out(plan_id)

    async def _diagnose(self, plan_id: str) -> None:
        tools = self._tools
        await tools.job.tiers.ready()
        request = self._records.plan(plan_id).request
        tier = tier_of(request)
        self._limits.need_models(request)
        await self._records.change(
            plan_id, state="gathering", step="Reading what failed"
        )
        files = PlanFiles(request.roots)
        brief = await gather_case(request, files, tools)
        await self._records.change(
            plan_id, state="planning", step="Looking for the cause"
        )
        with self._spending(plan_id, tier) as on_spent:
            found = await Diagnoser(tools, files, self._answers(plan_id)).diagnose(
                brief,
                tier=tier,
                on_spent=on_spent,
                check_cost=lambda cost: self._limits.check_cost(
                    self._records.plan(plan_id), cost, "a debug"
                ),
            )
        cause = found.diagnosis.cause
        plan = found.plan or Plan(summary="")
        plan = replace(plan, summary=f"{cause}\n\n{plan.summary}".strip())
        read = await read_files(
            files,
            paths_of(plan),
            documents=tools.job.documents(),
            parser=tools.services.parser,
        )
        known = {
            "cause": cause,
            "evidence": found.diagnosis.evidence,
            "confidence": found.diagnosis.confidence,
            "estimate": estimated_cost(plan, read, tools.job.tiers),
            "overlay": Overlay(base={path: file.text for path, file in read.items()}),
            "seen": files.first_seen(read),
        }
        is_dropped = (
            found.plan is None and self._records.plan(plan_id).is_second_diagnosis
        )
        if found.plan is None or plan.questions:
            words = [found.message]
            if is_dropped:
                words = ["The first fix was dropped: the test still fails with it."]
                words.append(found.message)
            if plan.questions:
                words.append(
                    f"The fix has open questions: {' '.join(plan.questions)} Answer "
                    "them in the document and plan again, or delete them and run it."
                )
            await self._store_plan(
                plan_id,
                plan,
                state="held",
                step="",
                message=" ".join(filter(None, words)),
                proved="red" if is_dropped else "not run",
                **known,
            )
            return
        chosen = tuple(step.id for step in plan.chosen)
        await self._store_plan(
            plan_id,
            plan,
            state="running",
            step="Writing the fix",
            message=found.message,
            proved="not run",
            chosen=chosen,
            steps=step_records(plan, chosen, ()),
            began_s=tools.job.now(),
            **known,
        )

    @contextmanager
    def _spending(self, plan_id: str, tier: Tier) -> Iterator[Callable[[Cost], None]]:
        """Yield what receives the cost of each answer; at the end it is recorded."""
        spent: list[TaskUsage] = []
        began = self._tools.job.now()

        def on_spent(cost: Cost) -> None:
            # Stored with the next state, also with that of a failure.
            record = with_use(self._records.plan(plan_id), tier_use(tier, cost))
            self._records.put(record)
            spent.append(self._usage(plan_id, tier, cost.tokens, cost.cost, began))

        try:
            yield on_spent
        finally:
            for task in spent:
                self._tools.ledger.record(task)

    async def _write(self, plan_id: str) -> None:
        tools = self._tools
        await tools.job.tiers.ready()
        request = self._records.plan(plan_id).request
        self._limits.need_models(request)
        await self._records.change(
            plan_id, state="gathering", step="Reading related code"
        )
        files = PlanFiles(request.roots)
        brief = await gather_plan(request, files, tools)
        await self._records.change(plan_id, state="planning", step="Planning")
        tier = tier_of(request)
        with self._spending(plan_id, tier) as on_spent:
            planned = await Planner(tools, files, self._answers(plan_id)).plan(
                brief,
                tier=tier,
                on_spent=on_spent,
                check_cost=lambda cost: self._limits.check_cost(
                    self._records.plan(plan_id), cost, "planning"
                ),
            )
        found = await read_files(
            files,
            paths_of(planned.plan),
            documents=tools.job.documents(),
            parser=tools.services.parser,
        )
        await self._store_plan(
            plan_id,
            planned.plan,
            state="planned",
            step="",
            message=planned.message,
            estimate=estimated_cost(planned.plan, found, tools.job.tiers),
            seen=files.first_seen(found),
        )

    async def _store_plan(self, plan_id: str, plan: Plan, **fields: Any) -> None:
        """Store a new plan and its document: nothing of it is written or applied yet.

        What was applied of an earlier plan can still be taken back. (Any: fields of
        the record.)
        """
        before = self._records.plan(plan_id)
        revision = before.revision + (before.plan is not None)
        await self._documents.write(replace(before, plan=plan, revision=revision))
        unwritten = {
            "plan": plan,
            "revision": revision,
            "chosen": (),
            "steps": step_records(plan, (), ()),
            "overlay": Overlay(),
            "findings": (),
            "applied": (),
            "began_s": None,
            "ran_s": None,
        }
        await self._records.change(plan_id, **(unwritten | fields))

    async def _carry_out(self, plan_id: str) -> None:
        await self._tools.job.tiers.ready()
        record = self._records.plan(plan_id)
        plan = record.plan
        assert plan is not None

        async def change(**fields: Any) -> PlanRecord:  # Any: the record's own.
            return await self._records.change(plan_id, **fields)

        if record.state in ("joining", "reviewing"):
            # Joined again: what was found is not stored with the steps.
            record = replace(record, state="running")
            self._records.put(record)
        run = PlanRun(
            record,
            plan,
            tools=self._tools,
            answers=self._answers(plan_id),
            change=change,
            max_cost=self._limits.max_cost(record.request),
            prove=self._proof(record.request, plan),
        )
        output = await run.run()
        if output:
            record = self._records.plan(plan_id)
            again = (
                f"{record.request.instruction}\n\nA fix was tried, and the test still "
                f"fails. It was based on this cause: {record.cause}"
            )
            await self._records.change(
                plan_id,
                state="planning",
                is_second_diagnosis=True,
                request=replace(record.request, instruction=again, output=output),
            )

    def _proof(
        self, request: PlanRequest, plan: Plan
    ) -> Callable[[Overlay], Awaitable[Proved]] | None:
        """Return what runs the test of a debug, or the tests of a plan."""
        if request.kind == "debug":
            return partial(self._prover.prove, request)
        if plan.tests and self._tools.services.settings().plan.run_tests:
            return partial(PlanTests(self._tools.services).prove, request, plan.tests)
        return None

    def _usage(
        self,
        plan_id: str,
        tier: Tier,
        tokens: TaskTokens,
        cost: float | None,
        began: float,
    ) -> TaskUsage:
        label = self._tools.job.tiers.choose(tier).model.describe().label
        return TaskUsage(
            id=plain_id(plan_id),
            kind=self._records.plan(plan_id).request.kind,
            tier=tier,
            model=plain_id(label),
            route=TaskRoute(tier=tier),
            times=TaskTimes(
                queued_at=began, ended_s=max(0.0, self._tools.job.now() - began)
            ),
            outcome=_OUTCOMES.get(self._records.plan(plan_id).state, "shown"),
            tokens=tokens,
            cost=cost,
        )


def step_records(
    plan: Plan, chosen: Collection[str], done: Sequence[StepRecord]
) -> tuple[StepRecord, ...]:
    """Return the steps of a run: the chosen ones wait, others stay as they are."""
    known = {one.id: one for one in done}
    return tuple(
        StepRecord(id=step.id)
        if step.id in chosen
        else known.get(step.id)
        or StepRecord(id=step.id, state="skipped" if step.is_left_out else "waiting")
        for step in plan.steps
    )
