"""Hears what users do to findings in other windows on the same folders.

Every window shows the findings of its folders and stores what its user does to them.
A dismissed finding, and one whose fix was applied, disappear in all windows. Whether
the lines of a finding are in the file, each window sees in its own text.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable

from msgspec.structs import replace

from redline.assist.review.review_followers import ReviewFollowers
from redline.errors import StoreError
from redline.findings.finding import Finding, FindingState
from redline.store.review_store import ReviewStore
from redline.supervisor import Supervisor

HEAR_S = 2.0
"""How often to check whether another process has written to the store."""

_BY_USERS: frozenset[FindingState] = frozenset({"dismissed", "fixed"})

logger = logging.getLogger(__name__)


class FindingWatch:
    """Compares the findings that are shown with those in the store."""

    def __init__(
        self,
        store: ReviewStore,
        supervisor: Supervisor,
        followers: ReviewFollowers,
        *,
        on_change: Callable[[Finding], None],
        look_s: float,
    ) -> None:
        self._store = store
        self._supervisor = supervisor
        self._followers = followers
        self._on_change = on_change
        self._look_s = look_s
        self._is_watching = False
        self._seen: Hashable = None
        """The version of the store that was compared last."""

    def watch(self) -> None:
        """Watch until the supervisor is closed; idempotent."""
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
        by_workspace = self._followers.faults()
        if not by_workspace:
            return
        version = await self._store.version()
        if version == self._seen:
            return
        for workspace, fingerprints in by_workspace.items():
            states = await self._store.states(workspace, fingerprints)
            for fingerprint, state in states.items():
                self._compare(workspace, fingerprint, state)
        self._seen = version

    def _compare(self, workspace: str, fingerprint: str, state: FindingState) -> None:
        finding = self._followers.shown(workspace, fingerprint)
        if finding is None or finding.state == state:
            return
        if state in _BY_USERS or finding.state in _BY_USERS:
            self._on_change(replace(finding, state=state))
