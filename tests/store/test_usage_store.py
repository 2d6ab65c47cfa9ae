"""Recorded tasks are read again, and a bad disk does not affect edits."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.store.conftest import replace_by_link

from redline.errors import StoreUnavailableError
from redline.store import database, usage_file, usage_store, writer
from redline.store.schema import APPLICATION_ID, MIGRATIONS
from redline.store.task import (
    LateTaskFacts,
    TaskDraft,
    TaskRoute,
    TaskTimes,
    TaskTokens,
    TaskUsage,
)
from redline.store.task_rows import forget_old
from redline.store.totals import StoredTask, day_of
from redline.store.usage_store import UsageStore

MakeTask = Callable[..., TaskUsage]
Open = Callable[..., UsageStore]
Rows = Callable[[Path, str], list[tuple[object, ...]]]

FULL = TaskUsage(
    id="5f2a",
    kind="quickfix",
    tier="deep",
    model="thinker",
    route=TaskRoute(
        tier="standard",
        score=0.55,
        reasons=("debugging", "two-files"),
        boundaries=("auth",),
    ),
    times=TaskTimes(
        queued_at=1_800_000_000.25,
        first_delta_s=0.1,
        ended_s=0.2,
        checked_s=0.3,
        applied_s=0.4,
    ),
    outcome="applied",
    tokens=TaskTokens(
        input_n_tokens=1_000,
        cached_n_tokens=900,
        output_n_tokens=80,
        wasted_n_tokens=30,
    ),
    cost=0.0125,
    n_lines=12,
    failed_checks=("syntax", "phantom-import"),
    n_repairs=1,
    n_escalations=1,
    draft=TaskDraft(model="cheap", result="escalated"),
    opinion="changed",
)


async def n_tasks(store: UsageStore) -> int:
    totals = await asyncio.to_thread(store.totals, since=0.0, by=())
    return sum(group.tasks for group in totals)


async def test_a_file_that_was_removed_is_made_again(
    open_store: Open, make_task: MakeTask, path: Path, remove: Callable[[Path], None]
) -> None:
    """What is recorded later would be lost in a file without a name."""
    store = open_store()
    store.record(make_task("t1"))
    await store.settled()
    remove(path)
    store.record(make_task("t2"))
    await store.settled()
    assert await n_tasks(open_store(path)) == (2 if sys.platform == "win32" else 1)
    assert not store.problems


async def test_a_link_in_place_of_the_file_is_not_written_to(
    open_store: Open, make_task: MakeTask, path: Path, rows: Rows
) -> None:
    """What is recorded meanwhile waits for the file."""
    store = open_store()
    store.record(make_task("t1"))
    await store.settled()
    elsewhere = replace_by_link(path)
    store.record(make_task("t2"))
    await store.settled()
    (problem,) = store.problems
    assert "it is a symbolic link" in problem
    assert len(rows(elsewhere, "SELECT * FROM tasks")) == 1

    elsewhere.replace(path)
    store.record(make_task("t3"))
    assert await n_tasks(store) == 3
    assert not store.problems


async def test_every_column_is_written(open_store: Open, path: Path) -> None:
    store = open_store(run="r1")
    store.record(FULL)
    await store.aclose()

    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        (row,) = connection.execute("SELECT * FROM tasks").fetchall()
    assert dict(row) == {
        "seq": 1,
        "run": "r1",
        "id": "5f2a",
        "kind": "quickfix",
        "tier": "deep",
        "model": "thinker",
        "route_tier": "standard",
        "route_score": 0.55,
        "route_reasons": "debugging two-files",
        "route_boundaries": "auth",
        "queued_at": 1_800_000_000.25,
        "first_delta_s": 0.1,
        "ended_s": 0.2,
        "checked_s": 0.3,
        "applied_s": 0.4,
        "input_n_tokens": 1_000,
        "cached_n_tokens": 900,
        "output_n_tokens": 80,
        "wasted_n_tokens": 30,
        "cost": 0.0125,
        "n_lines": 12,
        "failed_checks": "syntax phantom-import",
        "n_repairs": 1,
        "n_escalations": 1,
        "outcome": "applied",
        "accepted_at": None,
        "rejected_at": None,
        "undone_at": None,
        "edited_at": None,
        "draft_model": "cheap",
        "draft_result": "escalated",
        "opinion": "changed",
    }


async def test_the_measures_of_what_was_just_recorded(
    open_store: Open, make_task: MakeTask, noon: float
) -> None:
    store = open_store()
    store.record(make_task("a", cost=0.5))
    store.record(make_task("b", cost=0.25, outcome="failed"))
    store.update("a", LateTaskFacts(undone_at=noon + 10))

    (totals,) = await asyncio.to_thread(store.totals, since=noon)

    assert (totals.tier, totals.day) == ("fast", day_of(noon))
    assert (totals.tasks, totals.accepted, totals.undone) == (2, 1, 1)
    assert totals.cost_per_accepted == 0.75
    assert await asyncio.to_thread(store.totals, since=noon + 1) == ()


@pytest.mark.parametrize(
    ("later", "column", "value"),
    [
        (LateTaskFacts(accepted_at=7.0), "outcome", "accepted"),
        (LateTaskFacts(accepted_at=7.0), "accepted_at", 7.0),
        (LateTaskFacts(rejected_at=7.0), "outcome", "rejected"),
        (LateTaskFacts(rejected_at=7.0), "rejected_at", 7.0),
        (LateTaskFacts(undone_at=7.0), "outcome", "offered"),
        (LateTaskFacts(undone_at=7.0), "undone_at", 7.0),
        (LateTaskFacts(edited_at=7.0), "edited_at", 7.0),
        (LateTaskFacts(outcome="superseded"), "outcome", "superseded"),
        (LateTaskFacts(accepted_at=7.0, outcome="held"), "outcome", "held"),
        (LateTaskFacts(wasted_n_tokens=5), "wasted_n_tokens", 8),
        (LateTaskFacts(wasted_n_tokens=5), "output_n_tokens", 15),
        (LateTaskFacts(cost=0.5), "cost", 0.75),
        (LateTaskFacts(), "cost", 0.25),
    ],
)
async def test_what_became_known_later(
    later: LateTaskFacts,
    column: str,
    value: object,
    open_store: Open,
    make_task: MakeTask,
    path: Path,
    rows: Rows,
) -> None:
    store = open_store()
    tokens = TaskTokens(output_n_tokens=10, wasted_n_tokens=3)
    store.record(make_task("a", outcome="offered", cost=0.25, tokens=tokens))
    store.update("a", later)
    await store.aclose()

    assert rows(path, f"SELECT {column} FROM tasks") == [(value,)]


async def test_the_first_time_of_a_kind_counts(
    open_store: Open, make_task: MakeTask, path: Path, rows: Rows
) -> None:
    store = open_store()
    store.record(make_task("a"))
    for moment in (5.0, 9.0):
        later = LateTaskFacts(
            accepted_at=moment, rejected_at=moment, undone_at=moment, edited_at=moment
        )
        store.update("a", later)
    await store.aclose()

    columns = "accepted_at, rejected_at, undone_at, edited_at"
    assert rows(path, f"SELECT {columns} FROM tasks") == [(5.0, 5.0, 5.0, 5.0)]


async def test_a_cost_that_was_not_known_becomes_known_in_part(
    open_store: Open, make_task: MakeTask, path: Path, rows: Rows
) -> None:
    store = open_store()
    store.record(make_task("a", cost=None))
    store.record(make_task("b", cost=None))
    store.update("a", LateTaskFacts(cost=0.5))
    store.update("b", LateTaskFacts(undone_at=1.0))
    await store.aclose()

    assert rows(path, "SELECT cost FROM tasks ORDER BY id") == [(0.5,), (None,)]


async def test_an_id_is_of_the_newest_task_of_this_run(
    open_store: Open, make_task: MakeTask, path: Path, rows: Rows
) -> None:
    one, other = open_store(run="r1"), open_store(run="r2")
    one.record(make_task("a"))
    one.record(make_task("a"))
    await one.aclose()
    other.record(make_task("a"))
    other.update("nobody", LateTaskFacts(accepted_at=1.0))
    await other.aclose()
    again = open_store(run="r1")
    again.update("a", LateTaskFacts(accepted_at=2.0))
    await again.aclose()

    assert rows(path, "SELECT run, accepted_at FROM tasks ORDER BY seq") == [
        ("r1", None),
        ("r1", 2.0),
        ("r2", None),
    ]


async def test_no_text_reaches_the_file(
    open_store: Open, make_task: MakeTask, path: Path, noon: float, rows: Rows
) -> None:
    store = open_store()
    secret = "delete /home/me/secret.py now"
    task = make_task(
        secret,
        kind=secret,
        model=secret,
        route=TaskRoute(tier="fast", reasons=(secret, "ok"), boundaries=(secret,)),
        failed_checks=(secret,),
    )
    store.record(task)
    store.record(make_task("another secret"))
    store.update(secret, LateTaskFacts(undone_at=noon + 1))
    await store.aclose()

    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"secret" not in content
    question = "SELECT kind, model, route_reasons, undone_at FROM tasks ORDER BY seq"
    assert rows(path, question) == [
        ("other", "other", "other ok", noon + 1),
        ("edit", "spark", "one-file", None),
    ]


async def test_a_task_that_cannot_be_stored_holds_up_no_other(
    open_store: Open,
    make_task: MakeTask,
    path: Path,
    rows: Rows,
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = open_store()
    store.record(make_task("a", n_lines=2**63))
    store.record(make_task("b", times=TaskTimes(queued_at=1.0, ended_s=float("nan"))))
    await store.aclose()

    assert rows(path, "SELECT id FROM tasks") == [("b",)]
    assert "left out" in caplog.text


async def test_the_old_is_forgotten(
    open_store: Open, make_task: MakeTask, noon: float, path: Path, rows: Rows
) -> None:
    store = open_store(keep_days=30)
    day_s = 86_400
    for age in (33, 31, 2):
        times = TaskTimes(queued_at=noon - age * day_s)
        store.record(make_task(f"{age}-days", times=times))
    store.record(make_task("new"))
    await store.aclose()

    assert rows(path, "SELECT id FROM tasks ORDER BY seq") == [
        ("31-days",),
        ("2-days",),
        ("new",),
    ]


@pytest.mark.parametrize("jump_days", [-400, 400, 4_000])
async def test_a_clock_that_is_wrong_for_a_day_loses_nothing(
    open_store: Open,
    make_task: MakeTask,
    noon: float,
    path: Path,
    rows: Rows,
    monkeypatch: pytest.MonkeyPatch,
    jump_days: int,
) -> None:
    """Neither while it is wrong nor later; the cost of today is counted."""
    day_s = 86_400
    now = time.time()
    for name, at in (
        ("old", noon),
        ("yesterday", now - 1.5 * day_s),
        ("wrong", now + jump_days * day_s),
        ("wrong-too", now + jump_days * day_s + 60),
        ("today", now),
    ):
        monkeypatch.setattr(time, "time", lambda at=at: at)
        store = open_store(keep_days=365)
        task = make_task(name, cost=0.25, times=TaskTimes(queued_at=at))
        store.record(task)
        await store.aclose()
    names = {name for (name,) in rows(path, "SELECT id FROM tasks")}
    # One from a time before all that is kept is old when the clock is right again.
    assert {"old", "yesterday", "today"} <= names
    assert (jump_days < 0) or len(names) == 5
    store = open_store(keep_days=365)
    await n_tasks(store)
    store.record(make_task("later", times=TaskTimes(queued_at=now)))
    await n_tasks(store)
    assert store.cost_today(now=now) == 0.25


async def test_the_cost_of_today(
    open_store: Open, make_task: MakeTask, noon: float
) -> None:
    store = open_store()
    yesterday = TaskTimes(queued_at=noon - 86_400 - 3_600)
    assert store.cost_today(now=noon) == 0.0

    store.record(make_task("a", cost=0.25))
    store.record(make_task("b", cost=4.0, times=yesterday))
    store.record(make_task("c", cost=None))
    assert store.cost_today(now=noon) == 0.25  # Written or not.

    await n_tasks(store)
    assert store.cost_today(now=noon + 60) == 0.25
    assert store.cost_today(now=noon - 86_400) == 4.0
    assert store.cost_today(now=noon + 86_400) == 0.0

    store.update("a", LateTaskFacts(cost=0.5))
    assert store.cost_today(now=noon) == 0.75
    await n_tasks(store)
    assert store.cost_today(now=noon) == 0.75


async def test_the_cost_of_today_is_that_of_all_editors(
    open_store: Open, make_task: MakeTask, noon: float
) -> None:
    one = open_store()
    one.record(make_task("a", cost=0.25))
    await one.aclose()

    other = open_store()
    await n_tasks(other)
    assert other.cost_today(now=noon) == 0.25


async def test_closing_twice_and_recording_afterwards(
    open_store: Open, make_task: MakeTask, path: Path, noon: float, rows: Rows
) -> None:
    store = open_store()
    store.record(make_task("a", cost=0.5))
    await store.aclose()
    await store.aclose()
    store.record(make_task("b", cost=0.5))
    assert store.cost_today(now=noon) == 0.5
    store.update("a", LateTaskFacts(accepted_at=1.0))

    assert rows(path, "SELECT id, accepted_at FROM tasks") == [("a", None)]
    assert await n_tasks(store) == 1
    assert "usage" not in {thread.name for thread in threading.enumerate()}


# Files that cannot be used.


def spoil(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"x" * 5_000)


def is_spoilt(path: Path) -> bool:
    return path.read_bytes() == b"x" * 5_000


def break_the_pages(path: Path) -> None:
    """Overwrite all but the header, and make open connections read the file again."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock the file like a process that never finishes."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield
        connection.execute("ROLLBACK")


