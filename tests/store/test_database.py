"""Which file is opened, and that an unusable file is left alone."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from redline.errors import StoreUnavailableError, StoreUnusableError
from redline.settings.tree import StoreSettings
from redline.store import database
from redline.store.database import (
    N_IN_LINE,
    file_of,
    in_line,
    open_for_reading,
    open_for_writing,
    open_one_for_reading,
)
from redline.store.schema import APPLICATION_ID, MIGRATIONS, migrate


def damage(path: Path) -> None:
    path.write_bytes(b"not a database at all" * 100)


def make_newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        connection.execute("CREATE TABLE wonders (x)")


def make_foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")


def break_a_page(path: Path) -> None:
    """Damage a page but not the header, so that only a check of pages finds it."""
    begin(path)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)


def begin(path: Path) -> None:
    open_for_writing(path).connection.close()


@pytest.fixture(autouse=True)
def folder(path: Path) -> Path:
    path.parent.mkdir()
    return path.parent


SPOILS = [damage, make_newer, make_foreign, break_a_page]


def test_a_new_file_is_begun_in_a_new_folder(folder: Path) -> None:
    file = folder / "a" / "b" / "usage.sqlite3"

    opened = open_for_writing(file)
    opened.connection.close()

    assert (opened.path, opened.is_begun, opened.skipped) == (file, True, ())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_is_there_is_used_again(path: Path) -> None:
    begin(path)

    opened = open_for_writing(path)
    opened.connection.close()

    assert (opened.path, opened.is_begun, opened.skipped) == (path, False, ())


def test_readers_do_not_hold_up_the_writer(path: Path) -> None:
    with closing(open_for_writing(path).connection) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_that_is_in_use_is_switched_by_whoever_opens_it_next(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two first starts at once: SQLite does not wait here."""
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        migrate(other, path)
        other.execute("BEGIN")
        other.execute("SELECT * FROM tasks").fetchall()

        with closing(open_for_writing(path).connection) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
            assert connection.execute("SELECT * FROM tasks").fetchall() == []

    with closing(open_for_writing(path).connection) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize("spoil", SPOILS)
def test_an_unusable_file_stays_as_it_is_and_the_next_is_used(
    spoil: Callable[[Path], None], path: Path
) -> None:
    spoil(path)
    before = path.read_bytes()

    opened = open_for_writing(path)
    opened.connection.close()
    again = open_for_writing(path)
    again.connection.close()

    assert path.read_bytes() == before
    assert opened.path == again.path == path.with_name("redline-2.sqlite3")
    assert (opened.is_begun, again.is_begun) == (True, False)
    (error,) = opened.skipped
    assert str(path) in str(error)


def test_the_line_ends(path: Path) -> None:
    for file in in_line(path):
        damage(file)

    with pytest.raises(StoreUnavailableError, match="all files in its place"):
        open_for_writing(path)

    assert len(list(path.parent.iterdir())) == N_IN_LINE


def test_a_file_known_to_be_damaged_is_passed_over(path: Path) -> None:
    opened = open_for_writing(path, without={path})
    opened.connection.close()

    assert opened.path == path.with_name("redline-2.sqlite3")
    assert not path.exists()


def test_a_folder_that_cannot_be_is_no_damage(path: Path) -> None:
    path.write_bytes(b"")

    with pytest.raises(StoreUnavailableError, match="cannot be used"):
        open_for_writing(path / "in a file" / "usage.sqlite3")


def test_a_folder_in_place_of_the_file_is_no_damage(path: Path) -> None:
    path.mkdir()

    with pytest.raises(StoreUnavailableError, match="cannot be used"):
        open_for_writing(path)
    with pytest.raises(StoreUnavailableError, match="cannot be used"):
        open_for_reading(path)


def test_reading_begins_no_file(path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match="is not there"):
        open_for_reading(path)

    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("spoil", SPOILS)
def test_reading_goes_down_the_same_line(
    spoil: Callable[[Path], None], path: Path
) -> None:
    spoil(path)
    with pytest.raises(StoreUnusableError):
        open_for_reading(path)
    begin(path)

    opened = open_for_reading(path)
    opened.connection.close()

    assert opened.path == path.with_name("redline-2.sqlite3")
    assert len(opened.skipped) == 1


def test_an_older_file_is_read_as_if_it_were_migrated(path: Path) -> None:
    path.write_bytes(b"")

    with closing(open_one_for_reading(path)) as connection:
        assert connection.execute("SELECT * FROM tasks").fetchall() == []

    assert path.read_bytes() == b""


def test_what_was_opened_for_reading_cannot_be_written(path: Path) -> None:
    begin(path)

    with (
        closing(open_one_for_reading(path)) as connection,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        connection.execute("DELETE FROM tasks")


def test_reading_while_somebody_writes(path: Path) -> None:
    with closing(open_for_writing(path).connection) as writing:
        writing.execute("BEGIN IMMEDIATE")
        with closing(open_one_for_reading(path)) as connection:
            assert connection.execute("SELECT * FROM tasks").fetchall() == []


def test_the_default_file_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")

    assert file_of(StoreSettings()).name == "redline.sqlite3"
    assert "redline" in file_of(StoreSettings()).parent.parts


def test_what_is_written_is_seen_after_another_process_has_closed_the_file(
    path: Path,
) -> None:
    """A second connection of the same process must not release the first one's locks.

    The other process would take itself for the last one and delete the journal.
    """
    with closing(open_for_writing(path).connection) as first:
        # With its first use it takes its locks.
        first.execute("DELETE FROM dismissals")
        open_for_writing(path).connection.close()
        read_elsewhere(path)
        first.execute("INSERT INTO dismissals VALUES ('w', 'f', 1.0, x'00')")

        assert read_elsewhere(path) == "1"


def read_elsewhere(path: Path) -> str:
    """Count the dismissals in a separate process, which closes the file."""
    program = (
        "import sqlite3, sys; connection = sqlite3.connect(sys.argv[1]); "
        "print(*connection.execute('SELECT count(*) FROM dismissals').fetchone()); "
        "connection.close()"
    )
    words = [sys.executable, "-c", program, str(path)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout[:-1]


def test_what_a_later_file_holds_is_used_when_the_first_one_is_emptied(
    path: Path,
) -> None:
    """Else the next start would take the empty one for a new store."""
    with closing(open_for_writing(path).connection):
        pass
    path.write_bytes(b"")
    with closing(open_for_writing(path, without={path}).connection) as connection:
        connection.execute("INSERT INTO dismissals VALUES ('w', 'f', 1.0, x'00')")

    for open_it in (open_for_writing, open_for_reading):
        with closing((opened := open_it(path)).connection) as connection:
            assert opened.path == path.with_name("redline-2.sqlite3")
            assert connection.execute("SELECT count(*) FROM dismissals").fetchone()


def test_an_empty_file_is_begun_if_it_is_the_only_one(path: Path) -> None:
    path.write_bytes(b"")
    with closing((opened := open_for_reading(path)).connection):
        assert opened.path == path
    with closing((opened := open_for_writing(path)).connection):
        assert opened.path == path
    assert path.stat().st_size


@pytest.mark.parametrize("end", ["", "-journal", "-wal", "-shm"])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(path: Path, end: str) -> None:
    if end:
        open_for_writing(path).connection.close()
    os.mkfifo(f"{path}{end}")
    for open_it in (open_for_writing, open_for_reading):
        with pytest.raises(StoreUnavailableError, match="no regular file"):
            open_it(path)
