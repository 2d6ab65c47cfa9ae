"""Hears of the findings of other windows on the same folders.

Every window shows the findings of its folders and stores what its user does to them.
The findings of a review that has ended in one window are shown in all. A dismissed
finding, and one whose fix was applied, disappear in all windows. Whether the lines of a
finding are in the file, each window sees in its own text.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable, Sequence

from msgspec.structs import replace

from redline.assist.review.review_followers import ReviewFollowers
from redline.errors import StoreError
from redline.findings.finding import Finding, FindingState
from redline.findings.review import Review
from redline.store.review_store import ReviewStore
from redline.supervisor import Supervisor

HEAR_S = 2.0
"""How often to check whether another process has written to the store."""

_BY_USERS: frozenset[FindingState] = frozenset({"dismissed", "fixed"})

_NEW: tuple[FindingState, ...] = ("open", "stale")
"""States of findings that are shown although they were not before."""

logger = logging.getLogger(__name__)


class FindingWatch:
    """Compares the findings that are shown with those in the store."""

    def __init__(
        self,
        store: ReviewStore,
        supervisor: Supervisor,
        followers: ReviewFollowers,
        *,
        ended_review: Callable[[str], Awaitable[Review | None]],
        on_change: Callable[[Finding], None],
        look_s: float,
    ) -> None:
        self._store = store
        self._supervisor = supervisor
        self._followers = followers
        self._ended_review = ended_review
        self._on_change = on_change
        self._look_s = look_s
        self._is_watching = False
        self._roots: Sequence[str] = ()
        self._seen: Hashable = None
        """The version of the store that was compared last."""

    def watch(self, roots: Sequence[str]) -> None:
        """Watch folders, instead of earlier ones, until the supervisor is closed."""
        self._roots = roots
        if not self._is_watching:
            self._is_watching = True
            self._supervisor.start(self._watch(), name="watch findings")

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._look_s)
            try:
                await self._look()
            except StoreError as error:
                logger.info("changes of other windows are read later: %s", error)

    async def _look(self) -> None:
        version = await self._store.version()
        if version == self._seen:
            return
        for workspace, fingerprints in self._followers.faults().items():
            states = await self._store.states(workspace, fingerprints)
            for fingerprint, state in states.items():
                self._compare(workspace, fingerprint, state)
        for finding in await self._store.findings_of(self._roots, _NEW):
            # Findings of a review that runs may still be withdrawn.
            review = await self._ended_review(finding.review_id)
            if review is not None:
                self._followers.show_unless_newer(review, finding)
        self._seen = version

    def _compare(self, workspace: str, fingerprint: str, state: FindingState) -> None:
        finding = self._followers.shown(workspace, fingerprint)
        if finding is None or finding.state == state:
            return
        if state in _BY_USERS or finding.state in _BY_USERS:
            self._on_change(replace(finding, state=state))