async def test_nobody_waits_for_a_file_that_is_held(
    open_store: Open,
    make_task: MakeTask,
    path: Path,
    noon: float,
    rows: Rows,
    messages: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.01)
    store = open_store()
    await n_tasks(store)
    with locked(path):
        store.record(make_task("a", cost=0.5))
        store.record(make_task("b", cost=0.25))
        assert store.cost_today(now=noon) == 0.75
        assert await n_tasks(store) == 0
        assert store.cost_today(now=noon) == 0.75
        (message,) = messages
        assert "locked" in message
        assert "Edits are not affected" in message

    store.record(make_task("c"))
    assert await n_tasks(store) == 3
    assert len(messages) == 1

    # Once it has gone well, trouble is news again.
    with locked(path):
        for name in ("d", "e"):
            store.record(make_task(name))
            await n_tasks(store)
    assert len(messages) == 2


async def test_closing_waits_for_a_file_that_is_held_only_so_long(
    open_store: Open,
    make_task: MakeTask,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.5)
    store = open_store()
    # The file is there: reading waits for the one that writes it.
    await n_tasks(store)
    monkeypatch.setattr(usage_store, "FLUSH_LIMIT_S", 0.01)
    with locked(path):
        store.record(make_task("a"))
        await store.aclose()
        assert "could not be written in time" in caplog.text

    for thread in threading.enumerate():
        if thread.name == "usage":
            await asyncio.to_thread(thread.join)


