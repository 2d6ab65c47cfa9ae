"""Deleted files are written back whole, renamed ones moved, or not at all."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from redline.assist.plan.application import AppliedFile
from redline.assist.plan.file_operations import change_files, restore_files
from redline.errors import EditNotLandedError
from redline.text.document import Document
from redline.text.position import Encoding

TEXT = "\ufeffone\r\ntwo\r\n" * 100


def deleted(path: Path, permissions: int | None) -> AppliedFile:
    document = Document(
        uri=path.as_uri(),
        language_id="python",
        version=0,
        text="",
        encoding=Encoding.UTF_16,
    )
    return AppliedFile(
        path=path.name,
        uri=path.as_uri(),
        snapshot=document.snapshot(),
        edits=(),
        before=None,
        after=TEXT,
        exact=TEXT,
        permissions=permissions,
    )


@contextmanager
def a_full_disk() -> Iterator[None]:
    """Let no file become longer than some bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    ("permissions", "mode"), [(0o600, 0o600), (0o755, 0o755), (None, 0o640)]
)
def test_a_file_is_as_it_was(
    tmp_path: Path, permissions: int | None, mode: int
) -> None:
    """Or, if that is not known, as the umask wants it."""
    path = tmp_path / "below" / "a.py"
    before = os.umask(0o027)
    try:
        restore_files([deleted(path, permissions)], tmp_path.as_uri())
    finally:
        os.umask(before)
    assert path.read_bytes() == TEXT.encode()
    assert path.stat().st_mode & 0o777 == mode
    assert [each.name for each in path.parent.iterdir()] == ["a.py"]


def test_on_a_full_disk_no_part_of_a_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    file = deleted(path, 0o644)
    with a_full_disk(), pytest.raises(EditNotLandedError, match=r"a\.py \(File too"):
        restore_files([file], tmp_path.as_uri())
    assert not list(tmp_path.iterdir())
    restore_files([file], tmp_path.as_uri())
    assert path.read_bytes() == TEXT.encode()


def test_a_workspace_folder_that_is_gone_is_not_created(tmp_path: Path) -> None:
    root = tmp_path / "gone"
    file = deleted(root / "below" / "a.py", 0o644)
    with pytest.raises(EditNotLandedError, match="the workspace folder is gone"):
        restore_files([file], root.as_uri())
    assert not list(tmp_path.iterdir())


def test_another_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("mine")
    with pytest.raises(EditNotLandedError, match="File exists"):
        restore_files([deleted(path, 0o644)], tmp_path.as_uri())
    assert path.read_text() == "mine"
    assert [each.name for each in tmp_path.iterdir()] == ["a.py"]


def test_a_rename_that_cannot_remove_the_old_file_leaves_no_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it can be done later."""
    old, new = tmp_path / "old" / "a.py", tmp_path / "new" / "a.py"
    old.parent.mkdir()
    old.write_bytes(b"one\n")
    document = Document(
        uri=old.as_uri(),
        language_id="python",
        version=0,
        text="one\n",
        encoding=Encoding.UTF_16,
    )
    file = AppliedFile(
        path="new/a.py",
        uri=new.as_uri(),
        snapshot=document.snapshot(),
        edits=(),
        before="one\n",
        after="one\n",
        old_path="old/a.py",
        old_uri=old.as_uri(),
    )
    unlink = Path.unlink

    def refuse_old(path: Path, missing_ok: bool = False) -> None:
        if path == old:
            raise PermissionError(errno.EACCES, "Permission denied")
        unlink(path, missing_ok=missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse_old)
        faults = change_files([file], tmp_path.as_uri())
    assert faults == {"new/a.py": "Permission denied"}
    assert old.read_bytes() == b"one\n"
    assert not new.exists()
    assert not change_files([file], tmp_path.as_uri())
    assert new.read_bytes() == b"one\n"
    assert not old.exists()
