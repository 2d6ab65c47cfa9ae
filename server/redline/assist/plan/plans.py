"""The plans of one server: start one, run it, cancel it, reject it.

Every change of a plan is stored before it has an effect, so a plan goes on where it was
after the server is killed.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import (
    Collection,
    Sequence,
)
from contextlib import suppress

from msgspec.structs import replace

from redline.assist.plan.application import shown_of_sent
from redline.assist.plan.estimate import estimated_cost
from redline.assist.plan.plan_answers import PlanAnswers
from redline.assist.plan.plan_document_files import PlanDocumentFiles
from redline.assist.plan.plan_limits import PlanLimits
from redline.assist.plan.plan_records import PlanRecords
from redline.assist.plan.plan_tools import PlanTools
from redline.assist.plan.plan_work import PlanWork, step_records
from redline.assist.plan.planned_files import PlanFiles, read_files
from redline.assist.plan.planning import Planner
from redline.assist.review.job.unwanted_answers import DELETE_LIMIT_S, UnwantedAnswers
from redline.assist.testing.output_failures import failure_title, failures_of
from redline.errors import (
    InvalidArgumentsError,
    PlanRefusedError,
    PlanStateError,
    RedlineError,
    StoreError,
)
from redline.plans.overlay import Overlay
from redline.plans.plan import Plan
from redline.plans.record import (
    PlanRecord,
    PlanRequest,
    SentEdit,
)
from redline.plans.refusals import path_faults, paths_of
from redline.plans.states import WAITS_FOR_USER, may_follow
from redline.store.review_store import ReviewStore
from redline.supervisor import Supervisor
from redline.text.uri import is_file

N_LISTED = 50
"""How many earlier plans are listed after a start."""

_BUG = "An internal error of Redline ended it; see the log."
_SERVER_GONE = "It did not finish: the program that ran it ended."
_NOT_DIAGNOSED_AGAIN = (
    "The test still fails with this fix, which is not proved, and the failure could "
    "not be diagnosed again:"
)
logger = logging.getLogger(__name__)


class Plans:
    """The plans of one server."""

    def __init__(
        self,
        tools: PlanTools,
        store: ReviewStore,
        *,
        documents: PlanDocumentFiles,
    ) -> None:
        """Create an empty list of plans; `resume` adds the stored ones."""
        self._tools = tools
        self._store = store
        self._documents = documents
        self.records = PlanRecords(
            store, now=tools.job.now, is_at_work=lambda plan_id: plan_id in self._tasks
        )
        self._limits = PlanLimits(tools)
        self._unwanted_answers = UnwantedAnswers(store, tools.job.tiers)
        self._work = PlanWork(
            tools,
            records=self.records,
            limits=self._limits,
            documents=documents,
            answers=self._answers,
        )
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._unwanted: set[str] = set()
        """Plans at work that the user has cancelled."""
        self._supervisor = Supervisor()
        self._news = asyncio.Condition()

    async def current(self, plan_id: str) -> PlanRecord:
        """Find a plan as it is stored: a server of another window may have changed it.

        If that server is gone in the middle of its work, this one goes on with it.

        Raises:
            UnknownPlanError: If there is none.
            StoreError: If the store cannot be read now.
        """
        if plan_id not in self._tasks and await self.records.is_stored(plan_id):
            stored = await self._store.plan(plan_id)
            if stored is not None and plan_id not in self._tasks:
                self.records.take(await self.records.released(stored))
                await self._record_landed(plan_id)
                if not stored.has_ended and stored.state not in WAITS_FOR_USER:
                    await self._take_over(stored.request.roots)
        return self.records.plan(plan_id)

    async def _record_landed(self, plan_id: str) -> None:
        """Record an edit that the files show, and whose server has ended before it
        could do that."""
        record = self.records.plan(plan_id)
        if record.editing or not record.sent.landed.changes():
            return
        documents = self._tools.job.documents()
        found = await asyncio.to_thread(shown_of_sent, record, documents)
        if found.files:
            # Otherwise a later request does it, or another window at this moment.
            with suppress(PlanStateError, StoreError):
                async with self.records.edit(plan_id):
                    await self.records.applied(plan_id, found)

    async def all_current(self, roots: Collection[str]) -> tuple[PlanRecord, ...]:
        """Return the plans of these folders as they are stored, the oldest first.

        Raises:
            StoreError: If the store cannot be read now.
        """
        unstored = self.records.unstored
        for record in await self._store.newest_plans(roots, limit=N_LISTED):
            if record.id not in (*self._tasks, *unstored):
                self.records.take(record)
        return self.records.plans()

    async def settled(self, plan_id: str) -> PlanRecord:
        """Wait until a plan waits for the user, or has ended."""
        async with self._news:
            await self._news.wait_for(lambda: plan_id not in self._tasks)
        return self.records.plan(plan_id)

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
        self._limits.need_models(request)
        record = PlanRecord(
            id=secrets.token_hex(6), request=request, created_at=self._tools.job.now()
        )
        await self._store.write(record)
        self.records.show(record)
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
        planner = Planner(self._tools, PlanFiles(request.roots), self._answers(plan_id))
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
        self._limits.need_models(request, "fast")
        found = await read_files(
            PlanFiles(request.roots),
            paths_of(plan),
            documents=self._tools.job.documents(),
            parser=self._tools.services.parser,
        )
        estimate = estimated_cost(plan, found, self._tools.job.tiers)
        self._limits.check_cost(self.records.plan(plan_id), estimate, "a run")
        overlay, done = record.overlay, record.steps
        if is_fresh:
            base = {path: file.text for path, file in found.items()}
            overlay = Overlay(base=base)
            done = tuple(one for one in done if one.id in record.applied)
        await self.records.claim(
            plan_id,
            state="running",
            step="Writing the steps",
            message="",
            plan=plan,
            estimate=estimate,
            chosen=chosen,
            overlay=overlay,
            steps=step_records(plan, chosen, done),
            findings=(),
            sent=SentEdit(),
            proved="not run",
            began_s=self._tools.job.now(),
            ran_s=None,
        )
        self._begin(plan_id)
        return self.records.plan(plan_id)

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
        await self.records.claim(
            plan_id,
            state="gathering",
            message="",
            sent=SentEdit(),
            request=request,
            is_second_diagnosis=False,
        )
        self._begin(plan_id)
        return self.records.plan(plan_id)

    async def cancel(self, plan_id: str) -> bool:
        """Cancel a plan; False: it has ended already.

        Raises:
            UnknownPlanError: If there is no such plan.
            PlanStateError: If another server works on it.
            StoreError: If that cannot be stored now; its work is stopped anyway.
        """
        record = await self.current(plan_id)
        if record.has_ended:
            await self._store_end(plan_id)
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
                await self.records.end(plan_id, "cancelled", "")
            await self._store_end(plan_id)
        elif record.state not in WAITS_FOR_USER:
            raise PlanStateError(
                f"The plan is {record.state} in another window or program.",
                remedy="Cancel it there.",
            )
        else:
            await self.records.claim(plan_id, state="cancelled", step="")
        return self.records.plan(plan_id).state == "cancelled"

    async def _store_end(self, plan_id: str) -> None:
        try:
            await self.records.store_again(plan_id)
        except StoreError as error:
            raise type(error)(
                f"The plan is stopped, but that could not be stored: {error}",
                remedy="Cancel it again, or the next start of Redline goes on with it.",
            ) from error

    async def reject(self, plan_id: str) -> PlanRecord:
        """Reject a plan that waits for the user.

        Raises:
            PlanStateError: If it does not.
        """
        await self._settled(plan_id)
        return await self.records.claim(plan_id, state="rejected", step="")

    async def resume(self, roots: Sequence[str]) -> None:
        """Go on with the plans of these folders whose server is gone.

        Raises:
            StoreError: If the store cannot be read now.
        """
        await self._documents.delete(await self._store.forget_old_plans())
        known = {record.id for record in self.records.plans()}
        for record in await self._store.newest_plans(roots, limit=N_LISTED):
            if record.id not in known:
                self.records.put(record)
        await self._take_over(roots)

    async def _take_over(self, roots: Sequence[str]) -> None:
        """Go on with what a server that is gone has left behind."""
        for record in await self._store.take_over_plans(roots):
            self.records.put(record)
            self._unwanted_answers.delete_soon(await self._store.steps(record.id))
            if record.state in WAITS_FOR_USER:
                self.records.show(record)
            elif record.request.origin == "editor":
                self._begin(record.id)
            else:
                await self.records.end(record.id, "failed", _SERVER_GONE)

    async def aclose(self) -> None:
        """Stop all plans; the next start goes on with them. Idempotent."""
        await self._supervisor.aclose()
        await self.records.aclose()
        await self._unwanted_answers.aclose(limit_s=DELETE_LIMIT_S)
        await self._store.aclose()

    def _answers(self, plan_id: str) -> PlanAnswers:
        return PlanAnswers(plan_id, self._store, self._unwanted_answers)

    def _begin(self, plan_id: str) -> None:
        work = self._see_through(plan_id)
        self._tasks[plan_id] = self._supervisor.start(work, name=f"plan {plan_id}")

    async def _see_through(self, plan_id: str) -> None:
        try:
            await self._work.run(plan_id)
        except asyncio.CancelledError:
            if plan_id in self._unwanted:
                ending = self.records.end(plan_id, "cancelled", "")
                await self._supervisor.complete(ending, name="cancel a plan")
            raise
        except RedlineError as error:
            message = f"{error} {error.remedy}".strip()
            record = self.records.plan(plan_id)
            if record.plan is not None and may_follow(record.state, "planned"):
                # It was being planned again: the earlier plan stays.
                if record.is_second_diagnosis:
                    message = f"{_NOT_DIAGNOSED_AGAIN} {message}"
                is_debug = record.request.kind == "debug"
                await self.records.end(
                    plan_id, "held" if is_debug else "planned", message
                )
            else:
                await self.records.end(plan_id, "failed", message)
        except Exception:  # The supervisor logs it; the plan must still end.
            await self.records.end(plan_id, "failed", _BUG)
            raise
        finally:
            self._tasks.pop(plan_id, None)
            self._unwanted.discard(plan_id)
            self._supervisor.start(self._announce(), name="announce a plan")

    async def _announce(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _settled(self, plan_id: str) -> PlanRecord:
        """Return a plan that waits for the user, once its work has ended."""
        task = self._tasks.get(plan_id)
        if task is not None and self.records.plan(plan_id).state in WAITS_FOR_USER:
            await asyncio.wait({task})
        await self.current(plan_id)
        return self.records.waiting(plan_id)


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
