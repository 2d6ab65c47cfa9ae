"""The death of a process is noticed; a process that is not visible is not watched."""

from __future__ import annotations

import asyncio
import os
import sys

import pytest

from redline.lsp.jsonrpc.process_watch import watch_process


async def test_the_end_of_a_process_calls_back_once() -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE
    )
    gone = asyncio.Event()
    calls: list[bool] = []

    def on_gone() -> None:
        calls.append(True)
        gone.set()

    assert watch_process(child.pid, on_gone, interval_s=0.001)
    await child.communicate(b"\n")
    async with asyncio.timeout(10):
        await gone.wait()
    assert calls == [True]


@pytest.mark.parametrize(
    "process_id",
    [0, -1, pytest.param(-os.getpid(), id="own group"), 2**31, 2**70, 2**22 + 1],
)
async def test_what_is_no_process_here_is_not_watched(process_id: int) -> None:
    assert not watch_process(process_id, lambda: None)


async def test_a_process_of_somebody_else_counts_as_alive() -> None:
    assert watch_process(1, lambda: None)
