"""The plans of one server: start one, run it, cancel it, reject it.

Every change of a plan is stored before it has an effect, so a plan goes on where it was
after the server is killed.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Any

from msgspec.structs import replace

from redline.assist.debug.case import failure_title, failures_of, gather_case
from redline.assist.debug.diagnosing import Diagnoser
from redline.assist.edit.cost import Cost
from redline.assist.plan.application import PlanApplication
from redline.assist.plan.estimate import estimated_cost
from redline.assist.plan.gathering import gather_plan
from redline.assist.plan.plan_document_files import PlanDocumentFiles
from redline.assist.plan.plan_run import PlanRun
from redline.assist.plan.plan_tools import PlanTools, tier_use
from redline.assist.plan.planned_files import PlanFiles, read_files
from redline.assist.plan.planning import Planner
from redline.assist.testing.plan_tests import PlanTests
from redline.assist.testing.proof import Proved, Prover
from redline.errors import (
    InvalidArgumentsError,
    NoModelError,
    PlanRefusedError,
    PlanStateError,
    RedlineError,
    StoreError,
    UnknownPlanError,
)
from redline.plans.overlay import Overlay
from redline.plans.plan import Plan
from redline.plans.record import (
    PlanKind,
    PlanRecord,
    PlanRequest,
    StepRecord,
    unwritten_steps,
    with_use,
)
from redline.plans.refusals import path_faults, paths_of
from redline.plans.states import PLAN_ENDS, WAITS_FOR_USER, PlanState, may_follow
from redline.routing.route import Tier
from redline.store.review_store import ReviewStore
from redline.store.task import (
    Outcome,
    TaskRoute,
    TaskTimes,
    TaskTokens,
    TaskUsage,
    plain_id,
)
from redline.supervisor import Supervisor
from redline.text.uri import is_file

N_LISTED = 50
"""How many earlier plans are listed after a start."""

_TIERS: tuple[Tier, ...] = ("fast", "standard", "deep")
_BUG = "An internal error of Redline ended it; see the log."
_SERVER_GONE = "It did not finish: the program that ran it ended."
_NOT_DIAGNOSED_AGAIN = (
    "The test still fails with this fix, which is not proved, and the failure could "
    "not be diagnosed again:"
)
_OUTCOMES: dict[PlanState, Outcome] = {"cancelled": "stopped", "failed": "failed"}

logger = logging.getLogger(__name__)

PlanFollower = Callable[[PlanRecord], None]
"""Shows a plan; called on the event loop, so it must not block."""


class Plans:
    """The plans of one server."""

    def __init__(
        self,
        tools: PlanTools,
        store: ReviewStore,
        *,
        documents: PlanDocumentFiles,
        new_id: Callable[[], str] = lambda: secrets.token_hex(6),
    ) -> None:
        """Create an empty list of plans; `resume` adds the stored ones.

        Args:
            tools: What plans work with.
            store: Where they are stored; closed by `aclose`.
            documents: Their documents.
            new_id: Returns an id that no plan has.
        """
        self._tools = tools
        self._store = store
        self._documents = documents
        self._new_id = new_id
        self._records: dict[str, PlanRecord] = {}
        self._followers: list[PlanFollower] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._prover = Prover(
            tools.services.settings, tools.job.documents, tools.services.test_turn
        )
        self._edited: set[str] = set()
        """Plans of which an edit waits for our editor."""
        self._unwanted: set[str] = set()
        """Plans at work that the user has cancelled."""
        self._supervisor = Supervisor()
        self._writing = asyncio.Lock()
        self._news = asyncio.Condition()

    def follow(self, follower: PlanFollower) -> None:
        """Notify a follower of all changes from now on."""
        self._followers.append(follower)

    def plans(self) -> tuple[PlanRecord, ...]:
        """Return those that this server knows, the oldest first."""
        return tuple(sorted(self._records.values(), key=lambda one: one.created_at))

    def plan(self, plan_id: str) -> PlanRecord:
        """Find a plan by its id.

        Raises:
            UnknownPlanError: If there is none.
        """
        try:
            return self._records[plan_id]
        except KeyError:
            raise UnknownPlanError(f"There is no plan {plan_id!r}.") from None

    async def current(self, plan_id: str) -> PlanRecord:
        """Find a plan as it is stored: a server of another window may have changed it.

        If that server is gone in the middle of its work, this one goes on with it.

        Raises:
            UnknownPlanError: If there is none.
            StoreError: If the store cannot be read now.
        """
        if plan_id not in self._tasks:
            stored = await self._store.plan(plan_id)
            if stored is not None and plan_id not in self._tasks:
                self._take(await self._released(stored))
                if not stored.has_ended and stored.state not in WAITS_FOR_USER:
                    await self._take_over(stored.request.roots)
        return self.plan(plan_id)

    async def _released(self, stored: PlanRecord) -> PlanRecord:
        """Remove the mark of an edit whose server has ended."""
        owner = stored.editing
        if owner == self._store.owner:
            is_over = stored.id not in self._edited
        else:
            is_over = bool(owner) and await self._store.is_gone(owner)
        if not is_over:
            return stored
        released = replace(stored, editing="")
        await self._store.claim_plan(stored, released)
        return released

    async def all_current(self, roots: Collection[str]) -> tuple[PlanRecord, ...]:
        """Return the plans of these folders as they are stored, the oldest first.

        Raises:
            StoreError: If the store cannot be read now.
        """
        for record in await self._store.newest_plans(roots, limit=N_LISTED):
            if record.id not in self._tasks:
                self._take(record)
        return self.plans()

    def _take(self, stored: PlanRecord) -> None:
        if self._records.get(stored.id) != stored:
            self._show(stored)

    async def settled(self, plan_id: str) -> PlanRecord:
        """Wait until a plan waits for the user, or has ended."""
        async with self._news:
            await self._news.wait_for(lambda: plan_id not in self._tasks)
        return self.plan(plan_id)

    async def start(self, request: PlanRequest) -> PlanRecord:
        """Store a plan and begin to write it.

        Raises:
            InvalidArgumentsError: If there is nothing to plan, or no folder.
            NoModelError: If no model can plan.
            StoreError: If it cannot be stored now; no plan is started.
        """
        if request.kind == "debug":
            failures = await asyncio.to_thread(failures_of, request)
            request = replace(request, instruction=failure_title(failures[0]))
        if not request.instruction.strip():
            raise InvalidArgumentsError(
                "The instruction is empty.", remedy="Say in words what to do."
            )
        if not request.workspace or not is_file(request.workspace):
            raise InvalidArgumentsError(
                "A plan needs a workspace folder on disk.", remedy="Open a folder."
            )
        await self._tools.job.tiers.ready()
        self._need_models(_tier(request), self._max_cost(request), request.kind)
        record = PlanRecord(
            id=self._new_id(), request=request, created_at=self._tools.job.now()
        )
        await self._store.write(record)
        self._show(record)
        self._begin(record.id)
        return record

    async def run(
        self, plan_id: str, steps: Collection[str] | None = None
    ) -> PlanRecord:
        """Carry out a plan, as its document says now.

        Args:
            plan_id: A plan that waits for the user.
            steps: Ids of the steps to write, on top of what was written before; None:
                all that are not left out or applied, from the files as they are now.

        Raises:
            UnknownPlanError: If there is no such plan.
            PlanStateError: If it does not wait for the user, or has questions.
            InvalidArgumentsError: If its document cannot be read.
            PlanRefusedError: If it does not fit the files as they are now.
            StoreError: If that cannot be stored now.
        """
        record = await self._settled(plan_id)
        assert record.plan is not None
        plan = (await self._documents.read(record)).plan
        if plan.questions:
            raise PlanStateError(
                f"The plan has {len(plan.questions)} open questions.",
                remedy="Answer them in the document and plan again, or delete them.",
            )
        chosen = _chosen(plan, steps, record.applied)
        is_fresh = steps is None or record.state == "planned"
        request = record.request
        planner = Planner(self._tools, PlanFiles(request.roots))
        # Later, files and steps differ as far as the steps have been applied.
        if is_fresh:
            reasons = await planner.refused(_without(plan, record.applied))
        else:
            reasons = path_faults(plan)
        if reasons:
            raise PlanRefusedError(
                f"The plan does not fit the workspace: {' '.join(reasons)}",
                remedy="Nothing was started; correct its document, or plan again.",
            )
        self._need_models("fast", self._max_cost(request))
        found = await read_files(
            PlanFiles(request.roots),
            paths_of(plan),
            documents=self._tools.job.documents(),
            parser=self._tools.services.parser,
        )
        estimate = estimated_cost(plan, found, self._tools.job.tiers)
        self._check_cost(plan_id, estimate, "a run")
        overlay, done = record.overlay, record.steps
        if is_fresh:
            base = {path: file.text for path, file in found.items()}
            overlay = Overlay(base=base)
            done = tuple(one for one in done if one.id in record.applied)
        await self._claim(
            plan_id,
            state="running",
            step="Writing the steps",
            message="",
            plan=plan,
            estimate=estimate,
            chosen=chosen,
            overlay=overlay,
            steps=_step_records(plan, chosen, done),
            findings=(),
            proved="not run",
            began_s=self._tools.job.now(),
            ran_s=None,
        )
        self._begin(plan_id)
        return self.plan(plan_id)

    async def again(self, plan_id: str) -> PlanRecord:
        """Plan the same instruction again, with the answers in the document.

        Raises:
            RedlineError: As `run`.
        """
        record = await self._settled(plan_id)
        assert record.plan is not None
        plan = (await self._documents.read(record)).plan
        request = record.request
        if plan.questions:
            listed = "\n".join(f"- {one}" for one in plan.questions)
            words = f"{request.instruction}\n\nQuestions, and their answers:\n{listed}"
            request = replace(request, instruction=words)
        await self._claim(
            plan_id,
            state="gathering",
            message="",
            request=request,
            is_second_diagnosis=False,
        )
        self._begin(plan_id)
        return self.plan(plan_id)

    async def cancel(self, plan_id: str) -> bool:
        """Cancel a plan; False: it has ended already.

        Raises:
            UnknownPlanError: If there is no such plan.
            PlanStateError: If another server works on it.
            StoreError: If that cannot be stored now.
        """
        record = await self.current(plan_id)
        if record.has_ended:
            return False
        task = self._tasks.get(plan_id)
        if task is not None:
            self._unwanted.add(plan_id)
            task.cancel()
            await asyncio.wait({task})
            if self._tasks.get(plan_id) is task:
                # It had not begun, so nothing in it has ended the plan.
                del self._tasks[plan_id]
                self._unwanted.discard(plan_id)
                await self._end(plan_id, "cancelled", "")
        elif record.state not in WAITS_FOR_USER:
            raise PlanStateError(
                f"The plan is {record.state} in another window or program.",
                remedy="Cancel it there.",
            )
        else:
            await self._claim(plan_id, state="cancelled", step="")
        return self.plan(plan_id).state == "cancelled"

    async def reject(self, plan_id: str) -> PlanRecord:
        """Reject a plan that waits for the user.

        Raises:
            PlanStateError: If it does not.
        """
        await self._settled(plan_id)
        return await self._claim(plan_id, state="rejected", step="")

    @asynccontextmanager
    async def edit(self, plan_id: str) -> AsyncIterator[PlanRecord]:
        """Claim a plan while an editor has an edit of it; other requests are refused,
        also those of other windows.

        Raises:
            PlanStateError: If it is at work, or an editor has an edit of it.
            StoreError: If that cannot be stored now.
        """
        await self.current(plan_id)
        async with self._writing:
            record = self.plan(plan_id)
            if record.state not in WAITS_FOR_USER | PLAN_ENDS:
                raise PlanStateError(f"The plan is {record.state}; wait until it ends.")
            _refuse_edited(record)
            claimed = replace(record, editing=self._store.owner)
            if not await self._store.claim_plan(record, claimed):
                raise PlanStateError(
                    "Another window or program changed the plan at the same moment.",
                    remedy="Nothing was done here; look at the plan as it is now.",
                )
            self._records[plan_id] = claimed
            self._edited.add(plan_id)
        try:
            yield claimed
        finally:
            self._edited.discard(plan_id)
            if self.plan(plan_id).editing:
                # What is not stored now is removed when the plan is read again.
                with suppress(StoreError):
                    await self._change(plan_id, editing="")

    async def applied(self, plan_id: str, found: PlanApplication) -> PlanRecord:
        """Record that a plan, or a part of it, was applied.

        What is left of it waits: for another part, or for stale steps to be written
        again.
        """
        record = self.plan(plan_id)
        steps = tuple(
            replace(one, state="stale") if one.id in found.stale else one
            for one in record.steps
        )
        all_applied = tuple(dict.fromkeys((*record.applied, *found.steps)))
        message = unwritten_steps(replace(record, applied=all_applied, steps=steps))
        state: PlanState = "applied"
        if found.stale or message:
            state = "held"
        elif found.rest.changes():
            state, message = record.state, record.message
        landed = record.landed
        for path, text in found.landed.base.items():
            if path not in landed.base:
                landed = replace(landed, base={**landed.base, path: text})
        landed = replace(
            landed,
            texts={**landed.texts, **found.landed.texts},
            renamed={**landed.renamed, **found.landed.renamed},
        )
        return await self._change(
            plan_id,
            state=state,
            step="",
            message=message,
            editing="",
            applied=all_applied,
            steps=steps,
            overlay=found.rest,
            landed=landed,
            deleted={**record.deleted, **found.deleted},
            deleted_permissions={
                **record.deleted_permissions,
                **found.deleted_permissions,
            },
        )

    async def taken_back(self, plan_id: str) -> PlanRecord:
        """Record that an applied plan was taken back."""
        return await self._change(
            plan_id,
            state="rejected",
            message="It was taken back.",
            editing="",
            landed=Overlay(),
            deleted={},
            deleted_permissions={},
        )

    async def resume(self, roots: Sequence[str]) -> None:
        """Go on with the plans of these folders whose server is gone.

        Raises:
            StoreError: If the store cannot be read now.
        """
        await self._documents.delete(await self._store.forget_old_plans())
        for record in await self._store.newest_plans(roots, limit=N_LISTED):
            self._records.setdefault(record.id, record)
        await self._take_over(roots)

    async def _take_over(self, roots: Sequence[str]) -> None:
        """Go on with what a server that is gone has left behind."""
        for record in await self._store.take_over_plans(roots):
            self._records[record.id] = record
            if record.state in WAITS_FOR_USER:
                self._show(record)
            elif record.request.origin == "editor":
                self._begin(record.id)
            else:
                await self._end(record.id, "failed", _SERVER_GONE)

    async def aclose(self) -> None:
        """Stop all plans; the next start goes on with them. Idempotent."""
        await self._supervisor.aclose()
        await self._store.aclose()

    # One plan at work.

    def _begin(self, plan_id: str) -> None:
        work = self._work(plan_id)
        self._tasks[plan_id] = self._supervisor.start(work, name=f"plan {plan_id}")

    async def _work(self, plan_id: str) -> None:
        try:
            record = self.plan(plan_id)
            is_debug = record.request.kind == "debug"
            if record.state not in ("queued", "gathering", "planning"):
                await self._carry_out(plan_id)
            elif not is_debug:
                await self._write(plan_id)
            if is_debug:
                await self._debug(plan_id)
        except asyncio.CancelledError:
            if plan_id in self._unwanted:
                ending = self._end(plan_id, "cancelled", "")
                await self._supervisor.complete(ending, name="cancel a plan")
            raise
        except RedlineError as error:
            message = f"{error} {error.remedy}".strip()
            record = self.plan(plan_id)
            if record.plan is not None and may_follow(record.state, "planned"):
                # It was being planned again: the earlier plan stays.
                if record.is_second_diagnosis:
                    message = f"{_NOT_DIAGNOSED_AGAIN} {message}"
                is_debug = record.request.kind == "debug"
                await self._end(plan_id, "held" if is_debug else "planned", message)
            else:
                await self._end(plan_id, "failed", message)
        except Exception:  # The supervisor logs it; the plan must still end.
            await self._end(plan_id, "failed", _BUG)
            raise
        finally:
            self._tasks.pop(plan_id, None)
            self._unwanted.discard(plan_id)
            self._supervisor.start(self._announce(), name="announce a plan")

    async def _announce(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _debug(self, plan_id: str) -> None:
        """Diagnose and fix, until the debug waits for the user."""
        while self.plan(plan_id).state in ("queued", "gathering", "planning"):
            await self._diagnose(plan_id)
            if self.plan(plan_id).state == "running":
                await self._carry_out(plan_id)

    async def _diagnose(self, plan_id: str) -> None:
        tools = self._tools
        await tools.job.tiers.ready()
        request = self.plan(plan_id).request
        tier = _tier(request)
        self._need_models(tier, self._max_cost(request), "debug")
        await self._change(plan_id, state="gathering", step="Reading what failed")
        files = PlanFiles(request.roots)
        brief = await gather_case(request, files, tools)
        await self._change(plan_id, state="planning", step="Looking for the cause")
        with self._spending(plan_id, tier) as on_spent:
            found = await Diagnoser(tools, files).diagnose(
                brief,
                tier=tier,
                on_spent=on_spent,
                check_cost=lambda cost: self._check_cost(plan_id, cost, "a debug"),
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
        }
        is_dropped = found.plan is None and self.plan(plan_id).is_second_diagnosis
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
            steps=_step_records(plan, chosen, ()),
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
            record = with_use(self.plan(plan_id), tier_use(tier, cost))
            self._records[plan_id] = record
            spent.append(self._usage(plan_id, tier, cost.tokens, cost.cost, began))

        try:
            yield on_spent
        finally:
            for task in spent:
                self._tools.ledger.record(task)

    async def _write(self, plan_id: str) -> None:
        """Gather and plan."""
        tools = self._tools
        await tools.job.tiers.ready()
        request = self.plan(plan_id).request
        self._need_models(_tier(request), self._max_cost(request))
        await self._change(plan_id, state="gathering", step="Reading related code")
        files = PlanFiles(request.roots)
        brief = await gather_plan(request, files, tools)
        await self._change(plan_id, state="planning", step="Planning")
        tier = _tier(request)
        with self._spending(plan_id, tier) as on_spent:
            planned = await Planner(tools, files).plan(
                brief,
                tier=tier,
                on_spent=on_spent,
                check_cost=lambda cost: self._check_cost(plan_id, cost, "planning"),
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
        )

    async def _store_plan(self, plan_id: str, plan: Plan, **fields: Any) -> None:
        """Store a new plan and its document: nothing of it is written or applied yet.

        What was applied of an earlier plan can still be taken back. (Any: fields of
        the record.)
        """
        before = self.plan(plan_id)
        revision = before.revision + (before.plan is not None)
        await self._documents.write(replace(before, plan=plan, revision=revision))
        unwritten = {
            "plan": plan,
            "revision": revision,
            "chosen": (),
            "steps": _step_records(plan, (), ()),
            "overlay": Overlay(),
            "findings": (),
            "applied": (),
            "began_s": None,
            "ran_s": None,
        }
        await self._change(plan_id, **(unwritten | fields))

    async def _carry_out(self, plan_id: str) -> None:
        await self._tools.job.tiers.ready()
        record = self.plan(plan_id)
        plan = record.plan
        assert plan is not None

        async def change(**fields: Any) -> PlanRecord:  # Any: the record's own.
            return await self._change(plan_id, **fields)

        if record.state in ("joining", "reviewing"):
            # Joined again: what was found is not stored with the steps.
            record = replace(record, state="running")
            self._records[plan_id] = record
        run = PlanRun(
            record,
            plan,
            tools=self._tools,
            change=change,
            max_cost=self._max_cost(record.request),
            prove=self._proof(record.request, plan),
        )
        output = await run.run()
        if output:
            record = self.plan(plan_id)
            again = (
                f"{record.request.instruction}\n\nA fix was tried, and the test still "
                f"fails. It was based on this cause: {record.cause}"
            )
            await self._change(
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

    async def _end(self, plan_id: str, state: PlanState, message: str) -> None:
        try:
            await self._change(plan_id, state=state, message=message, step="")
        except RedlineError as error:
            # Its stored state is unfinished, so the next start goes on with it.
            logger.warning("the end of a plan could not be stored: %s", error)
            record = replace(self.plan(plan_id), state=state, message=message)
            self._show(record)

    async def _change(self, plan_id: str, **fields: Any) -> PlanRecord:
        """Store the next state of a plan, then show it. (Any: its own fields.)

        Raises:
            PlanStateError: If the state may not follow.
            StoreError: If it cannot be stored now.
        """
        async with self._writing:
            record = self._changed(self.plan(plan_id), fields)
            await self._store.write(record)
            self._show(record)
            return record

    async def _claim(self, plan_id: str, **fields: Any) -> PlanRecord:
        """As `_change`, for a plan that waits: of two requests that come at the same
        moment, also in two windows, the second one is refused. (Any: its own fields.)

        Raises:
            PlanStateError: If it waits no longer, or has changed meanwhile.
            StoreError: If it cannot be stored now.
        """
        async with self._writing:
            before = self._waiting(plan_id)
            record = self._changed(before, fields)
            is_first = await self._store.claim_plan(before, record)
            if is_first:
                self._show(record)
                return record
        now = await self.current(plan_id)
        raise PlanStateError(
            f"The plan is {now.state}: another window or program changed it at the "
            "same moment.",
            remedy="Nothing was done here; look at the plan as it is now.",
        )

    def _changed(self, before: PlanRecord, fields: dict[str, Any]) -> PlanRecord:
        record = replace(before, **fields)
        if not may_follow(before.state, record.state):
            raise PlanStateError(
                f"The plan is {before.state}, so it cannot become {record.state}."
            )
        if record.state in PLAN_ENDS and record.ended_at is None:
            record = replace(record, ended_at=self._tools.job.now())
        return record

    def _show(self, record: PlanRecord) -> None:
        self._records[record.id] = record
        for follower in self._followers:
            follower(record)

    async def _settled(self, plan_id: str) -> PlanRecord:
        """Return a plan that waits for the user, once its work has ended."""
        task = self._tasks.get(plan_id)
        if task is not None and self.plan(plan_id).state in WAITS_FOR_USER:
            await asyncio.wait({task})
        await self.current(plan_id)
        return self._waiting(plan_id)

    def _waiting(self, plan_id: str) -> PlanRecord:
        record = self.plan(plan_id)
        if record.state not in WAITS_FOR_USER or plan_id in self._tasks:
            raise PlanStateError(
                f"The plan is {record.state}; wait until it is planned, ready or held."
            )
        _refuse_edited(record)
        return record

    def _max_cost(self, request: PlanRequest) -> float | None:
        if request.max_cost is not None:
            return request.max_cost
        return self._tools.services.settings().plan.max_cost or None

    def _check_cost(self, plan_id: str, estimate: float | None, what: str) -> None:
        """Refuse work that is likely to exceed the limit of a plan.

        Raises:
            PlanStateError: If it is.
        """
        record = self.plan(plan_id)
        limit, spent = self._max_cost(record.request), record.cost or 0.0
        if limit is not None and estimate is not None and spent + estimate > limit:
            raise PlanStateError(
                f"The cost of {what} is estimated at ${estimate:.4f}, ${spent:.4f} is "
                f"spent, and the limit is ${limit:.4f}, so no model was asked.",
                remedy="Plan less at a time, leave steps out, or raise "
                "`plan.max_cost`.",
            )

    def _need_models(
        self, tier: Tier, max_cost: float | None, what: PlanKind = "plan"
    ) -> None:
        """Refuse to plan without a model, or with a limit that cannot be kept."""
        if not self._tools.job.tiers.choose(tier).model.describe().is_model:
            raise NoModelError(
                f"A {what} needs a model, and none is configured.", model=""
            )
        if max_cost is None:
            return
        for each in _TIERS:
            described = self._tools.job.tiers.choose(each).model.describe()
            if described.is_model and described.input_price is None:
                raise InvalidArgumentsError(
                    f"The price of model {described.label} is not known, so a cost "
                    "limit cannot be kept.",
                    remedy="Plan without a limit, or with another model.",
                )

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
            kind=self.plan(plan_id).request.kind,
            tier=tier,
            model=plain_id(label),
            route=TaskRoute(tier=tier),
            times=TaskTimes(
                queued_at=began, ended_s=max(0.0, self._tools.job.now() - began)
            ),
            outcome=_OUTCOMES.get(self.plan(plan_id).state, "shown"),
            tokens=tokens,
            cost=cost,
        )


def _tier(request: PlanRequest) -> Tier:
    return next((tier for tier in _TIERS if tier == request.tier), "deep")


def _refuse_edited(record: PlanRecord) -> None:
    if record.editing:
        raise PlanStateError(
            "The plan is being applied or taken back; its edit waits in the editor.",
            remedy="Confirm or discard it there.",
        )


def _without(plan: Plan, applied: Collection[str]) -> Plan:
    """Return a plan without the steps that the files show already."""
    return replace(
        plan,
        steps=tuple(
            replace(step, after=tuple(one for one in step.after if one not in applied))
            for step in plan.steps
            if step.id not in applied
        ),
    )


def _chosen(
    plan: Plan, steps: Collection[str] | None, applied: Collection[str]
) -> tuple[str, ...]:
    if steps is None:
        chosen = tuple(step.id for step in plan.chosen if step.id not in applied)
    else:
        unknown = [one for one in steps if plan.step(one) is None]
        if unknown:
            raise InvalidArgumentsError(f"The plan has no step {unknown[0]!r}.")
        chosen = tuple(step.id for step in plan.steps if step.id in steps)
    if not chosen:
        raise InvalidArgumentsError("No step of the plan is chosen.")
    return chosen


def _step_records(
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
