"""The one thread that writes, so that nobody waits for a disk.

Theory of operation. Entries go into a queue. The thread takes whatever is in it, writes
that in one transaction, and takes again: under load batches grow by themselves, and
what a killed process loses is at most the batch that was under way. If writing fails
(a full disk, a folder that cannot be written, another process that holds the file) the
entries wait in memory, the newest `MAX_WAITING` of them, and are tried again.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from redline.errors import StoreUnavailableError
from redline.store.task import Entry

if TYPE_CHECKING:
    from redline.store.usage_file import UsageFile

MAX_WAITING = 1_000
"""Entries that wait for a file to be writable again; more than a day's work."""

RETRY_S = 5.0
"""Time between two tries while entries wait and no new one comes."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How far the thread has come; replaced as a whole, so it may be read anywhere."""

    n_entries: int = 0
    """Entries settled since the start: written, or given up as too many waited."""
    cost_by_day: Mapping[str, float] = field(default_factory=dict)
    """US dollars in the file for the newest days, other processes' included."""


@dataclass(frozen=True, slots=True)
class _Tried:
    """Something to do once all entries before it have been tried."""

    callback: Callable[[], None]


class Writer:
    """Takes entries and writes them to the file, in a thread of its own."""

    def __init__(
        self, path: Path, *, run: str, keep_days: int, notify: Callable[[str], None]
    ) -> None:
        self.written = Written()
        self.trouble: str | None = None
        """Why nothing can be written now, as it was told; replaced as a whole."""
        self.left_alone: tuple[str, ...] = ()
        """Which files were not used, and why, as it was told."""
        self._path = path
        self._run_id = run
        self._keep_days = keep_days
        self._notify = notify
        self._told: set[str] = set()
        self._queue: SimpleQueue[Entry | _Tried | None] = SimpleQueue()
        self._waiting: deque[Entry] = deque(maxlen=MAX_WAITING)
        self._n_taken = 0
        # A daemon: a disk that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="usage", daemon=True)
        self._thread.start()

    def put(self, entry: Entry) -> None:
        """Hand over an entry; never blocks."""
        self._queue.put(entry)

    def flush(self, *, limit_s: float) -> None:
        """Wait until what was put before has been tried once, or the time is up."""
        tried = threading.Event()
        self.call_when_tried(tried.set)
        tried.wait(limit_s)

    def call_when_tried(self, callback: Callable[[], None]) -> None:
        """Call back, in the thread, when what was put before has been tried once."""
        self._queue.put(_Tried(callback))

    def close(self, *, limit_s: float) -> bool:
        """Write what is left and end the thread; blocks. Idempotent.

        Returns:
            Whether it ended in time.
        """
        self._queue.put(None)
        self._thread.join(limit_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        # Late: SQLite and the statements are loaded here, beside the start of a server.
        from redline.store.usage_file import UsageFile

        file = UsageFile(
            self._path,
            run=self._run_id,
            keep_days=self._keep_days,
            notify=self._leave_alone,
        )
        try:
            self._write(file)  # Nothing yet, but faults of the file show, and costs.
            while self._turn(file):
                pass
        finally:
            file.close()

    def _turn(self, file: UsageFile) -> bool:
        """Take what is there and write it; return whether to go on."""
        tried: list[_Tried] = []
        is_closing = False
        for item in self._take():
            match item:
                case None:
                    is_closing = True
                case _Tried():
                    tried.append(item)
                case entry:
                    self._n_taken += 1
                    self._waiting.append(entry)
        if self._waiting:
            self._write(file)
        for one in tried:
            one.callback()
        return not is_closing

    def _take(self) -> list[Entry | _Tried | None]:
        try:
            items = [self._queue.get(timeout=RETRY_S if self._waiting else None)]
        except Empty:
            return []
        # Nobody else takes, so what is there stays there.
        while not self._queue.empty():
            items.append(self._queue.get_nowait())
        return items

    def _write(self, file: UsageFile) -> None:
        try:
            spent = file.write(self._waiting)
        except StoreUnavailableError as error:
            self.trouble = (
                f"Usage is not stored for now: {error} Edits are not affected."
            )
            self._tell_once(self.trouble)
            spent = self.written.cost_by_day
        else:
            self.trouble = None
            self._waiting.clear()
            self._told.clear()
        self.written = Written(
            n_entries=self._n_taken - len(self._waiting), cost_by_day=spent
        )

    def _leave_alone(self, message: str) -> None:
        if message not in self.left_alone:
            self.left_alone = (*self.left_alone, message)
        self._tell_once(message)

    def _tell_once(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            logger.warning("%s", message)
            self._notify(message)
