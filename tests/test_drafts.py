"""A draft that a killed process has left is removed by the next one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from redline.drafts import open_draft, remove_left_drafts

DAY_S = 86_400


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's data folder."""
    folder = tmp_path.with_name(f"{tmp_path.name}-data")
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder


def test_what_is_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    """Not what is written now, what has another name, and what is no file."""
    left = tmp_path / ".redline-0123456789abcdef"
    link = tmp_path / ".redline-0123456789abcde0"
    others = [
        tmp_path / ".redline-notes",
        tmp_path / "a.redline-0123456789abcdef",
        tmp_path / ".redline-0123456789ABCDEF",
        tmp_path / ".redline-0123456789abcdef.txt",
    ]
    for path in (left, *others):
        path.write_text("x")
    link.symlink_to(others[0])
    (tmp_path / ".redline-0123456789abcde1").mkdir()
    create(tmp_path / "a.py")
    assert left.exists()
    for path in (left, *others):
        os.utime(path, (path.stat().st_mtime - DAY_S,) * 2)
    create(tmp_path / "a.py")
    assert not left.exists()
    assert set(tmp_path.iterdir()) == {
        *(link, *others),
        tmp_path / ".redline-0123456789abcde1",
    }


def test_what_is_left_in_a_workspace_is_removed_when_it_is_opened(
    tmp_path: Path, data: Path
) -> None:
    """By a server, without a search for it, and not in other workspaces."""
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    drafts = [
        killed_while_writing(here / "src" / "a.py"),
        killed_while_writing(here / "\udcff \u00e4.py"),
        killed_while_writing(elsewhere / "a.py"),
    ]
    new = killed_while_writing(here / "b.py")
    kept = here / "src" / ".redline-0123456789abcdef"
    kept.write_text("not recorded")
    records = data / "redline" / "drafts"
    for path in (*drafts, kept, *(records / draft.name for draft in drafts)):
        os.utime(path, (path.stat().st_mtime - DAY_S,) * 2)
    (tmp_path / "link").symlink_to(here)
    remove_left_drafts([tmp_path / "link"])
    assert [draft.exists() for draft in drafts] == [False, False, True]
    assert kept.exists()
    assert {each.name for each in records.iterdir()} == {drafts[2].name, new.name}
    assert all(each.stat().st_mode & 0o777 == 0o600 for each in records.iterdir())


def test_a_record_that_names_another_file_removes_nothing(
    tmp_path: Path, data: Path
) -> None:
    draft = killed_while_writing(tmp_path / "a.py")
    mine = tmp_path / "mine.py"
    mine.write_text("x = 1\n")
    record = data / "redline" / "drafts" / draft.name
    record.write_text(str(mine))
    for path in (draft, mine, record):
        os.utime(path, (path.stat().st_mtime - DAY_S,) * 2)
    remove_left_drafts([tmp_path])
    assert mine.exists()


def create(path: Path) -> None:
    with open_draft(path, 0o600) as (descriptor, _):
        os.close(descriptor)


def killed_while_writing(path: Path) -> Path:
    """Have a process killed that is writing a file; return the draft that it leaves."""
    path.parent.mkdir(parents=True, exist_ok=True)
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from redline.drafts import open_draft\n"
        "with open_draft(Path(sys.argv[1]), 0o600):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)"
    )
    before = set(path.parent.glob(".redline-*"))
    subprocess.run([sys.executable, "-c", code, path], check=False)
    (draft,) = set(path.parent.glob(".redline-*")) - before
    return draft
