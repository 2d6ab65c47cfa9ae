"""Reviews as the rest of Redline remembers them: write changes, ask for what is there.

Everything happens in one thread of its own, in the order in which it was asked for, so
that the event loop never waits for a disk. A write that has returned is in the file:
it outlives the process, however that ends. SQLite comes with this module, so import it
in a thread.
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
"""How long reviews that have ended are remembered, unless told otherwise."""

_T = TypeVar("_T")


class ReviewStore:
    """Reviews of this server and of all others that use the same file."""

    def __init__(
        self,
        path: Path | None,
        *,
        keep_days: int = KEEP_DAYS,
        notify: Callable[[str], None] = lambda message: None,
        owner: str | None = None,
    ) -> None:
        """Begin to use a file; it is opened when something is first asked of it.

        Args:
            path: First choice of the file; `database.py` says when another is used.
                None: memory, for nothing is to be kept.
            keep_days: Reviews that ended longer ago are removed at a take-over.
            notify: Takes a sentence for the user when a file is left alone. Called in
                the thread, and must not raise.
            owner: Unique to this run of the server; None: one is made.
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
            StoreUnavailableError: If it is not possible now; nothing was written.
        """
        await self._run(lambda file: file.write(changes))

    async def take_over(self, workspaces: Collection[str]) -> tuple[StoredReview, ...]:
        """Become the owner of unfinished reviews whose server is gone.

        Args:
            workspaces: URIs of the folders to look in.

        Raises:
            StoreUnavailableError: If it is not possible now, as with those below.
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
        """Return what a review has begun and done."""
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
        """Return all findings of folders in these states: of each fault the newest."""
        return await self._run(
            lambda file: file.read(review_rows.read_findings_of, workspaces, states)
        )

    async def drops(self, review_id: str) -> tuple[StoredDrop, ...]:
        """Return the claims of a review that are not shown, in order."""
        return await self._run(
            lambda file: file.read(review_rows.read_drops, review_id)
        )

    async def dismissals(self, workspace: str) -> tuple[StoredDismissal, ...]:
        """Return what was dismissed in a folder."""
        return await self._run(
            lambda file: file.read(review_rows.read_dismissals, workspace)
        )

    async def aclose(self) -> None:
        """Do what was asked so far and end the thread; idempotent."""
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
