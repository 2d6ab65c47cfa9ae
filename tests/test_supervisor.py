"""Tasks are owned: failures are logged, and nothing outlives the owner."""

from __future__ import annotations

import asyncio

import pytest

from redline.supervisor import Supervisor


async def _fail() -> None:
    raise ZeroDivisionError


async def test_failure_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """A task that fails is named in the log, and others go on."""
    supervisor = Supervisor()
    supervisor.start(_fail(), name="the task")
    await supervisor.wait()
    (record,) = caplog.records
    assert "the task" in record.getMessage()


async def test_wait_includes_what_tasks_start() -> None:
    """Waiting lasts until nothing runs, not until what ran at first has ended."""
    supervisor = Supervisor()
    ended: list[str] = []

    async def parent() -> None:
        supervisor.start(child(), name="child")
        ended.append("parent")

    async def child() -> None:
        await asyncio.sleep(0)
        ended.append("child")

    supervisor.start(parent(), name="parent")
    await supervisor.wait()
    assert ended == ["parent", "child"]


async def test_close_ends_everything() -> None:
    """Closing cancels what runs and waits for its clean-up; twice is fine."""
    supervisor = Supervisor()
    cleaned: list[bool] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    supervisor.start(work(), name="work")
    await asyncio.sleep(0)
    await supervisor.aclose()
    await supervisor.aclose()
    assert cleaned == [True]


async def test_completed_work_is_not_interrupted() -> None:
    """The caller is cancelled when it has ended."""
    supervisor = Supervisor()
    may_end = asyncio.Event()
    ended: list[bool] = []

    async def work() -> None:
        await may_end.wait()
        ended.append(True)

    caller = supervisor.start(supervisor.complete(work(), name="work"), name="caller")
    for _ in range(2):
        await asyncio.sleep(0)
        caller.cancel()
    await asyncio.sleep(0)
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended == [True]
