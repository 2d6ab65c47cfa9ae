"""Opens the database file, for writing and for reading.

Theory of operation. Several servers, one per editor, have the same file open. A file
that cannot be used (damaged, written by a newer Redline or another program) is
therefore never renamed or removed: SQLite names its journal after the file, and a
process that still has it open would delete the journal of the file that took its place
(sqlite.org, "How To Corrupt An SQLite Database File", section 2.4). The file is left
alone, and the next name in line is used: `redline.sqlite3`, `redline-2.sqlite3`, …
Every process tries the same names in the same order and stops at the same file, so
processes need not agree on it. Files that hold something come before those that are
missing or empty: what is in a later file stays in use when an earlier one is emptied.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any  # What the constructor takes is the concern of `sqlite3`.

from msgspec import Struct

from redline.errors import (
    StoreBusyError,
    StoreUnavailableError,
    StoreUnusableError,
)
from redline.owner_only_files import (
    create_private_file,
    create_private_folder,
    make_private,
)
from redline.settings.tree import StoreSettings
from redline.store.schema import MIGRATIONS, migrate, version_of

BUSY_TIMEOUT_S = 2.0
"""How long to wait for another process' transaction; ours take milliseconds."""

N_IN_LINE = 9
"""How many file names are tried."""

_creating = threading.Lock()

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


class Opened(Struct, frozen=True, kw_only=True):
    """A usable file; the caller closes the connection."""

    connection: sqlite3.Connection
    """In autocommit mode."""
    path: Path
    identity: Hashable = None
    """What `identity_of` says of the file."""
    log: Hashable = None
    """What `log_of` says of the file."""
    is_begun: bool = False
    """Whether this call created the file."""
    skipped: tuple[StoreUnusableError, ...] = ()
    """Why the files before it in line were not used."""


def file_of(settings: StoreSettings) -> Path:
    """Return the file of the settings, or the default file."""
    if settings.file:
        return Path(settings.file).expanduser()
    # Imported here: it takes 20 ms, and a setting makes it unnecessary.
    from platformdirs import user_data_path

    return user_data_path("redline") / "redline.sqlite3"


def in_line(path: Path) -> Iterator[Path]:
    """Yield the file and those that may be used instead, in order."""
    yield path
    for n in range(2, N_IN_LINE + 1):
        yield path.with_stem(f"{path.stem}-{n}")


def _by_use(path: Path) -> list[Path]:
    """Return the files in line: first those that hold something."""
    return sorted(in_line(path), key=_is_empty)


def _is_empty(path: Path) -> bool:
    return not path.exists() or (path.is_file() and not path.stat().st_size)


def open_for_writing(path: Path, *, without: Iterable[Path] = ()) -> Opened:
    """Open the first usable file in line; create and migrate it as needed.

    Args:
        path: The first in line; its folder is created.
        without: Files to skip, since they proved damaged after they were opened.

    Raises:
        StoreUnavailableError: If it cannot be written now, or none in line is usable.
    """
    skipped: list[StoreUnusableError] = []
    for candidate in _by_use(path):
        if candidate in without:
            continue
        is_begun = not candidate.exists()
        try:
            connection = _open_one(candidate)
        except StoreUnusableError as error:
            skipped.append(error)
        else:
            return Opened(
                connection=connection,
                path=candidate,
                identity=identity_of(candidate),
                log=log_of(candidate),
                is_begun=is_begun,
                skipped=tuple(skipped),
            )
    raise StoreUnavailableError(f"{path} and all files in its place are unusable.")


def identity_of(path: Path) -> Hashable:
    """Return a value that another file at this path does not have; None: none is there.

    It tells whether a file that is open has been deleted or replaced. The system gives
    the number of a file to no other one while it is open. A link to the file counts as
    another one: it is refused, so the next start would not find what is written.
    """
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def log_of(path: Path) -> Hashable:
    """Return the identity of the write-ahead log that another process would use."""
    return identity_of(Path(f"{path}-wal"))


