"""Ignore rules for the event loop: a disk that does not answer blocks nobody."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.assist.privacy import timely_rules
from redline.assist.privacy.local_disks import Mounts
from redline.assist.privacy.timely_rules import SLOW, TimelyRules
from redline.errors import HeldBackError


class Disk:
    """A folder whose disk answers only while `answers` is set."""

    def __init__(self, folder: Path, mounts: Path) -> None:
        self.folder = folder
        mounts.write_text(
            "1 0 0:1 / / rw - ext4 /dev/sda rw\n"
            f"2 1 0:2 / {folder} rw shared:1 - nfs4 server:/a rw\n"
        )
        self.mounts = Mounts(str(mounts))
        self.uri = (folder / "a.py").as_uri()
        self.roots = (folder.as_uri(),)
        self.answers = threading.Event()
        self.n_looks = 0

    def slow(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def look(path: Any, *arguments: Any, **keywords: Any) -> Any:
            if str(self.folder) in str(path):
                self.n_looks += 1
                self.answers.wait()
            return real(path, *arguments, **keywords)

        return look


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    folder = tmp_path / "mounted"
    folder.mkdir()
    (folder / ".gitignore").write_text("ignored.py\n")
    disk = Disk(folder, tmp_path / "mountinfo")
    for name in ("stat", "lstat", "access", "open"):
        monkeypatch.setattr(os, name, disk.slow(getattr(os, name)))
    yield disk
    disk.answers.set()


def test_rules_are_those_of_a_fast_disk(disk: Disk) -> None:
    disk.answers.set()
    rules = TimelyRules(disk.mounts)
    ignored = (disk.folder / "ignored.py").as_uri()
    assert rules.reason(disk.uri, disk.roots) is None
    assert rules.reason(ignored, disk.roots) == ".gitignore leaves it out"
    assert rules.is_inside(disk.uri, disk.roots)


def test_files_of_a_late_disk_are_held_back_until_it_answers(disk: Disk) -> None:
    rules = TimelyRules(disk.mounts)
    assert rules.reason(disk.uri, disk.roots) == SLOW
    assert not rules.is_inside(disk.uri, disk.roots)
    disk.answers.set()
    while rules.reason(disk.uri, disk.roots) == SLOW:
        os.sched_yield()
    assert rules.reason(disk.uri, disk.roots) is None


def test_nobody_waits_again_for_a_late_disk(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = TimelyRules(disk.mounts)
    rules.reason(disk.uri, disk.roots)
    # Who waited would wait for good.
    monkeypatch.setattr(timely_rules, "LOOK_S", None)
    n_threads = threading.active_count()
    for name in ("a.py", "b.py", "c.py"):
        assert rules.reason((disk.folder / name).as_uri(), disk.roots) == SLOW
    assert threading.active_count() == n_threads


def test_other_folders_do_not_wait(disk: Disk, tmp_path: Path) -> None:
    rules = TimelyRules(disk.mounts)
    assert rules.reason(disk.uri, disk.roots) == SLOW
    other = tmp_path / "other"
    other.mkdir()
    assert rules.reason((other / "a.py").as_uri(), (other.as_uri(),)) is None


def test_files_beside_a_folder_whose_disk_is_late_are_judged(
    disk: Disk, tmp_path: Path
) -> None:
    """By the rules of the folders that answer; nobody waits twice for the other one."""
    rules = TimelyRules(disk.mounts)
    other = tmp_path / "other"
    other.mkdir()
    (other / ".gitignore").write_text("ignored.py\n")
    roots = (*disk.roots, other.as_uri())
    uris = [(other / name).as_uri() for name in ("a.py", "ignored.py")]
    n_looks = disk.n_looks
    for _ in range(2):
        reasons = [rules.reason(uri, roots) for uri in uris]
        assert reasons == [None, ".gitignore leaves it out"]
        assert rules.is_inside(uris[0], roots)
        assert rules.reason(disk.uri, roots) == SLOW
    assert rules.reason(uris[0], disk.roots) is None
    assert disk.n_looks - n_looks <= 2
    # It may name a file of either.
    assert rules.reason("suda://a.py", roots) == SLOW


def test_a_late_look_changes_no_states(disk: Disk) -> None:
    rules = TimelyRules(disk.mounts)
    stamps: dict[str, Any] = {}
    assert rules.reason(disk.uri, disk.roots, stamps=stamps) == SLOW
    assert not stamps


def test_folders_that_were_late_once_leave_room_for_others(
    disk: Disk, tmp_path: Path
) -> None:
    rules = TimelyRules(disk.mounts)
    for number in range(timely_rules.MAX_WAITING):
        late = (disk.folder / str(number) / "a.py").as_uri()
        assert rules.reason(late, ()) == SLOW
    other = (tmp_path / "a.py").as_uri()
    assert rules.reason(other, ()) == SLOW
    disk.answers.set()
    while rules.reason(other, ()) == SLOW:
        os.sched_yield()


async def test_a_request_waits_beside_the_event_loop(disk: Disk) -> None:
    rules = TimelyRules(disk.mounts)
    asking = asyncio.create_task(rules.refuse(disk.uri, disk.roots, "a.py"))
    await asyncio.sleep(0)
    assert not asking.done()
    disk.answers.set()
    await asking


async def test_a_request_for_a_dead_disk_ends(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timely_rules, "AWAIT_S", 0.01)
    with pytest.raises(HeldBackError, match="does not answer in time") as found:
        await TimelyRules(disk.mounts).refuse(disk.uri, disk.roots, "a.py")
    assert found.value.remedy.endswith("once the disk answers.")
