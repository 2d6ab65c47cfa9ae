"""Which servers are still there: each holds a lock for as long as its process lives.

Theory of operation. Two servers on one workspace must not carry on the same review, and
one that was killed leaves reviews for the next to carry on. A lease with a term would
need clocks that agree and would keep a restarted editor waiting; a process id is given
to another process in time. So every server holds the lock of a file of its own beside
the database. The system lets go of it with the process, however that ends. Whoever gets
another's lock knows that its owner is gone, and holds it while reviews change hands.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


class Ownership:
    """The locks beside one database."""

    def __init__(self, path: Path, owner: str) -> None:
        self.owner = owner
        self._path = path
        self._lock = self._lock_of(owner)

    def hold(self) -> None:
        """Be there, until `release` or the end of the process.

        Raises:
            OSError: If the file cannot be written.
        """
        self._lock.acquire()

    def release(self) -> None:
        """Be gone; idempotent."""
        if self._lock.is_locked:
            Path(self._lock.lock_file).unlink(missing_ok=True)
            self._lock.release(force=True)

    @contextmanager
    def taking_from(self, owner: str) -> Iterator[bool]:
        """Say whether an owner is gone; for the time of the block nobody else takes.

        A lock that cannot be asked for is taken for one that is held.
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
            # Nobody comes back under this name.
            Path(lock.lock_file).unlink(missing_ok=True)
            lock.release(force=True)

    def _lock_of(self, owner: str) -> FileLock:
        file = self._path.with_name(f"{self._path.name}.{owner}.lock")
        return FileLock(file, blocking=False, mode=0o600, thread_local=False)
