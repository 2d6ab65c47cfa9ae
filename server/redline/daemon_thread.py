"""Runs work in a thread that does not delay the end of the process.

`asyncio.to_thread` would delay it: the interpreter waits for those threads, so work
that cannot be interrupted would keep a stopped server alive.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def in_daemon_thread(work: Callable[[], T], *, limit_s: float | None) -> T:
    """Run `work` in a thread of its own and return its result.

    After a timeout or a cancellation the work continues and its result is dropped:
    threads cannot be stopped.

    Raises:
        TimeoutError: If it takes longer than the limit, in seconds; None: no limit.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def report(settle: Callable[[], None]) -> None:
        # The loop may be closed already, when the process is ending.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: None if done.done() else settle())

    def run() -> None:
        try:
            result = work()
        except Exception as exc:  # noqa: BLE001  # Raised again where it is awaited.
            error = exc
            report(lambda: done.set_exception(error))
        else:
            report(lambda: done.set_result(result))

    threading.Thread(target=run, name="daemon work", daemon=True).start()
    async with asyncio.timeout(limit_s):
        return await done
