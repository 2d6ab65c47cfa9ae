"""Fixtures: tasks, a file, and stores that are closed after the test."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Protocol

import pytest
from msgspec.structs import replace

from redline.store.task import TaskRoute, TaskTimes, TaskUsage
from redline.store.usage_store import UsageStore

NOON = datetime(2026, 3, 10, 12).timestamp()
"""Far from midnight, wherever the tests run."""


class MakeTask(Protocol):
    """Build a task; everything has a default."""

    def __call__(self, task_id: str = "t1", **fields: object) -> TaskUsage: ...


Open = Callable[..., UsageStore]


@pytest.fixture
def noon() -> float:
    return NOON


@pytest.fixture
def make_task() -> MakeTask:
    base = TaskUsage(
        id="t1",
        kind="edit",
        tier="fast",
        model="spark",
        route=TaskRoute(tier="fast", score=0.2, reasons=("one-file",)),
        times=TaskTimes(queued_at=NOON, ended_s=0.5, checked_s=0.6, applied_s=0.7),
        outcome="applied",
    )

    def make(task_id: str = "t1", **fields: object) -> TaskUsage:
        # The fields' types are those of TaskUsage, which a protocol cannot say.
        return replace(base, id=task_id, **fields)

    return make


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "redline.sqlite3"


@pytest.fixture
def messages() -> list[str]:
    """The messages to the user."""
    return []


@pytest.fixture
async def open_store(path: Path, messages: list[str]) -> AsyncIterator[Open]:
    """Open stores that are closed in the end."""
    stores: list[UsageStore] = []

    def open_one(file: Path = path, **options: object) -> UsageStore:
        # As above: the options are those of `UsageStore.open`.
        store = UsageStore.open(file, notify=messages.append, **options)  # type: ignore[arg-type]
        stores.append(store)
        return store

    yield open_one
    for store in stores:
        await store.aclose()


@pytest.fixture
def rows() -> Callable[..., list[tuple[object, ...]]]:
    """Read a file without our own code."""

    def select(file: Path, question: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(file)) as connection:
            return connection.execute(question).fetchall()

    return select


def _delete_file(path: Path) -> None:
    path.unlink()


def _delete_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def _move_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("moved"))


def replace_by_link(path: Path) -> Path:
    """Move a file away and put a link to it in its place; return its new path."""
    elsewhere = path.rename(path.with_name("elsewhere.sqlite3"))
    path.symlink_to(elsewhere)
    return elsewhere


@pytest.fixture(params=[_delete_file, _delete_folder, _move_folder])
def remove(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    """Remove the file of a store that is open, as a user may."""
    if sys.platform == "win32":  # Windows deletes and moves no file that is open.
        return lambda path: None
    removed: Callable[[Path], None] = request.param
    return removed
