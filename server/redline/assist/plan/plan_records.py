"""What a server knows of its plans: each change is stored, then shown.

A change of a plan that waits for the user is a claim: the store refuses it if another
window has changed the plan meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

from msgspec.structs import replace

from redline.assist.plan.application import PlanApplication
from redline.errors import PlanStateError, StoreError, UnknownPlanError
from redline.plans.overlay import Overlay
from redline.plans.record import PlanRecord, SentEdit, unwritten_steps
from redline.plans.states import PLAN_ENDS, WAITS_FOR_USER, PlanState, may_follow
from redline.store.review_store import ReviewStore
from redline.supervisor import Supervisor

STORE_AGAIN_S = 5.0
"""Pause before a plan that could not be stored is stored again."""

logger = logging.getLogger(__name__)

PlanFollower = Callable[[PlanRecord], None]
"""Shows a plan; called on the event loop, so it must not block."""


class PlanRecords:
    """The plans of one server, as they are stored."""

    def __init__(
        self,
        store: ReviewStore,
        *,
        now: Callable[[], float],
        is_at_work: Callable[[str], bool],
        again_s: float = STORE_AGAIN_S,
    ) -> None:
        """Create an empty list of plans.

        Args:
            store: Where they are stored.
            now: Returns Unix seconds.
            is_at_work: Whether this server works on a plan.
            again_s: Pause before what could not be stored is stored again.
        """
        self._store = store
        self._now = now
        self._is_at_work = is_at_work
        self._records: dict[str, PlanRecord] = {}
        self._followers: list[PlanFollower] = []
        self._edited: set[str] = set()
        """Plans of which an edit waits for our editor."""
        self._unstored: set[str] = set()
        """Plans that are shown as they are, and could not be stored so."""
        self._again_s = again_s
        self._writing = asyncio.Lock()
        self._supervisor = Supervisor()

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

    def take(self, stored: PlanRecord) -> None:
        """Show a plan as it was read from the store, if that is news."""
        if self._records.get(stored.id) != stored:
            self.show(stored)

    def put(self, record: PlanRecord) -> None:
        """Hold a plan without showing it."""
        self._records[record.id] = record

    def show(self, record: PlanRecord) -> None:
        """Hold a plan, and show it to all followers."""
        self._records[record.id] = record
        for follower in self._followers:
            follower(record)

    async def released(self, stored: PlanRecord) -> PlanRecord:
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

    async def change(self, plan_id: str, **fields: Any) -> PlanRecord:
        """Store the next state of a plan, then show it. (Any: its own fields.)

        Raises:
            PlanStateError: If the state may not follow.
            StoreError: If it cannot be stored now.
        """
        async with self._writing:
            record = self._changed(self.plan(plan_id), fields)
            await self._store.write(record)
            self._unstored.discard(plan_id)
            self.show(record)
            return record

    async def claim(self, plan_id: str, **fields: Any) -> PlanRecord:
        """As `change`, for a plan that waits: of two requests that come at the same
        moment, also in two windows, the second one is refused. (Any: its own fields.)

        Raises:
            PlanStateError: If it waits no longer, or has changed meanwhile.
            StoreError: If it cannot be stored now.
        """
        await self.store_again(plan_id)
        async with self._writing:
            before = self.waiting(plan_id)
            record = self._changed(before, fields)
            is_first = await self._store.claim_plan(before, record)
            if is_first:
                self.show(record)
                return record
        raise await self._changed_elsewhere(before)

    def waiting(self, plan_id: str) -> PlanRecord:
        """Return a plan that waits for the user.

        Raises:
            PlanStateError: If it does not, or an editor has an edit of it.
        """
        record = self.plan(plan_id)
        if record.state not in WAITS_FOR_USER or self._is_at_work(plan_id):
            raise PlanStateError(
                f"The plan is {record.state}; wait until it is planned, ready or held."
            )
        _refuse_edited(record)
        return record

    @asynccontextmanager
    async def edit(self, plan_id: str) -> AsyncIterator[PlanRecord]:
        """Claim a plan that was just read, while an editor has an edit of it.

        Other requests are refused, also those of other windows.

        Raises:
            PlanStateError: If it is at work, or an editor has an edit of it.
            StoreError: If that cannot be stored now.
        """
        await self.store_again(plan_id)
        async with self._writing:
            record = self.plan(plan_id)
            if record.state not in WAITS_FOR_USER | PLAN_ENDS:
                raise PlanStateError(f"The plan is {record.state}; wait until it ends.")
            _refuse_edited(record)
            claimed = replace(record, editing=self._store.owner)
            if not await self._store.claim_plan(record, claimed):
                raise await self._changed_elsewhere(record)
            self._records[plan_id] = claimed
            self._edited.add(plan_id)
        try:
            yield claimed
        finally:
            try:
                if self.plan(plan_id).editing:
                    # What is not stored now is removed when the plan is read again.
                    with suppress(StoreError):
                        await self.change(plan_id, editing="")
            finally:
                # Not before: the mark of another window may replace ours then.
                self._edited.discard(plan_id)

    async def send(self, plan_id: str, found: PlanApplication) -> None:
        """Store what an edit changes before it is sent: it can be taken back also if
        the server is killed before it could record that the edit has landed.

        Raises:
            StoreError: If it cannot be stored now; do not send the edit.
        """
        await self.change(plan_id, sent=found.sent)

    async def applied(self, plan_id: str, found: PlanApplication) -> PlanRecord:
        """Record that a plan, or a part of it, was applied.

        What is left of it waits: for another part, or for stale steps to be written
        again. A plan that was rejected or cancelled meanwhile stays so.

        Raises:
            StoreError: If it cannot be stored now; it is shown, and stored later.
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
        if not may_follow(record.state, state):
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
        return await self._done(
            plan_id,
            state=state,
            step="",
            message=message,
            editing="",
            sent=SentEdit(),
            landed_in={
                **record.landed_in,
                **dict.fromkeys(found.landed.texts, self._store.owner),
            },
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

    async def landed_elsewhere(
        self, record: PlanRecord, paths: Iterable[str]
    ) -> list[str]:
        """Return the files that another server applied which still runs: its editor may
        show texts that are not saved."""
        return [
            path
            for path in paths
            if (owner := record.landed_in.get(path, "")) not in ("", self._store.owner)
            and not await self._store.is_gone(owner)
        ]

    async def taken_back(self, plan_id: str) -> PlanRecord:
        """Record that an applied plan was taken back.

        One that was cancelled, or has failed, after a part was applied stays so.

        Raises:
            StoreError: As `applied`.
        """
        state = self.plan(plan_id).state
        return await self._done(
            plan_id,
            state="rejected" if may_follow(state, "rejected") else state,
            message="It was taken back.",
            editing="",
            landed=Overlay(),
            landed_in={},
            deleted={},
            deleted_permissions={},
        )

    async def end(self, plan_id: str, state: PlanState, message: str) -> None:
        """Store the end of work, or at least show it.

        As long as it is not stored, the next start goes on with the work.
        """
        with suppress(StoreError):
            await self._done(plan_id, state=state, message=message, step="")

    async def _done(self, plan_id: str, **fields: Any) -> PlanRecord:
        """As `change`, for what has happened already: it is shown in any case, and
        stored later if it cannot be stored now. (Any: its own fields.)
        """
        try:
            return await self.change(plan_id, **fields)
        except StoreError as error:
            logger.warning("the state of a plan could not be stored: %s", error)
            if not self._unstored:
                self._supervisor.start(self._retry(), name="store plans again")
            self._unstored.add(plan_id)
            self.show(self._changed(self.plan(plan_id), fields))
            raise

    async def store_again(self, plan_id: str) -> None:
        """Store a plan as it is shown, if that was not possible before.

        Raises:
            StoreError: If it is not possible now either.
        """
        async with self._writing:
            if plan_id in self._unstored:
                await self._store.write(self.plan(plan_id))
                self._unstored.discard(plan_id)

    async def is_stored(self, plan_id: str) -> bool:
        """Whether a plan is stored as it is shown, perhaps only now."""
        try:
            await self.store_again(plan_id)
        except StoreError:
            return False
        return True

    async def _retry(self) -> None:
        while self._unstored:
            await asyncio.sleep(self._again_s)
            await self._store_all()

    async def _store_all(self) -> None:
        for plan_id in tuple(self._unstored):
            await self.is_stored(plan_id)

    async def aclose(self) -> None:
        """Store what could not be stored before, if it can be now; idempotent."""
        await self._supervisor.aclose()
        await self._store_all()

    @property
    def unstored(self) -> frozenset[str]:
        """The ids of the plans that are not stored as they are shown."""
        return frozenset(self._unstored)

    async def _changed_elsewhere(self, before: PlanRecord) -> PlanStateError:
        now = await self._store.plan(before.id) or before
        if now.editing:
            return _edited_error()
        return PlanStateError(
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
            record = replace(record, ended_at=self._now())
        return record


def _refuse_edited(record: PlanRecord) -> None:
    if record.editing:
        raise _edited_error()


def _edited_error() -> PlanStateError:
    return PlanStateError(
        "The plan is being applied or taken back; its edit waits in the editor.",
        remedy="Confirm or discard it there.",
    )
