"""Only the user can read what Redline creates, and no link leads it elsewhere."""

from __future__ import annotations

import ast
import logging
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.server_trees import server_trees

from redline.assist.testing.workspace_copy import new_place
from redline.errors import StoreUnavailableError
from redline.log import logging_to
from redline.owner_only_files import (
    create_private_file,
    create_private_folder,
    open_for_appending,
    write_private_file,
)
from redline.settings.tree import LogSettings
from redline.store.database import open_for_writing

CREATORS = {"mkdir", "makedirs", "write_text", "write_bytes", "chmod", "touch"}
"""Calls that create a file or a folder, or correct its mode too late."""


@pytest.fixture(autouse=True, params=[0o000, 0o022])
def any_mask(request: pytest.FixtureRequest) -> Iterator[None]:
    """The user's mask is not relied on."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def append(path: Path) -> None:
    os.close(open_for_appending(path))


def write(path: Path) -> None:
    write_private_file(path, "text\n")


@pytest.mark.parametrize("create", [create_private_file, append, write])
def test_a_new_file_is_the_users_only(
    tmp_path: Path, create: Callable[[Path], None]
) -> None:
    create(tmp_path / "new")
    assert mode(tmp_path / "new") == 0o600
    assert os.listdir(tmp_path) == ["new"]


def test_every_new_folder_is_the_users_only(tmp_path: Path) -> None:
    """Also those above it; one that exists stays as it is."""
    tmp_path.chmod(0o755)
    create_private_folder(tmp_path / "a" / "b")
    create_private_folder(tmp_path / "a" / "b")
    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o700, 0o700)
    assert mode(tmp_path) == 0o755


@pytest.mark.parametrize("has_target", [False, True])
@pytest.mark.parametrize("create", [create_private_file, append])
def test_a_link_is_refused(
    tmp_path: Path, create: Callable[[Path], None], has_target: bool
) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    if has_target:
        target.write_text("of the user")
    with pytest.raises(OSError, match="symbolic link"):
        create(link)
    assert target.exists() == has_target
    assert not has_target or target.read_text() == "of the user"


def test_a_written_file_replaces_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("of the user")
    link.symlink_to(target)
    write(link)
    assert (target.read_text(), link.read_text()) == ("of the user", "text\n")
    assert mode(link) == 0o600


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write(tmp_path / "folder")
    assert os.listdir(tmp_path) == ["folder"]


def test_something_else_in_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("file", "link"):
        with pytest.raises(OSError, match="exists"):
            create_private_folder(tmp_path / name)
    assert not (tmp_path / "nowhere").exists()


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="No such device"):
        append(tmp_path / "pipe")


def test_a_file_that_others_could_read_is_taken_from_them(tmp_path: Path) -> None:
    """Earlier versions created the log like any file."""
    path = tmp_path / "redline.log"
    path.write_text("before\n")
    path.chmod(0o664)
    append(path)
    assert mode(path) == 0o600
    assert path.read_text() == "before\n"


def test_a_store_that_others_could_read_is_taken_from_them(tmp_path: Path) -> None:
    """With its journals, which SQLite creates with the mode of the file."""
    file = tmp_path / "redline.sqlite3"
    file.touch()
    file.chmod(0o664)
    with closing(open_for_writing(file).connection):
        names = ["", "-wal", "-shm"]
        assert [mode(Path(f"{file}{name}")) for name in names] == [0o600] * 3
        for name in names:
            Path(f"{file}{name}").chmod(0o644)
        with closing(open_for_writing(file).connection):
            assert [mode(Path(f"{file}{name}")) for name in names] == [0o600] * 3


@pytest.mark.parametrize("create", [create_private_file, append])
def test_a_file_of_another_user_is_refused(
    tmp_path: Path, create: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a shared folder it could be there first, and be read by its owner."""
    (tmp_path / "theirs").touch()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(PermissionError, match="belongs to another user"):
        create(tmp_path / "theirs")


def test_the_log_and_its_predecessors_are_the_users_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redline.log.MAX_BYTES", 200)
    file = tmp_path / "logs" / "redline.log"
    with logging_to(LogSettings(file=str(file))):
        for _ in range(10):
            logging.getLogger("redline.test").warning("a line of the log %s", "." * 50)
    modes = {path.name: mode(path) for path in file.parent.iterdir()}
    assert len(modes) > 1
    assert set(modes.values()) == {0o600}
    assert mode(file.parent) == 0o700


def test_the_log_does_not_follow_a_link(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "redline.log"
    file.symlink_to(tmp_path / "target")
    with logging_to(LogSettings(file=str(file))):
        logging.getLogger("redline.test").warning("a line")
    assert "it is a symbolic link" in capsys.readouterr().err
    assert not (tmp_path / "target").exists()


def test_the_store_does_not_follow_a_link(tmp_path: Path) -> None:
    file = tmp_path / "data" / "redline.sqlite3"
    file.parent.mkdir()
    file.symlink_to(tmp_path / "target")
    with pytest.raises(StoreUnavailableError, match="symbolic link"):
        open_for_writing(file)
    assert not (tmp_path / "target").exists()


def test_nothing_else_creates_files() -> None:
    """Except the command that writes the extension's manifest; a review and runs of
    tests and checkers, which copy into temporary folders that only the user can read;
    and `redline plan --apply` and `redline.takeBack`, which create files of a plan in
    the workspace."""
    found = {
        module
        for module, tree in server_trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        if isinstance(node.func, ast.Attribute) and node.func.attr in CREATORS
    }
    assert found == {
        "assist/edit/checkers/kept_copy.py",
        "assist/plan/file_operations.py",
        "assist/review/change/git.py",
        "assist/testing/workspace_copy.py",
        "cli/plan/plan_files.py",
        "owner_only_files.py",
        "settings/editor_schema.py",
    }


def test_a_mask_that_takes_everything_takes_nothing_from_the_user(
    tmp_path: Path,
) -> None:
    """Else their own files could not be opened again."""
    folder = tmp_path / "a" / "b"
    before = os.umask(0o777)
    try:
        create_private_folder(folder)
        create_private_file(folder / "created")
        append(folder / "appended")
        write(folder / "written")
        open_for_writing(folder / "redline.sqlite3").connection.close()
        place = new_place()
    finally:
        os.umask(before)
    assert {mode(each) for each in (folder, folder.parent, place)} == {0o700}
    place.rmdir()
    assert {each.name: mode(each) for each in folder.iterdir()} == dict.fromkeys(
        ("created", "appended", "written", "redline.sqlite3"), 0o600
    )
