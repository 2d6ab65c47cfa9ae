"""Detects which servers are alive: each holds a file lock while its process lives.

Theory of operation. Two servers on one workspace must not run the same review, and
another server resumes the reviews of one that was killed. A lease with a term would
need synchronized clocks and delay a restarted editor; process ids are reused. So every
server locks a file of its own next to the database. The system releases the lock when
the process ends in any way. A server that gets another's lock knows that its owner is
gone, and holds the lock while it takes over the reviews.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


class Ownership:
    """The locks next to one database."""

    def __init__(self, path: Path, owner: str) -> None:
        self.owner = owner
        self._path = path
        self._lock = self._lock_of(owner)

    def hold(self) -> None:
        """Lock our own file until `release` or the end of the process.

        Raises:
            OSError: If the file cannot be written.
        """
        self._lock.acquire()

    def release(self) -> None:
        """Release our own lock and delete its file; idempotent."""
        if self._lock.is_locked:
            Path(self._lock.lock_file).unlink(missing_ok=True)
            self._lock.release(force=True)

    @contextmanager
    def taking_from(self, owner: str) -> Iterator[bool]:
        """Yield whether an owner is gone; no other server takes over in the block.

        A lock that cannot be tried counts as held.
        """
        lock = self._lock_of(owner)
        try:
            lock.acquire()
        except (Timeout, OSError):
            yield False
            return
        try:
            yield True
        finally:
            # No server uses this name again.
            Path(lock.lock_file).unlink(missing_ok=True)
            lock.release(force=True)

    def _lock_of(self, owner: str) -> FileLock:
        file = self._path.with_name(f"{self._path.name}.{owner}.lock")
        return FileLock(file, blocking=False, mode=0o600, thread_local=False)
