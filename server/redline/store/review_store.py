"""The store of reviews for the rest of Redline: writes changes and runs queries.

All work runs in one thread, in the order of the calls, so that the event loop never
waits for a disk. A write that has returned is in the file and survives any end of the
process. This module loads SQLite, so import it in a thread.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from redline.errors import StoreUnavailableError
from redline.store import review_rows
from redline.store.review_file import IN_MEMORY, ReviewFile
from redline.store.stored_review import (
    ReviewChange,
    StoredDismissal,
    StoredDrop,
    StoredFinding,
    StoredReview,
    StoredStep,
)

KEEP_DAYS = 365
"""How long reviews that have ended are kept by default."""

_T = TypeVar("_T")


class ReviewStore:
    """The reviews of all servers that use the same file."""

    def __init__(
        self,
        path: Path | None,
        *,
        keep_days: int = KEEP_DAYS,
        notify: Callable[[str], None] = lambda message: None,
        owner: str | None = None,
    ) -> None:
        """Create a store; the first call opens the file.

        Args:
            path: First choice of the file; `database.py` says when another is used.
                None: reviews are only in memory.
            keep_days: Reviews that ended longer ago are deleted at a take-over.
            notify: Receives a sentence for the user when a file is not used. Called in
                the thread, and must not raise.
            owner: Unique to this run of the server; None: a random one.
        """
        self._path = path
        self._keep_days = keep_days
        self._notify = notify
        self._owner = owner or secrets.token_hex(8)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="reviews")
        self._file: ReviewFile | None = None
        self._is_closed = False

    async def write(self, *changes: ReviewChange) -> None:
        """Write all changes, or none of them.

        Raises:
            StoreUnavailableError: If writing is not possible now; nothing was written.
        """
        await self._run(lambda file: file.write(changes))

    async def take_over(self, workspaces: Collection[str]) -> tuple[StoredReview, ...]:
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
        owners = await self._run(
            lambda file: file.read(review_rows.read_owners, workspaces)
        )
        return bool(set(owners) - {self._owner})

    async def review(self, review_id: str) -> StoredReview | None:
        """Find a review."""
        return await self._run(
            lambda file: file.read(review_rows.read_review, review_id)
        )

    async def reviews(
        self, workspaces: Collection[str], *, limit: int
    ) -> tuple[StoredReview, ...]:
        """Return the newest reviews of these folders, the newest first."""
        return await self._run(
            lambda file: file.read(review_rows.read_reviews, workspaces, limit=limit)
        )

    async def last_done(self, workspace: str, fingerprint: str) -> StoredReview | None:
        """Find the newest review of the same text that was done."""
        return await self._run(
            lambda file: file.read(review_rows.read_last_done, workspace, fingerprint)
        )

    async def steps(self, review_id: str) -> tuple[StoredStep, ...]:
        """Return the steps that a review has begun, done ones included."""
        return await self._run(
            lambda file: file.read(review_rows.read_steps, review_id)
        )

    async def findings(self, review_id: str) -> tuple[StoredFinding, ...]:
        """Return the findings of a review, in the order in which they were found."""
        return await self._run(
            lambda file: file.read(review_rows.read_findings, review_id)
        )

    async def findings_of(
        self, workspaces: Collection[str], states: Collection[str]
    ) -> tuple[StoredFinding, ...]:
        """Return the findings of folders in these states, the newest of each fault."""
        return await self._run(
            lambda file: file.read(review_rows.read_findings_of, workspaces, states)
        )

    async def drops(self, review_id: str) -> tuple[StoredDrop, ...]:
        """Return the claims of a review that are not shown, in order."""
        return await self._run(
            lambda file: file.read(review_rows.read_drops, review_id)
        )

    async def dismissals(self, workspace: str) -> tuple[StoredDismissal, ...]:
        """Return the dismissals of a folder."""
        return await self._run(
            lambda file: file.read(review_rows.read_dismissals, workspace)
        )

    async def aclose(self) -> None:
        """Finish earlier calls and end the thread; idempotent."""
        if self._is_closed:
            return
        self._is_closed = True
        loop = asyncio.get_running_loop()
        await asyncio.shield(loop.run_in_executor(self._thread, self._close))
        self._thread.shutdown(wait=False)

    async def _run(self, work: Callable[[ReviewFile], _T]) -> _T:
        if self._is_closed:
            raise StoreUnavailableError("The store of reviews is closed.")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: work(self._opened()))

    def _opened(self) -> ReviewFile:
        if self._file is None:
            self._file = ReviewFile(
                self._path or IN_MEMORY,
                owner=self._owner,
                keep_days=self._keep_days,
                notify=self._notify,
            )
        return self._file

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
