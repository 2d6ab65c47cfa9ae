"""A plan that was applied is taken back, file by file."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from redline.assist.plan.application import (
    applying_again,
    shown_of_sent,
    taking_back,
)
from redline.plans.overlay import Overlay
from redline.plans.record import PlanRecord, PlanRequest, SentEdit

BASE = {"edited.py": "a\n", "created.py": None, "deleted.py": "c\n", "old.py": "d\n"}
LANDED = (
    Overlay(base=BASE)
    .write("edited.py", "b\n")
    .write("created.py", "new\n")
    .delete("deleted.py")
    .rename("old.py", "new.py")
)
AFTER = {
    "edited.py": "b\n",
    "created.py": "new\n",
    "deleted.py": None,
    "new.py": "d\n",
    "old.py": None,
}
RESTORED = {"edited.py", "created.py", "deleted.py", "old.py"}


def write(folder: Path, files: dict[str, str | None]) -> None:
    for path, text in files.items():
        if text is None:
            (folder / path).unlink(missing_ok=True)
        else:
            (folder / path).write_text(text, encoding="utf-8")


def record(folder: Path) -> PlanRecord:
    return PlanRecord(
        id="p1",
        request=PlanRequest(instruction="x", roots=(folder.as_uri(),)),
        created_at=1.0,
        landed=LANDED,
    )


@pytest.mark.parametrize(
    ("now", "restored", "stale"),
    [
        ({}, RESTORED, set()),
        ({"edited.py": "mine\n"}, RESTORED - {"edited.py"}, {"edited.py"}),
        # The second time: the user has restored the rest.
        ({"edited.py": "a\n"}, RESTORED - {"edited.py"}, set()),
        ({"created.py": None}, RESTORED - {"created.py"}, set()),
        ({"deleted.py": "c\n"}, RESTORED - {"deleted.py"}, set()),
        ({"deleted.py": "mine\n"}, RESTORED - {"deleted.py"}, {"deleted.py"}),
        ({"new.py": None, "old.py": "d\n"}, RESTORED - {"old.py"}, set()),
        ({"old.py": "d\n"}, RESTORED - {"old.py"}, {"new.py"}),
        ({**BASE, "new.py": None}, set(), set()),
    ],
)
def test_only_what_the_plan_left_is_restored(
    now: dict[str, str | None], restored: set[str], stale: set[str], tmp_path: Path
) -> None:
    """A file that is as it was before the plan needs nothing; another text stays."""
    write(tmp_path, {**AFTER, **now})
    found = taking_back(record(tmp_path), {})
    assert {file.path for file in found.files} == restored
    assert set(found.stale_files) == stale


@pytest.mark.parametrize(
    ("now", "left"),
    [
        (AFTER, set()),
        ({**AFTER, "edited.py": "mine\n"}, {"edited.py"}),
        ({**AFTER, "deleted.py": "c\n"}, {"deleted.py"}),
        ({**AFTER, "old.py": "d\n"}, {"new.py"}),
        ({**BASE, "new.py": None}, {"edited.py", "created.py", "deleted.py", "new.py"}),
    ],
)
def test_an_edit_has_landed_as_far_as_the_files_show_it(
    now: dict[str, str | None], left: set[str], tmp_path: Path
) -> None:
    """What they do not show is still to be applied."""
    write(tmp_path, now)
    sent = SentEdit(
        landed=LANDED,
        deleted={"deleted.py": "c\r\n"},
        deleted_permissions={"deleted.py": 0o640},
    )
    waiting = replace(
        record(tmp_path), landed=Overlay(), overlay=LANDED, sent=sent, state="ready"
    )
    found = shown_of_sent(waiting, {})
    paths = {one.path for one in LANDED.changes()}
    assert {one.path for one in found.files} == paths - left
    assert {one.path for one in found.rest.changes()} == left
    is_deleted = "deleted.py" not in left
    assert found.deleted == ({"deleted.py": "c\r\n"} if is_deleted else {})
    assert found.deleted_permissions == ({"deleted.py": 0o640} if is_deleted else {})


@pytest.mark.parametrize(
    ("now", "again"),
    [
        (AFTER, set()),
        ({**BASE, "new.py": None}, {"edited.py", "created.py", "deleted.py", "new.py"}),
        ({**AFTER, "edited.py": "a\n"}, {"edited.py"}),
        ({**AFTER, "edited.py": "mine\n"}, set()),
        ({**AFTER, "created.py": None}, {"created.py"}),
        ({**AFTER, "new.py": None, "old.py": "d\n"}, {"new.py"}),
    ],
)
def test_what_is_as_it_was_before_is_applied_again(
    now: dict[str, str | None], again: set[str], tmp_path: Path
) -> None:
    """What shows the plan stays, and so does what the user has changed."""
    write(tmp_path, now)
    found = applying_again(record(tmp_path), {})
    assert {one.path for one in found.files} == again
    for one in found.files:
        assert (one.before, one.after) == (
            BASE.get(one.old_path or one.path),
            AFTER[one.path],
        )
