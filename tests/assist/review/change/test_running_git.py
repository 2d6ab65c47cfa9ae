"""Each git process belongs to what started it."""

from __future__ import annotations

import asyncio
import subprocess

import pytest

from redline.assist.review.change.running_git import owned_processes, owning_git
from redline.errors import NotReviewableError


def start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"], start_new_session=True)


async def test_processes_end_with_their_owner_only() -> None:
    """Also those that threads of the owner wait for."""
    started: asyncio.Queue[subprocess.Popen[bytes]] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def work() -> int:
        with owned_processes().running(start) as process:
            loop.call_soon_threadsafe(started.put_nowait, process)
            return process.wait()

    async def own() -> int:
        with owning_git():
            return await asyncio.to_thread(work)

    first = asyncio.create_task(own())
    its_process = await started.get()
    second = asyncio.create_task(own())
    other_process = await started.get()
    first.cancel()
    await asyncio.wait({first})
    assert await asyncio.to_thread(its_process.wait) < 0
    assert other_process.poll() is None
    second.cancel()
    await asyncio.wait({second})
    assert await asyncio.to_thread(other_process.wait) < 0


async def test_nothing_is_started_for_an_owner_that_has_ended() -> None:
    """A thread may be between two commands then."""
    with owning_git():
        processes = owned_processes()
    with (
        pytest.raises(NotReviewableError, match="was stopped"),
        processes.running(start),
    ):
        pass
