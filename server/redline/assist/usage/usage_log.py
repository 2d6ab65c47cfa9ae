"""The current usage log: opened when the settings are known.

Slow work is done in threads. A store that cannot be used accepts records and reports
its problems; no such problem affects an edit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from redline.errors import StoreError, StoreUnavailableError
from redline.routing.experience import NO_EXPERIENCE
from redline.settings.tree import RoutingSettings, StoreSettings
from redline.store.automatic_usage import AutomaticUsage
from redline.store.task import LateTaskFacts, TaskUsage

if TYPE_CHECKING:
    from redline.store.automatic_usage import AutomaticTotals
    from redline.store.totals import Dimension, Totals
    from redline.store.usage_store import UsageStore

_DAY_S = 86_400.0


class UsageLog:
    """Implements `redline.assist.usage.recorder.Ledger` by a file, if enabled."""

    def __init__(
        self, *, on_trouble: Callable[[str], None] = lambda message: None
    ) -> None:
        """Start without a file.

        Args:
            on_trouble: Called with a sentence for the user when `problems` grows.
        """
        self._on_trouble = on_trouble
        self._store: UsageStore | None = None
        self._settings: StoreSettings | None = None
        self._lock = asyncio.Lock()
        self.experience = NO_EXPERIENCE
        """How earlier edits turned out, as of the last `learn`."""
        self._n_learned = 0

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems with the file, one sentence each."""
        return self._store.problems if self._store is not None else ()

    @property
    def cost_today(self) -> float | None:
        """US dollars spent on this local day by all editors; None: not recorded."""
        if self._store is None:
            return None
        return self._store.cost_today(now=time.time())

    async def use(self, settings: StoreSettings) -> None:
        """Record usage as the settings say; unchanged settings have no effect."""
        async with self._lock:
            if settings == self._settings:
                return
            self._settings = settings
            await self._close()
            if settings.enabled:
                loop = asyncio.get_running_loop()

                def notify(message: str) -> None:
                    # Runs in the writer's thread; the loop may have ended.
                    with suppress(RuntimeError):
                        loop.call_soon_threadsafe(self._on_trouble, message)

                # The imports are slow. The store is opened here and not in the thread,
                # since the writer thread of a store without an owner would outlive the
                # server.
                store, path = await asyncio.to_thread(_prepare, settings)
                self._store = store.open(
                    path, keep_days=settings.keep_days, notify=notify
                )

    async def learn(self, settings: RoutingSettings) -> None:
        """Read how earlier edits turned out, if routing is to follow it."""
        store = self._store
        self._n_learned += 1
        number = self._n_learned
        self.experience = NO_EXPERIENCE
        if store is None or settings.adapt_days == 0:
            return
        since = time.time() - settings.adapt_days * _DAY_S
        if settings.adapt_from:
            since = max(since, _begin_of(settings.adapt_from))
        with suppress(StoreError):
            # What cannot be read has been reported where it is written.
            read = await asyncio.to_thread(store.experience, since=since)
            # The settings may have changed meanwhile, and it was read again.
            if number == self._n_learned:
                self.experience = read

    def record(self, task: TaskUsage) -> None:
        if self._store is not None:
            self._store.record(task)

    def update(self, task_id: str, later: LateTaskFacts) -> None:
        if self._store is not None:
            self._store.update(task_id, later)

    def add_counts(self, usage: AutomaticUsage) -> None:
        """Add to the counts of completions or next edits."""
        if self._store is not None:
            self._store.add_counts(usage)

    async def settled(self) -> None:
        """Wait until what was recorded is stored, or cannot be stored for now."""
        if self._store is not None:
            await self._store.settled()

    async def totals(
        self, *, since: float, by: Sequence[Dimension]
    ) -> tuple[Totals, ...]:
        """Return the totals of all tasks since a Unix time; see `UsageStore.totals`.

        Raises:
            StoreError: If no usage is recorded, or the file cannot be read.
        """
        return await asyncio.to_thread(self._open_store().totals, since=since, by=by)

    async def automatic(self, *, since: float) -> tuple[AutomaticTotals, ...]:
        """Return the sums of completions and next edits; see `totals`.

        Raises:
            StoreError: If no usage is recorded, or the file cannot be read.
        """
        return await asyncio.to_thread(self._open_store().automatic, since=since)

    async def aclose(self) -> None:
        """Write what is pending; idempotent."""
        async with self._lock:
            await self._close()

    def _open_store(self) -> UsageStore:
        if self._store is None:
            raise StoreUnavailableError(
                "No usage is kept.", remedy="Set `store.enabled` to true to keep it."
            )
        return self._store

    async def _close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            await store.aclose()


def _begin_of(day: str) -> float:
    """Return when a local day begins; the day after a month's last one is the next."""
    year, month, number = map(int, day.split("-"))
    return (datetime(year, month, 1) + timedelta(days=number - 1)).timestamp()


def _prepare(settings: StoreSettings) -> tuple[type[UsageStore], Path]:
    # Imported late, since it loads SQLite.
    from redline.store.database import file_of
    from redline.store.usage_store import UsageStore

    return UsageStore, file_of(settings)
