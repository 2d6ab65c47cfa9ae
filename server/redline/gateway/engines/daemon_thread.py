"""Work off the event loop that cannot hold up the end of the process.

`asyncio.to_thread` would: the interpreter waits for its threads, and work that cannot
be interrupted would then keep a server alive that was told to go.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def in_daemon_thread(work: Callable[[], T], *, limit_s: float) -> T:
    """Run `work` in a thread of its own and return its result.

    When the time is up or the caller is cancelled, the work goes on unseen: threads
    cannot be stopped.

    Raises:
        TimeoutError: If it takes longer than the limit, in seconds.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def report(settle: Callable[[], None]) -> None:
        # The loop is closed once the process is on its way out.
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

    threading.Thread(target=run, name="engine work", daemon=True).start()
    async with asyncio.timeout(limit_s):
        return await done
