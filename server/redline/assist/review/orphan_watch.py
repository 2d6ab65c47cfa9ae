"""Watches for reviews that other servers have left behind.

A review belongs to the server that runs it. When that server is gone without having
ended the review, another server of the same folders takes it over.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from redline.errors import StoreBusyError, StoreError
from redline.store.review_store import ReviewStore
from redline.supervisor import Supervisor

LOOK_S = 10.0
"""How often to check for reviews orphaned by another server."""

logger = logging.getLogger(__name__)


class OrphanWatch:
    """Watches the folders of one server."""

    def __init__(
        self,
        store: ReviewStore,
        supervisor: Supervisor,
        *,
        take_over: Callable[[Sequence[str]], Awaitable[None]],
        look_s: float,
    ) -> None:
        self._store = store
        self._supervisor = supervisor
        self._take_over = take_over
        self._look_s = look_s
        self._roots: set[str] = set()
        """Folders in which other servers run reviews."""

    def watch(self, roots: Sequence[str]) -> None:
        """Watch folders until no other server runs reviews of them."""
        if not self._roots:
            self._supervisor.start(self._look_after(), name="watch orphaned reviews")
        self._roots.update(roots)

    async def _look_after(self) -> None:
        try:
            while await self._look():
                pass
        except StoreError as error:
            logger.warning("reviews of other servers cannot be read: %s", error)
        finally:
            self._roots.clear()

    async def _look(self) -> bool:
        """Take over orphaned reviews and wait; return whether to check again."""
        roots = tuple(self._roots)
        try:
            if not await self._store.are_elsewhere(roots):
                return False
            await self._take_over(roots)
        except StoreBusyError as error:
            logger.info("reviews of other servers are checked later: %s", error)
        await asyncio.sleep(self._look_s)
        return True