async def test_what_waits_is_tried_again_without_a_new_task(
    open_store: Open,
    make_task: MakeTask,
    path: Path,
    rows: Rows,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.01)
    monkeypatch.setattr(writer, "RETRY_S", 0.01)
    written = threading.Event()

    def forget_and_tell(connection: sqlite3.Connection, *, keep_days: int) -> None:
        forget_old(connection, keep_days=keep_days)
        written.set()

    store = open_store()
    await n_tasks(store)
    with locked(path):
        store.record(make_task("a"))
        await n_tasks(store)
        monkeypatch.setattr(usage_file, "forget_old", forget_and_tell)

    assert await asyncio.to_thread(written.wait, 30)


async def test_the_newest_of_too_many_are_kept(
    open_store: Open,
    make_task: MakeTask,
    path: Path,
    noon: float,
    rows: Rows,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.01)
    monkeypatch.setattr(writer, "MAX_WAITING", 2)
    store = open_store()
    await n_tasks(store)
    with locked(path):
        for name in ("a", "b", "c"):
            store.record(make_task(name, cost=1.0))
        await n_tasks(store)
    await store.aclose()

    assert rows(path, "SELECT id FROM tasks ORDER BY seq") == [("b",), ("c",)]
    assert store.cost_today(now=noon) == 2.0


