"""A worker that takes jobs until it is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Job = Callable[[], Awaitable[None]]


async def work(jobs: asyncio.Queue[Job]) -> None:
    """Run jobs one by one; a job that fails does not end the worker."""
    while True:
        job = await jobs.get()
        try:
            await job()
        except BaseException:
            print("a job has failed")
        finally:
            jobs.task_done()
