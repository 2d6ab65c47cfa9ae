"""The database file for usage: opened when needed, left alone when damaged.

Used by one thread at a time.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path

from redline.errors import StoreUnavailableError, StoreUnusableError
from redline.store.database import (
    copy_log_if_linked,
    identity_of,
    keep_findable,
    open_for_writing,
    translated,
)
from redline.store.task import Entry
from redline.store.task_rows import cost_by_day, forget_old, write_entry

logger = logging.getLogger(__name__)

_BAD_VALUE = (
    sqlite3.IntegrityError,
    sqlite3.DataError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    OverflowError,
    ValueError,
)
"""Errors that mean that a row's values can never be stored."""


class UsageFile:
    """Writes entries to the first usable file in line."""

    def __init__(
        self, path: Path, *, run: str, keep_days: int, notify: Callable[[str], None]
    ) -> None:
        self._path = path
        self._run = run
        self._keep_days = keep_days
        self._notify = notify
        self._connection: sqlite3.Connection | None = None
        self._opened_path = path
        self._identity: Hashable = None
        self._log: Hashable = None
        self._damaged: set[Path] = set()

    def write(self, entries: Iterable[Entry]) -> Mapping[str, float]:
        """Write all entries in one transaction.

        Returns:
            The US dollars that all processes spent on the newest days, by date.

        Raises:
            StoreUnavailableError: If writing is not possible now; nothing was written.
        """
        while True:
            connection = self._open()
            try:
                with translated(self._opened_path):
                    spent = self._transact(connection, entries)
                    keep_findable(connection, self._opened_path, self._log)
                    return spent
            except StoreUnusableError as error:
                self.close()
                self._damaged.add(self._opened_path)
                self._notify(f"{error} It is left as it is; the next file is used.")
            except StoreUnavailableError:
                # Closing rolls the transaction back.
                self.close()
                raise

    def close(self) -> None:
        """Close the connection, if there is one; `write` opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None:
            if identity_of(self._opened_path) == self._identity:
                return self._connection
            # The user deleted it or put a link in its place; what is written there is
            # lost.
            copy_log_if_linked(self._connection, self._opened_path, self._identity)
            self.close()
        opened = open_for_writing(self._path, without=self._damaged)
        self._connection, self._opened_path = opened.connection, opened.path
        self._identity, self._log = opened.identity, opened.log
        for error in opened.skipped:
            message = (
                f"{error} It is left as it is; usage is kept in {opened.path.name}."
            )
            # Only the server that creates the new file notifies the user.
            if opened.is_begun:
                self._notify(message)
            else:
                logger.info("%s", message)
        return opened.connection

    def _transact(
        self, connection: sqlite3.Connection, entries: Iterable[Entry]
    ) -> Mapping[str, float]:
        connection.execute("BEGIN IMMEDIATE")
        for entry in entries:
            try:
                write_entry(connection, entry, run=self._run)
            except _BAD_VALUE:
                # One bad entry must not block the rest of the batch forever.
                logger.exception("a task that cannot be stored is left out")
        forget_old(connection, keep_days=self._keep_days)
        spent = cost_by_day(connection)
        connection.execute("COMMIT")
        return spent
