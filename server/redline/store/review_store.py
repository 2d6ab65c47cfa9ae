"""The store of reviews for the rest of Redline: writes changes and runs queries.

All work runs in one thread, in the order of the calls, so that the event loop never
waits for a disk. A write that has returned is in the file and survives any end of the
process. This module loads SQLite, so import it in a thread.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Concatenate, ParamSpec, TypeVar

from redline.errors import NO_PROCESSES, StoreUnavailableError
from redline.findings.finding import Dismissal, Dropped, Finding, FindingState
from redline.findings.review import Review
from redline.plans.record import PlanRecord
from redline.settings.tree import StoreSettings
from redline.store import plan_rows, review_rows
from redline.store.review_change import ReviewChange, StepsForgotten, StoredStep
from redline.store.review_file import IN_MEMORY, ReviewFile
from redline.store.review_opener import RETRY_S, ReviewOpener
from redline.store.review_rows import RowReader

_T = TypeVar("_T")
_P = ParamSpec("_P")


class ReviewStore:
    """The reviews of all servers that use the same file.

    While no file can be used, reviews are in memory, and the user is notified once; see
    `ReviewOpener`. A file that another program has locked is an error instead.
    Rows that cannot be read are left out, and the user is notified once.
    """

    def __init__(
        self,
        settings: Callable[[], StoreSettings],
        *,
        on_trouble: Callable[[str], None] = lambda message: None,
        on_recovery: Callable[[str], None] = lambda message: None,
        owner: str | None = None,
        retry_s: float = RETRY_S,
    ) -> None:
        """Create a store; the first call opens the file.

        Args:
            settings: Returns the settings, when the file is opened.
            on_trouble: Receives a sentence for the user when a file, or some rows, are
                not used; called on the event loop.
            on_recovery: Receives such a sentence once it no longer holds: the file is
                used again, with the reviews of all servers.
            owner: Unique to this run of the server; None: a random one.
            retry_s: Shortest time between two tries to open a file that cannot be used.
        """
        self._on_trouble = on_trouble
        self._on_recovery = on_recovery
        self.owner = owner or secrets.token_hex(8)
        """The name of this server."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="reviews")
        self._opener = ReviewOpener(settings, self, owner=self.owner, retry_s=retry_s)
        self._loop: asyncio.AbstractEventLoop | None = None
        self.causes: tuple[str, ...] = ()
        """The errors of the file that were reported so far."""
        self._is_closed = False

    async def write(self, *changes: ReviewChange) -> None:
        """Write all changes, or none of them.

        Raises:
            StoreUnavailableError: If writing is not possible now; nothing was written.
        """
        await self._run(lambda file: file.write(changes))

    async def end(self, review: Review, *steps: StoredStep) -> None:
        """Write a review that has ended, and delete its steps and their texts."""
        await self.write(review, StepsForgotten(review_id=review.id), *steps)

    async def take_over(self, workspaces: Collection[str]) -> tuple[Review, ...]:
        """Take ownership of unfinished reviews whose server is gone.

        Args:
            workspaces: URIs of the folders whose reviews to take.

        Raises:
            StoreUnavailableError: If the store cannot be used now. All methods below
                raise it, too.
        """
        return await self._run(lambda file: file.take_over(workspaces))

    async def are_elsewhere(self, workspaces: Collection[str]) -> bool:
        """Whether other servers have unfinished reviews of these folders."""
        owners = await self._read(review_rows.read_owners, workspaces)
        return bool(set(owners) - {self.owner})

    async def review(self, review_id: str) -> Review | None:
        return await self._read(review_rows.read_review, review_id)

    async def newest(
        self, workspaces: Collection[str], *, limit: int
    ) -> tuple[Review, ...]:
        """Return the newest reviews of these folders, in order of creation."""
        return await self._read(review_rows.read_newest, workspaces, limit=limit)

    async def last_done(self, workspace: str, fingerprint: str) -> Review | None:
        """Find the review that made the newest findings about the same text."""
        return await self._read(review_rows.read_last_done, workspace, fingerprint)

    async def steps(self, review_id: str) -> tuple[StoredStep, ...]:
        """Return the steps that a review has begun, done ones included."""
        return await self._read(review_rows.read_steps, review_id)

    async def unwanted_answers(
        self, workspaces: Collection[str]
    ) -> tuple[StoredStep, ...]:
        """Return the steps of folders that name answers to delete at a provider."""
        return await self._read(review_rows.read_unwanted_answers, workspaces)

    async def outlives_server(self) -> bool:
        """Whether what is written stays after the end of the process."""
        return await self._run(lambda file: file.path != IN_MEMORY)

    async def findings(self, review_id: str) -> tuple[Finding, ...]:
        """Return the findings of a review, in the order in which they were found."""
        return await self._read(review_rows.read_findings, review_id)

    async def findings_of(
        self, workspaces: Collection[str], states: Collection[str]
    ) -> tuple[Finding, ...]:
        """Return the findings of folders in these states, the newest of each fault."""
        return await self._read(review_rows.read_findings_of, workspaces, states)

    async def states(
        self, workspace: str, fingerprints: Collection[str]
    ) -> dict[str, FindingState]:
        """Return the states of faults of a folder, by fingerprint."""
        return await self._read(review_rows.read_states, workspace, fingerprints)

    async def version(self) -> Hashable:
        """Return a value that changes when another process has written to the file."""
        return await self._run(lambda file: file.version())

    async def drops(self, review_id: str) -> tuple[Dropped, ...]:
        """Return the claims of a review that are not shown, in order."""
        return await self._read(review_rows.read_drops, review_id)

    async def dismissals(self, workspace: str) -> tuple[Dismissal, ...]:
        return await self._read(review_rows.read_dismissals, workspace)

    async def plan(self, plan_id: str) -> PlanRecord | None:
        return await self._read(
            lambda reader: plan_rows.read_plan(reader.connection, plan_id)
        )

    async def newest_plans(
        self, workspaces: Collection[str], *, limit: int
    ) -> tuple[PlanRecord, ...]:
        """Return the newest plans of these folders, in order of creation."""
        return await self._read(
            lambda reader: plan_rows.read_newest_plans(
                reader.connection, workspaces, limit=limit
            )
        )

    async def forget_old_plans(self) -> tuple[str, ...]:
        """Delete the plans that ended long ago; return their ids."""
        return await self._run(lambda file: file.forget_old_plans())

    async def claim_plan(self, before: PlanRecord, after: PlanRecord) -> bool:
        """Write the next state of a plan; False: another server was first."""
        return await self._run(lambda file: file.claim_plan(before, after))

    async def is_gone(self, owner: str) -> bool:
        """Whether another server has ended."""
        return await self._run(lambda file: file.is_gone(owner))

    async def take_over_plans(
        self, workspaces: Collection[str]
    ) -> tuple[PlanRecord, ...]:
        """Take ownership of plans that have not ended and whose server is gone."""
        return await self._run(lambda file: file.take_over_plans(workspaces))

    async def aclose(self) -> None:
        """Finish earlier calls and end the thread; idempotent."""
        if self._is_closed:
            return
        self._is_closed = True
        loop = asyncio.get_running_loop()
        await asyncio.shield(loop.run_in_executor(self._thread, self._opener.close))
        self._thread.shutdown(wait=False)

    async def _read(
        self,
        query: Callable[Concatenate[RowReader, _P], _T],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _T:
        return await self._run(lambda file: file.read(query, *args, **kwargs))

    async def _run(self, work: Callable[[ReviewFile], _T]) -> _T:
        if self._is_closed:
            raise StoreUnavailableError("The store of reviews is closed.")
        self._loop = asyncio.get_running_loop()
        is_refused = False

        def run() -> _T:
            if is_refused:
                raise StoreUnavailableError(NO_PROCESSES)
            return work(self._opener.opened())

        try:
            done = self._loop.run_in_executor(self._thread, run)
        except RuntimeError as error:
            # The executor keeps the work for the thread that it starts later.
            is_refused = True
            raise StoreUnavailableError(NO_PROCESSES) from error
        return await done

    # Called in the thread, see `StoreListener`.

    def has_trouble(self, message: str, *, cause: str = "") -> None:
        """Notify the user."""
        if cause:
            self.causes = (*self.causes, cause)
        self._call_on_loop(self._on_trouble, message)

    def has_recovered(self, message: str) -> None:
        """Notify the user."""
        self._call_on_loop(self._on_recovery, message)

    def _call_on_loop(self, callback: Callable[[str], None], message: str) -> None:
        # The loop may be closed already.
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(callback, message)
