"""Versions, migrations, and files of other programs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from redline.errors import StoreUnusableError
from redline.store.schema import APPLICATION_ID, MIGRATIONS, migrate, version_of

SECOND = (
    "ALTER TABLE tasks ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'",
    "CREATE TABLE bookmarks (id TEXT)",
)


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


TABLES = {
    "tasks",
    "reviews",
    "review_steps",
    "findings",
    "dropped_claims",
    "dismissals",
    "plans",
    "unasked",
}


def tables(connection: sqlite3.Connection) -> set[str]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {name for (name,) in names}


def test_an_empty_file_becomes_ours(connection: sqlite3.Connection, path: Path) -> None:
    assert version_of(connection, path) == 0

    migrate(connection, path)

    assert version_of(connection, path) == len(MIGRATIONS)
    assert tables(connection) == TABLES
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_migrating_twice_changes_nothing(
    connection: sqlite3.Connection, path: Path
) -> None:
    migrate(connection, path)
    migrate(connection, path)

    assert version_of(connection, path) == len(MIGRATIONS)


def test_a_file_that_another_process_migrates_meanwhile_is_ours(
    connection: sqlite3.Connection, path: Path
) -> None:
    """It tries to before the last statement that reads the version."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as other:

        def migrate_there(statement: str) -> None:
            if "sqlite_master" in statement:
                with suppress(sqlite3.OperationalError):
                    migrate(other, path)

        connection.set_trace_callback(migrate_there)
        version = version_of(connection, path)
        connection.set_trace_callback(None)

        assert version == 0
        migrate(other, path)
    assert version_of(connection, path) == len(MIGRATIONS)


def test_a_later_migration_keeps_what_is_there(
    connection: sqlite3.Connection, path: Path
) -> None:
    migrate(connection, path, migrations=(("CREATE TABLE tasks (id TEXT)",),))
    connection.execute("INSERT INTO tasks VALUES ('kept')")

    migrate(connection, path, migrations=(("CREATE TABLE tasks (id TEXT)",), SECOND))

    assert connection.execute("SELECT * FROM tasks").fetchall() == [("kept", "calm")]
    assert tables(connection) == {"tasks", "bookmarks"}


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    connection: sqlite3.Connection, path: Path
) -> None:
    migrate(connection, path)

    with pytest.raises(sqlite3.OperationalError):
        migrate(
            connection,
            path,
            migrations=(*MIGRATIONS, ("CREATE TABLE bookmarks (id TEXT)", "NONSENSE")),
        )

    assert version_of(connection, path) == len(MIGRATIONS)
    assert tables(connection) == TABLES
    assert not connection.in_transaction


def test_a_newer_file_is_refused(connection: sqlite3.Connection, path: Path) -> None:
    migrate(connection, path, migrations=(*MIGRATIONS, SECOND))

    with pytest.raises(StoreUnusableError, match="newer Redline"):
        version_of(connection, path)
    with pytest.raises(StoreUnusableError, match="newer Redline"):
        migrate(connection, path)


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE bookmarks (url)", "PRAGMA application_id = 7"]
)
def test_a_file_of_another_program_is_refused(
    statement: str, connection: sqlite3.Connection, path: Path
) -> None:
    connection.execute(statement)

    with pytest.raises(StoreUnusableError, match="another program"):
        version_of(connection, path)
