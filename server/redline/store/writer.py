"""The thread that writes usage, so that no caller waits for a disk.

Theory of operation. Entries go into a queue. The thread takes all of them, writes them
in one transaction, and repeats: under load batches grow by themselves, and a killed
process loses at most the batch in progress. If writing fails (a full disk, a read-only
folder, another process that holds the file) the newest `MAX_WAITING` entries stay in
memory and are tried again.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from msgspec import Struct, field

from redline.errors import StoreUnavailableError
from redline.store.task import Entry

if TYPE_CHECKING:
    from redline.store.usage_file import UsageFile

MAX_WAITING = 1_000
"""Most entries that wait until the file can be written; more than a day's work."""

RETRY_S = 5.0
"""Time between two tries while entries wait and no new one arrives."""

logger = logging.getLogger(__name__)


class Written(Struct, frozen=True, kw_only=True):
    """The progress of the thread; replaced as a whole, so any thread may read it."""

    n_entries: int = 0
    """Entries settled since the start: written, or dropped because too many waited."""
    cost_by_day: Mapping[str, float] = field(default_factory=dict)
    """US dollars on the newest days, by date, other processes included."""


class _Tried(Struct, frozen=True):
    """A callback to run once all entries before it have been tried."""

    callback: Callable[[], None]


class Writer:
    """Writes entries to the file, in its own thread."""

    def __init__(
        self, path: Path, *, run: str, keep_days: int, notify: Callable[[str], None]
    ) -> None:
        self.written = Written()
        self.trouble: str | None = None
        """Why nothing can be written now, as sent to `notify`; None: writing works."""
        self.left_alone: tuple[str, ...] = ()
        """Which files were not used, and why, as sent to `notify`."""
        self._path = path
        self._run_id = run
        self._keep_days = keep_days
        self._notify = notify
        self._notified: set[str] = set()
        self._queue: SimpleQueue[Entry | _Tried | None] = SimpleQueue()
        self._waiting: deque[Entry] = deque(maxlen=MAX_WAITING)
        self._n_taken = 0
        # A daemon thread: a disk that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="usage", daemon=True)
        self._thread.start()

    def put(self, entry: Entry) -> None:
        """Queue an entry; never blocks."""
        self._queue.put(entry)

    def flush(self, *, limit_s: float) -> None:
        """Wait until all queued entries have been tried once, at most `limit_s`."""
        tried = threading.Event()
        self.call_when_tried(tried.set)
        tried.wait(limit_s)

    def call_when_tried(self, callback: Callable[[], None]) -> None:
        """Call back, in the thread, when all queued entries have been tried once."""
        self._queue.put(_Tried(callback))

    def close(self, *, limit_s: float) -> bool:
        """Write pending entries and end the thread; blocks. Idempotent.

        Returns:
            Whether it ended in time.
        """
        self._queue.put(None)
        self._thread.join(limit_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        # Imported here: SQLite loads in this thread while the server starts.
        from redline.store.usage_file import UsageFile

        file = UsageFile(
            self._path,
            run=self._run_id,
            keep_days=self._keep_days,
            notify=self._leave_alone,
        )
        try:
            self._write(file)  # An empty write detects problems and reads the cost.
            while self._turn(file):
                pass
        finally:
            file.close()

    def _turn(self, file: UsageFile) -> bool:
        """Write all queued entries; return whether to continue."""
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
        # This thread is the only consumer, so `get_nowait` cannot fail.
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
            self._notify_once(self.trouble)
            spent = self.written.cost_by_day
        else:
            self.trouble = None
            self._waiting.clear()
            self._notified.clear()
        self.written = Written(
            n_entries=self._n_taken - len(self._waiting), cost_by_day=spent
        )

    def _leave_alone(self, message: str) -> None:
        if message not in self.left_alone:
            self.left_alone = (*self.left_alone, message)
        self._notify_once(message)

    def _notify_once(self, message: str) -> None:
        if message not in self._notified:
            self._notified.add(message)
            logger.warning("%s", message)
            self._notify(message)