def keep_findable(connection: sqlite3.Connection, path: Path, log: Hashable) -> None:
    """Copy the write-ahead log into the file if no other process would find the log.

    A log may be deleted while it is in use. What is written there would end with this
    process.

    Args:
        connection: To the file.
        path: The path by which it was opened.
        log: What `log_of` said then.
    """
    if log_of(path) != log:
        _copy_log(connection)


def copy_log_if_linked(
    connection: sqlite3.Connection, path: Path, identity: Hashable
) -> None:
    """Copy the write-ahead log into a file that a link at its path has replaced.

    Called before closing. The log stays at the old path, where no process looks that
    opens the file at its new one.

    Args:
        connection: To the file.
        path: The path by which it was opened.
        identity: What `identity_of` said then.
    """
    if identity_of(Path(os.path.realpath(path))) == identity:
        # What cannot be copied is still in the log.
        with suppress(sqlite3.Error):
            _copy_log(connection)


def _copy_log(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def open_for_reading(path: Path) -> Opened:
    """Open the first usable file in line without changing anything.

    Raises:
        StoreUnavailableError: If there is none, or it cannot be read now.
    """
    skipped: list[StoreUnusableError] = []
    for candidate in filter(Path.exists, _by_use(path)):
        try:
            connection = open_one_for_reading(candidate)
        except StoreUnusableError as error:
            skipped.append(error)
        else:
            return Opened(connection=connection, path=candidate, skipped=tuple(skipped))
    raise skipped[0] if skipped else StoreUnavailableError(f"{path} is not there.")


def open_one_for_reading(path: Path) -> sqlite3.Connection:
    """Open exactly this file without changing it; an older one as a migrated copy.

    Raises:
        StoreUnusableError: If it is damaged, newer, or not Redline's.
        StoreUnavailableError: If it cannot be read now.
    """
    with translated(path):
        _refuse_special(path)
        connection = _connect_for_reading(path)
        with closing_unless_kept(connection):
            _check_pages(connection, path)
            if version_of(connection, path) == len(MIGRATIONS):
                return connection
            with closing(connection):
                return _migrated_copy(connection, path)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate errors of SQLite and the system into our errors about this file."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        # The lower byte is the primary result code (sqlite.org/rescode.html).
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED:
            raise StoreUnusableError(f"{path} is damaged.") from error
        if code in _BUSY:
            raise StoreBusyError(
                f"{path} is locked by another program.", remedy="Try again."
            ) from error
        raise StoreUnavailableError(f"{path} cannot be used: {error}.") from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreUnavailableError(f"{path} cannot be used: {reason}.") from error


@contextmanager
def closing_unless_kept(connection: sqlite3.Connection) -> Iterator[None]:
    """Close the connection if the block fails."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _open_one(path: Path) -> sqlite3.Connection:
    with translated(path):
        create_private_folder(path.parent)
        _create(path)
        _refuse_special(path)
        connection = _connect(path)
        with closing_unless_kept(connection):
            _check_pages(connection, path)
            if version_of(connection, path) < len(MIGRATIONS):
                migrate(connection, path)
            _let_others_read_meanwhile(connection)
            # A power failure may lose the last commits; a killed process does not.
            connection.execute("PRAGMA synchronous = NORMAL")
            # Reading creates the log, see `log_of`.
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            # An earlier version may have created them like any file.
            for journal in (f"{path}-wal", f"{path}-shm"):
                with suppress(FileNotFoundError):
                    make_private(Path(journal))
        return connection


def _create(path: Path) -> None:
    """Create a file that only the user can read, unless it exists.

    The journal inherits its permissions. An existing file is not opened: closing it
    would release the locks of every connection that this process has to it (sqlite.org,
    "How To Corrupt An SQLite Database File", section 2.2). Another process that closes
    its connection would then delete the journal of this one.
    """
    # While one thread creates the file, no other thread opens it.
    with _creating:
        create_private_file(path)


def _refuse_special(path: Path) -> None:
    """Refuse what is no file: opening a named pipe would wait for its other end.

    SQLite also opens the journals beside the file.

    Raises:
        StoreUnavailableError: If one is there, and not a regular file.
    """
    for end in ("", "-journal", "-wal", "-shm"):
        one = path.with_name(f"{path.name}{end}")
        if one.exists() and not one.is_file():
            raise StoreUnavailableError(f"{one} cannot be used: it is no regular file.")


def _let_others_read_meanwhile(connection: sqlite3.Connection) -> None:
    """Switch the file to a write-ahead log; the mode persists for all processes."""
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        # SQLite does not wait here. If the file is busy, another server is using it,
        # which has switched the mode or will; this connection follows.
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise


class _AnyTextConnection(sqlite3.Connection):
    """Reads text that is not UTF-8, too: a damaged row must not fail all others."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.text_factory = lambda text: text.decode(errors="replace")


def _connect(target: Path | str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(
        target,
        uri=uri,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        factory=_AnyTextConnection,
    )


def _connect_for_reading(path: Path) -> sqlite3.Connection:
    uri = path.absolute().as_uri()
    connection = _connect(f"{uri}?mode=ro", uri=True)
    with closing_unless_kept(connection):
        try:
            connection.execute("PRAGMA user_version").fetchone()
        except sqlite3.OperationalError:
            # In a read-only folder, SQLite opens a WAL file only if it is declared
            # immutable, which is safe without a log.
            if path.with_name(f"{path.name}-wal").exists():
                raise
        else:
            return connection
    connection.close()
    return _connect(f"{uri}?immutable=1", uri=True)


def _check_pages(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise StoreUnusableError(f"{path} is damaged.")


def _migrated_copy(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    copy = _connect(":memory:")
    with closing_unless_kept(copy):
        connection.backup(copy)
        migrate(copy, path)
        return copy


DAY_S = 86_400.0


def kept_since(
    connection: sqlite3.Connection, table: str, column: str, *, keep_days: int
) -> float | None:
    """Return the time before which rows are old; None: all rows are kept.

    The clock of a computer may be wrong for a while: set forward, it would age
    everything at once. So one day alone never does: rows are counted from the last day
    of use before the newest one, and rows from the future do not count.

    Args:
        connection: To the file.
        table: A table.
        column: Its column with the time of each row, in Unix seconds.
        keep_days: How many days rows are kept.
    """
    # Safe to interpolate: the names are constants.
    newest = f"SELECT max({column}) FROM {table} WHERE {column} <= ?"
    before = f"SELECT max({column}) FROM {table} WHERE {column} < ({newest}) - ?"
    # Shortly after a small correction, the newest rows are from the future.
    (day,) = connection.execute(before, (time.time() + DAY_S, DAY_S)).fetchone()
    return None if day is None else day - keep_days * DAY_S


def insert(
    connection: sqlite3.Connection,
    table: str,
    row: Mapping[str, object],
    *,
    on_conflict: str = "",
) -> None:
    """Insert a row.

    Args:
        connection: To the file.
        table: A table.
        row: Its values by column.
        on_conflict: The clause for a row that is there; empty: it is replaced.
    """
    # Safe to interpolate: the names are constants.
    columns, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
    verb = "INSERT" if on_conflict else "INSERT OR REPLACE"
    connection.execute(
        f"{verb} INTO {table} ({columns}) VALUES ({marks}) {on_conflict}", row
    )


class ProbedFile(Struct, frozen=True, kw_only=True):
    """A file that can be written."""

    path: Path
    """The file, or the one that will be created."""
    is_there: bool
    skipped: tuple[str, ...] = ()
    """Why files before it in line are not used, a sentence each."""


def probe_file(path: Path) -> ProbedFile:
    """Find the file that a server would write to.

    An existing file is opened as a server does, migration included; if there is none,
    only its folder is checked.

    Raises:
        StoreError: If it cannot be written, or not now.
    """
    if not any(map(os.path.lexists, in_line(path))):
        _check_folder(path)
        return ProbedFile(path=path, is_there=False)
    opened = open_for_writing(path)
    with translated(opened.path), closing(opened.connection) as connection:
        # Take the lock that writing takes, and release it.
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    return ProbedFile(
        path=opened.path, is_there=True, skipped=tuple(map(str, opened.skipped))
    )


def _check_folder(path: Path) -> None:
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise StoreUnavailableError(f"Nothing can be created in {folder}.")
