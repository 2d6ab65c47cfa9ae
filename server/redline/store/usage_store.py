"""The store of usage for the rest of Redline: record and update tasks, read totals.

Recording never blocks and never fails: a full disk or a file that cannot be written is
reported once, and edits continue. Nothing here reads a clock.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.routing.experience import Experience
from redline.store.automatic_usage import AutomaticTotals, AutomaticUsage
from redline.store.task import Entry, LateTaskFacts, TaskUpdate, TaskUsage
from redline.store.totals import Dimension, Totals, day_of, experience_of, totals_of
from redline.store.writer import MAX_WAITING, Writer

if TYPE_CHECKING:
    from redline.store.task_rows import ReadFile

KEEP_DAYS = 365
"""How long tasks are kept by default."""

FLUSH_LIMIT_S = 3.0
"""Longest wait for the writer; longer than the time-out of a busy file."""

logger = logging.getLogger(__name__)


class _Pending(Struct, frozen=True, kw_only=True):
    """The cost of an entry that the writer has not settled yet."""

    n: int
    """The number of the entry, from 1."""
    day: str | None
    """The local day; None: an update, whose task has the day."""
    cost: float


class UsageStore:
    """The usage of all servers that use the same file.

    Call `record`, `update` and `cost_today` only on the event loop's thread.
    """

    def __init__(self, path: Path, writer: Writer) -> None:
        self._path = path
        self._writer = writer
        self._n_put = 0
        self._late_until = 0
        """Number of settled entries from which on `settled` waits again."""
        self._pending: deque[_Pending] = deque(maxlen=MAX_WAITING)
        self._is_closed = False

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        keep_days: int = KEEP_DAYS,
        notify: Callable[[str], None] = lambda message: None,
        run: str | None = None,
    ) -> UsageStore:
        """Create a store without blocking; a thread opens the file.

        Args:
            path: First choice of the file; `database.py` says when another is used.
            keep_days: Older tasks are deleted.
            notify: Receives a sentence for the user when usage cannot be stored, or a
                file is not used; once per cause. Called in the writer's thread, and
                must not raise.
            run: Unique to this run of the server; None: a random one.
        """
        run = run or secrets.token_hex(8)
        writer = Writer(path, run=run, keep_days=keep_days, notify=notify)
        return cls(path, writer)

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems sent to `notify` that still exist, one sentence each."""
        trouble = self._writer.trouble
        return (*self._writer.left_alone, *([trouble] if trouble else []))

    def record(self, task: TaskUsage) -> None:
        """Record a task; the same id again is another task."""
        self._put(task, day=day_of(task.times.queued_at), cost=task.cost or 0.0)

    def update(self, task_id: str, later: LateTaskFacts) -> None:
        """Add later facts to the newest task of this run with that id.

        An unknown id changes nothing.
        """
        self._put(TaskUpdate(task_id=task_id, later=later), day=None, cost=later.cost)

    def add_counts(self, usage: AutomaticUsage) -> None:
        """Add counts; their cost is not part of `cost_today`, which is of tasks."""
        self._put(usage, day=None, cost=0.0)

    def totals(
        self, *, since: float, by: Sequence[Dimension] = ("tier", "day")
    ) -> tuple[Totals, ...]:
        """Compute the totals of all processes' tasks since a time.

        Reads the file, so call it in a thread (`asyncio.to_thread`). Tasks recorded
        before the call are included, if they can be written.

        Args:
            since: Unix seconds.
            by: The dimensions to group by; none: one group.

        Raises:
            StoreError: If the file cannot be read.
        """
        return totals_of(self._read(since).tasks, by=by)

    def automatic(self, *, since: float) -> tuple[AutomaticTotals, ...]:
        """Return the sums of completions and next edits since a day; see `totals`.

        Raises:
            StoreError: If the file cannot be read.
        """
        return self._read(since).automatic

    def experience(self, *, since: float) -> Experience:
        """Count how edits since a Unix time turned out; see `totals`.

        Raises:
            StoreError: If the file cannot be read.
        """
        return experience_of(self._read(since).tasks)

    def cost_today(self, *, now: float) -> float:
        """Return the US dollars spent on the local day of `now`; never blocks.

        The spending of other processes is as of this process' last write.
        """
        written = self._writer.written
        while self._pending and self._pending[0].n <= written.n_entries:
            self._pending.popleft()
        today = day_of(now)
        waiting = sum(p.cost for p in self._pending if p.day in (today, None))
        return written.cost_by_day.get(today, 0.0) + waiting

    @property
    def is_settled(self) -> bool:
        """Whether all entries are stored, or storing is failing or late."""
        n_settled = self._writer.written.n_entries
        is_written, is_late = n_settled >= self._n_put, n_settled < self._late_until
        return is_written or is_late or self._writer.trouble is not None

    async def settled(self) -> None:
        """Wait until `is_settled`, at most `FLUSH_LIMIT_S`. Cancelling is safe.

        After a time-out, calls return at once until the writer has caught up.
        """
        if self._is_closed or self.is_settled:
            return
        loop = asyncio.get_running_loop()
        tried = asyncio.Event()

        def on_tried() -> None:
            # Runs in the writer's thread; the loop may be closed already.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(tried.set)

        self._writer.call_when_tried(on_tried)
        try:
            async with asyncio.timeout(FLUSH_LIMIT_S):
                await tried.wait()
        except TimeoutError:
            self._late_until = self._n_put
            logger.warning("storing usage is slow; answers do not wait for it")

    async def aclose(self) -> None:
        """Write pending entries and end the thread, in at most `FLUSH_LIMIT_S`.

        Idempotent; entries recorded afterwards are dropped.
        """
        if self._is_closed:
            return
        self._is_closed = True
        if not await asyncio.to_thread(self._writer.close, limit_s=FLUSH_LIMIT_S):
            logger.warning("the last usage entries could not be written in time")

    def _read(self, since: float) -> ReadFile:
        # Imported here: most servers never need it.
        from redline.store.task_rows import read_file

        if not self._is_closed:
            self._writer.flush(limit_s=FLUSH_LIMIT_S)
        return read_file(self._path, since=since)

    def _put(self, entry: Entry, *, day: str | None, cost: float) -> None:
        if self._is_closed:
            return
        self._n_put += 1
        self._pending.append(_Pending(n=self._n_put, day=day, cost=cost))
        self._writer.put(entry)
