"""The database file for reviews: one connection, used by one thread at a time."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from filelock import FileLock, Timeout

from redline.errors import (
    StoreBusyError,
    StoreUnavailableError,
    StoreUnusableError,
)
from redline.findings.review import Review
from redline.plans.record import PlanRecord
from redline.store import plan_rows, review_rows
from redline.store.database import (
    copy_log_if_linked,
    identity_of,
    keep_findable,
    open_for_writing,
    translated,
)
from redline.store.review_change import ReviewChange
from redline.store.review_rows import RowReader
from redline.store.schema import migrate

logger = logging.getLogger(__name__)

IN_MEMORY = Path(":memory:")
"""Used instead of a file: nothing is kept between runs."""

_T = TypeVar("_T")
_P = ParamSpec("_P")


class Notify(Protocol):
    """Notifies the user; see `StoreListener.has_trouble`."""

    def __call__(self, message: str, *, cause: str = "") -> None: ...


class Ownership:
    """The locks next to one database, which show the servers that are alive.

    Theory of operation. Two servers on one workspace must not run the same review, and
    another server resumes the reviews of one that was killed. A lease with a term would
    need synchronized clocks and delay a restarted editor; process ids are reused. So
    every server locks a file of its own next to the database. The system releases the
    lock when the process ends in any way. A server that gets another's lock knows that
    its owner is gone, and holds the lock while it takes over the reviews.
    """

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


class ReviewFile:
    """The first usable file in line, or memory."""

    def __init__(
        self, path: Path, *, owner: str, keep_days: int, notify: Notify
    ) -> None:
        self.path = path
        """The first file in line, or `IN_MEMORY`."""
        self._owner = owner
        self._keep_days = keep_days
        self._notify = notify
        self._connection: sqlite3.Connection | None = None
        self._ownership: Ownership | None = None
        self._opened_path = path
        self._identity: Hashable = None
        self._log: Hashable = None
        self._n_opened = 0
        self._damaged: set[Path] = set()
        self._reported: set[Path] = set()
        """Files whose unreadable rows have been reported."""

    def write(self, changes: Iterable[ReviewChange]) -> None:
        """Write all changes in one transaction.

        Raises:
            StoreUnavailableError: If writing is not possible now; nothing was written.
        """

        def transact(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            for change in changes:
                review_rows.write_change(connection, change, owner=self._owner)
            connection.execute("COMMIT")

        changes = tuple(changes)
        self._do(transact)

    def read(
        self,
        question: Callable[Concatenate[RowReader, _P], _T],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _T:
        """Run one of the queries of `review_rows`.

        Raises:
            StoreUnavailableError: If reading is not possible now.
        """
        return self._do(
            lambda connection: question(self._reader(connection), *args, **kwargs)
        )

    def changes(self) -> tuple[ReviewChange, ...]:
        """Return what it holds as changes to another file: all but what other servers
        have not ended."""
        return self.read(review_rows.read_changes, self._owner)

    def n_orphans(self) -> int:
        """Return how many reviews and plans have not ended whose server is gone.

        Raises:
            StoreUnavailableError: If reading is not possible now.
        """
        found = self.read(review_rows.read_n_unfinished)
        return sum(n for owner, n in found.items() if self.is_gone(owner))

    def has_unfinished(self) -> bool:
        """Whether reviews or plans that have not ended are ours.

        Raises:
            StoreUnavailableError: If reading is not possible now.
        """
        return self._do(
            lambda connection: bool(
                review_rows.read_unfinished(self._reader(connection), self._owner)
                or plan_rows.read_unfinished_plans(connection, self._owner)
            )
        )

    def version(self) -> Hashable:
        """Return a value that changes when another connection has written.

        Raises:
            StoreUnavailableError: If reading is not possible now.
        """

        def ask(connection: sqlite3.Connection) -> Hashable:
            (number,) = connection.execute("PRAGMA data_version").fetchone()
            # The number counts from the opening of the connection.
            return self._n_opened, number

        return self._do(ask)

    def take_over(self, workspaces: Collection[str]) -> tuple[Review, ...]:
        """Take ownership of the unfinished reviews whose server is gone.

        Returns:
            The reviews that were taken over, the oldest first.

        Raises:
            StoreUnavailableError: If writing is not possible now.
        """

        def take(connection: sqlite3.Connection) -> tuple[Review, ...]:
            review_rows.forget_old_reviews(connection, keep_days=self._keep_days)
            reader = self._reader(connection)
            before = {
                review.id for review in review_rows.read_unfinished(reader, self._owner)
            }
            if self._ownership is not None:
                self._take(reader, self._ownership, workspaces)
            after = review_rows.read_unfinished(reader, self._owner)
            return tuple(review for review in after if review.id not in before)

        return self._do(take)

    def forget_old_plans(self) -> tuple[str, ...]:
        """Delete the plans that ended long ago; return their ids.

        Raises:
            StoreUnavailableError: If writing is not possible now.
        """
        return self._do(
            lambda connection: plan_rows.forget_old_plans(
                connection, keep_days=self._keep_days
            )
        )

    def claim_plan(self, before: PlanRecord, after: PlanRecord) -> bool:
        """Write the next state of a plan, if it is stored as it was before.

        One that is not stored, since the file was deleted or damaged, is written again.

        Raises:
            StoreUnavailableError: If writing is not possible now.
        """

        def claim(connection: sqlite3.Connection) -> bool:
            connection.execute("BEGIN IMMEDIATE")
            is_same = plan_rows.read_plan(connection, before.id) in (None, before)
            if is_same:
                plan_rows.write_plan(connection, after, owner=self._owner)
            connection.execute("COMMIT")
            return is_same

        return self._do(claim)

    def is_gone(self, owner: str) -> bool:
        """Whether another server has ended.

        Raises:
            StoreUnavailableError: If that cannot be found out now.
        """

        def ask(connection: sqlite3.Connection) -> bool:
            if not review_rows.OWNER.fullmatch(owner) or self._ownership is None:
                return True
            with self._ownership.taking_from(owner) as is_gone:
                return is_gone

        return owner != self._owner and self._do(ask)

    def take_over_plans(self, workspaces: Collection[str]) -> tuple[PlanRecord, ...]:
        """Take ownership of the plans that have not ended and whose server is gone.

        Raises:
            StoreUnavailableError: If writing is not possible now.
        """

        def take(connection: sqlite3.Connection) -> tuple[PlanRecord, ...]:
            taken: list[PlanRecord] = []
            ownership = self._ownership
            owners = plan_rows.read_plan_owners(connection, workspaces)
            for other in owners if ownership is not None else ():
                if other == self._owner or not review_rows.OWNER.fullmatch(other):
                    continue
                assert ownership is not None
                with ownership.taking_from(other) as is_gone:
                    if is_gone:
                        taken += plan_rows.take_plans_from(
                            connection, other, workspaces, new_owner=self._owner
                        )
            return tuple(taken)

        return self._do(take)

    def close(self) -> None:
        """Close the connection and give up ownership of reviews; idempotent."""
        self._disconnect()
        if self._ownership is not None:
            self._ownership.release()
            self._ownership = None

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _reader(self, connection: sqlite3.Connection) -> RowReader:
        return RowReader(connection, self._report_unreadable)

    def _report_unreadable(self) -> None:
        if self._opened_path not in self._reported:
            self._reported.add(self._opened_path)
            self._notify(
                f"Some reviews, findings or dismissals in {self._opened_path} cannot "
                "be read. They are left out, and all others are used; a review with "
                "`force` finds again what is missing."
            )

    def _take(
        self,
        reader: RowReader,
        ownership: Ownership,
        workspaces: Collection[str],
    ) -> None:
        for other in review_rows.read_owners(reader, workspaces):
            if other == self._owner:
                continue
            with ownership.taking_from(other) as is_gone:
                if is_gone:
                    review_rows.take_from(
                        reader.connection, other, workspaces, new_owner=self._owner
                    )

    def _do(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        while True:
            connection = self._open()
            try:
                with translated(self._opened_path):
                    done = work(connection)
                    if self.path != IN_MEMORY:
                        keep_findable(connection, self._opened_path, self._log)
                    return done
            except StoreUnusableError as error:
                self.close()
                self._damaged.add(self._opened_path)
                self._notify(
                    f"{error} It is left as it is; the next file is used.",
                    cause=str(error),
                )
            except StoreBusyError:
                _roll_back(connection)
                raise
            except StoreUnavailableError:
                # After an error of the disk, a connection may not recover.
                _roll_back(connection)
                if self.path != IN_MEMORY:
                    self._disconnect()
                raise
            except BaseException:
                _roll_back(connection)
                raise

    def _open(self) -> sqlite3.Connection:
        if self.path == IN_MEMORY:
            self._connection = self._connection or _in_memory()
            return self._connection
        if self._connection is not None:
            if identity_of(self._opened_path) == self._identity:
                return self._connection
            # The user deleted it, perhaps with our lock, or put a link in its place;
            # what is written there is lost.
            copy_log_if_linked(self._connection, self._opened_path, self._identity)
            self.close()
        opened = open_for_writing(self.path, without=self._damaged)
        for error in opened.skipped:
            logger.info("%s It is left as it is.", error)
        if self._opened_path != opened.path:
            self.close()
        ownership = self._ownership or Ownership(opened.path, self._owner)
        try:
            ownership.hold()
        except OSError as error:
            opened.connection.close()
            reason = error.strerror or type(error).__name__
            raise StoreUnavailableError(
                f"No file can be written beside {opened.path}: {reason}."
            ) from error
        self._connection, self._opened_path = opened.connection, opened.path
        self._identity, self._log = opened.identity, opened.log
        self._n_opened += 1
        self._ownership = ownership
        return opened.connection


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.rollback()


def _in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(
        str(IN_MEMORY), isolation_level=None, check_same_thread=False
    )
    migrate(connection, IN_MEMORY)
    return connection