async def test_a_damaged_file_is_left_and_said_once(
    open_store: Open, make_task: MakeTask, path: Path, messages: list[str], rows: Rows
) -> None:
    spoil(path)
    for name in ("a", "b"):
        store = open_store()
        store.record(make_task(name))
        await store.aclose()

    assert is_spoilt(path)
    (message,) = messages
    assert message == (
        f"{path} is damaged. It is left as it is; usage is kept in redline-2.sqlite3."
    )
    assert rows(
        path.with_name("redline-2.sqlite3"), "SELECT id FROM tasks ORDER BY seq"
    ) == [
        ("a",),
        ("b",),
    ]


async def test_a_newer_file_is_left_to_the_newer_redline(
    open_store: Open, make_task: MakeTask, path: Path, messages: list[str], rows: Rows
) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE tasks (future)")
        connection.execute("INSERT INTO tasks VALUES ('kept')")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        connection.commit()
    store = open_store()
    store.record(make_task("a"))

    assert await n_tasks(store) == 1
    (message,) = messages
    assert "newer Redline" in message
    assert rows(path, "SELECT * FROM tasks") == [("kept",)]


async def test_a_file_that_is_damaged_while_in_use(
    open_store: Open, make_task: MakeTask, path: Path, messages: list[str], rows: Rows
) -> None:
    """The next file takes the entries that could not be written."""
    store = open_store()
    store.record(make_task("a"))
    assert await n_tasks(store) == 1
    break_the_pages(path)

    store.record(make_task("b"))
    await store.aclose()

    second = path.with_name("redline-2.sqlite3")
    assert rows(second, "SELECT id FROM tasks") == [("b",)]
    (message,) = messages
    assert message.startswith(f"{path} is damaged.")


async def test_a_folder_that_cannot_be(
    open_store: Open,
    make_task: MakeTask,
    tmp_path: Path,
    messages: list[str],
    noon: float,
) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = open_store(tmp_path / "file" / "usage.sqlite3")
    store.record(make_task("a", cost=0.5))

    with pytest.raises(StoreUnavailableError):
        await n_tasks(store)
    assert store.cost_today(now=noon) == 0.5
    await store.aclose()

    (message,) = messages
    assert message.startswith("Usage is not stored for now: ")
    assert "Edits are not affected." in message


def test_opening_loads_no_sqlite_in_the_callers_thread() -> None:
    code = (
        "import sys, redline.store.usage_store, redline.store.task\n"
        "assert 'sqlite3' not in sys.modules"
    )

    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_columns_that_are_read_are_in_the_table(path: Path, rows: Rows) -> None:
    database.open_for_writing(path).connection.close()

    columns = {row[1] for row in rows(path, "PRAGMA table_info(tasks)")}
    assert set(StoredTask._fields) <= columns
