"""The repository of reviews: the store, opened when it is first needed.

If no file can be used, reviews are kept in memory and the user is notified once. A file
that another program has locked is an error instead, and is opened again later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TYPE_CHECKING

from redline.assist.review import review_codec
from redline.assist.review.review_state import Review
from redline.assist.usage.usage_log import file_of
from redline.errors import StoreBusyError, StoreUnavailableError
from redline.findings.finding import Dismissal, Dropped, Finding
from redline.settings.tree import StoreSettings
from redline.store.stored_review import ReviewChange, StepsForgotten, StoredStep

if TYPE_CHECKING:
    from redline.store.review_store import ReviewStore

Notify = Callable[[str], None]
"""Shows a sentence to the user."""


class ReviewRepository:
    """Stores reviews, findings and steps as values, and reads them."""

    def __init__(
        self,
        open_store: Callable[[Notify], ReviewStore],
        *,
        open_memory: Callable[[], ReviewStore],
        on_trouble: Callable[[str], None] = lambda message: None,
    ) -> None:
        """Remember how to open the store; the first use opens it.

        Args:
            open_store: Opens the store, which may report problems from any thread;
                called in a thread, since it loads SQLite.
            open_memory: Opens a store in memory, also in a thread.
            on_trouble: Receives a sentence for the user if nothing can be stored.
        """
        self._open_store = open_store
        self._open_memory = open_memory
        self._on_trouble = on_trouble
        self._store: ReviewStore | None = None
        self._lock = asyncio.Lock()

    async def save(self, *changes: ReviewChange) -> None:
        """Store changes, all or none.

        Raises:
            StoreUnavailableError: If the store cannot be used now. All methods below
                raise it, too.
        """
        await (await self._opened()).write(*changes)

    async def save_review(self, review: Review) -> None:
        """Store a review's current state."""
        await self.save(review_codec.review_row(review))

    async def end(self, review: Review) -> None:
        """Store a review that has ended, and delete its steps and their texts."""
        await self.save(
            review_codec.review_row(review), StepsForgotten(review_id=review.id)
        )

    async def save_finding(self, finding: Finding) -> None:
        """Store a finding's current state."""
        await self.save(review_codec.finding_row(finding))

    async def dismiss(
        self, workspace: str, dismissal: Dismissal, finding: Finding, *, at: float
    ) -> None:
        """Store a dismissal, and the finding that was dismissed."""
        row = review_codec.dismissal_row(workspace, dismissal, at=at)
        await self.save(row, review_codec.finding_row(finding))

    async def take_over(self, workspaces: Collection[str]) -> tuple[Review, ...]:
        """Take ownership of unfinished reviews whose server is gone."""
        rows = await (await self._opened()).take_over(workspaces)
        return tuple(map(review_codec.review_of, rows))

    async def are_elsewhere(self, workspaces: Collection[str]) -> bool:
        """Whether other servers have unfinished reviews of these folders."""
        return await (await self._opened()).are_elsewhere(workspaces)

    async def recent(
        self, workspaces: Collection[str], *, limit: int
    ) -> tuple[Review, ...]:
        """Return the newest reviews of these folders, in order of creation."""
        rows = await (await self._opened()).reviews(workspaces, limit=limit)
        return tuple(map(review_codec.review_of, reversed(rows)))

    async def review(self, review_id: str) -> Review | None:
        """Find a review."""
        row = await (await self._opened()).review(review_id)
        return None if row is None else review_codec.review_of(row)

    async def last_done(self, workspace: str, fingerprint: str) -> Review | None:
        """Find the review that made the newest findings about the same text."""
        row = await (await self._opened()).last_done(workspace, fingerprint)
        found = None if row is None else review_codec.review_of(row)
        if found is None or found.same_as is None:
            return found
        # An old review may have been deleted.
        return await self.review(found.same_as)

    async def steps(self, review_id: str) -> tuple[StoredStep, ...]:
        """Return the steps that a review has begun, done ones included."""
        return await (await self._opened()).steps(review_id)

    async def findings(self, review_id: str) -> tuple[Finding, ...]:
        """Return the findings of a review, in the order in which they were found."""
        rows = await (await self._opened()).findings(review_id)
        return tuple(map(review_codec.finding_of, rows))

    async def findings_of(
        self, workspaces: Collection[str], states: Collection[str]
    ) -> tuple[Finding, ...]:
        """Return the findings of folders in these states, the newest of each fault."""
        rows = await (await self._opened()).findings_of(workspaces, states)
        return tuple(map(review_codec.finding_of, rows))

    async def drops(self, review_id: str) -> tuple[Dropped, ...]:
        """Return the claims of a review that are not shown, in order."""
        rows = await (await self._opened()).drops(review_id)
        return tuple(map(review_codec.drop_of, rows))

    async def dismissals(self, workspace: str) -> tuple[Dismissal, ...]:
        """Return the dismissals of a folder."""
        rows = await (await self._opened()).dismissals(workspace)
        return tuple(map(review_codec.dismissal_of, rows))

    async def aclose(self) -> None:
        """Finish pending writes and give up ownership of reviews; idempotent."""
        async with self._lock:
            if self._store is not None:
                await self._store.aclose()

    async def _opened(self) -> ReviewStore:
        async with self._lock:
            if self._store is None:
                self._store = await self._open()
            return self._store

    async def _open(self) -> ReviewStore:
        loop = asyncio.get_running_loop()

        def notify(message: str) -> None:
            # Runs in the store's thread; the loop may be closed already.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._on_trouble, message)

        store = await asyncio.to_thread(self._open_store, notify)
        try:
            # An empty write, to detect problems with the file.
            await store.write()
        except StoreBusyError:
            # The lock is temporary; memory would lose all later changes.
            await store.aclose()
            raise
        except StoreUnavailableError as error:
            await store.aclose()
            self._on_trouble(f"Reviews are not kept between runs: {error}")
            return await asyncio.to_thread(self._open_memory)
        return store


def new_repository(
    settings: Callable[[], StoreSettings],
    *,
    on_trouble: Callable[[str], None] = lambda message: None,
) -> ReviewRepository:
    """Create a repository; the settings are read when the store is first opened."""

    def open_memory() -> ReviewStore:
        from redline.store.review_store import ReviewStore

        return ReviewStore(None)

    def open_store(notify: Notify) -> ReviewStore:
        from redline.store.review_store import ReviewStore

        now = settings()
        path = file_of(now) if now.enabled else None
        return ReviewStore(path, keep_days=now.keep_days, notify=notify)

    return ReviewRepository(open_store, open_memory=open_memory, on_trouble=on_trouble)
