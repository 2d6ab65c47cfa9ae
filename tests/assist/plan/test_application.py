"""A plan is applied to the files as they are now."""

from __future__ import annotations

from pathlib import Path

import pytest

from redline.assist.editor.workspace import Workspace
from redline.assist.plan.application import application
from redline.plans.overlay import Overlay
from redline.plans.record import PlanRecord, PlanRequest

BASE = {"edited.py": "a\n", "inner/new.py": None, "deleted.py": "c\n", "old.py": "d\n"}
OVERLAY = (
    Overlay(base=BASE)
    .write("edited.py", "b\n")
    .write("inner/new.py", "new\n")
    .delete("deleted.py")
    .rename("old.py", "moved.py")
)


@pytest.mark.parametrize(
    ("link", "stale"),
    [
        ("", set()),
        ("edited.py", {"edited.py"}),
        ("inner", {"inner/new.py"}),
        ("deleted.py", {"deleted.py"}),
        ("moved.py", {"moved.py"}),
        ("old.py", {"moved.py"}),
    ],
)
@pytest.mark.parametrize("target", ["same.py", "folder", "missing.py"])
def test_what_has_become_a_link_is_stale(
    link: str, target: str, stale: set[str], tmp_path: Path
) -> None:
    """Neither is a link replaced or deleted, nor is anything written through it."""
    folder, outside = tmp_path / "project", tmp_path / "outside"
    for made in (folder, outside, outside / "folder"):
        made.mkdir()
    for path, text in BASE.items():
        if text is not None:
            (folder / path).write_text(text, encoding="utf-8")
    if link:
        same = BASE.get(link)
        (outside / "same.py").write_text(same or "", encoding="utf-8")
        (folder / link).unlink(missing_ok=True)
        (folder / link).symlink_to(outside / target)
    record = PlanRecord(
        id="p1",
        request=PlanRequest(instruction="x", roots=(folder.as_uri(),)),
        created_at=1.0,
        overlay=OVERLAY,
    )
    found = application(record, {})
    assert set(found.stale_files) == stale


def test_a_file_that_is_open_elsewhere_is_neither_moved_nor_deleted(
    tmp_path: Path,
) -> None:
    """Its document would stay there, with what is not saved; its text is edited."""
    folder, link = tmp_path / "project", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    workspace = Workspace()
    for path, text in BASE.items():
        if text is not None:
            (folder / path).write_text(text, encoding="utf-8")
            workspace.open((link / path).as_uri(), "python", 1, text)
    record = PlanRecord(
        id="p1",
        request=PlanRequest(instruction="x", roots=(folder.as_uri(),)),
        created_at=1.0,
        overlay=OVERLAY,
    )
    found = application(record, workspace.snapshots())
    assert set(found.stale_files) == {"deleted.py", "moved.py"}
    edited = {one.path: (one.uri, one.is_open) for one in found.files}
    assert edited == {
        "edited.py": ((link / "edited.py").as_uri(), True),
        "inner/new.py": ((folder / "inner/new.py").as_uri(), False),
    }
