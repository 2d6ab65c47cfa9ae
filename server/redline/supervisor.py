"""Creates and owns all asyncio tasks of the process.

Each task is named, its failure is logged once, and none outlives `aclose`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from redline.errors import RedlineError

# Any: what a coroutine yields to the loop is not our concern.

CLOSE_LIMIT_S = 2.0
"""Default limit for cancelled tasks to clean up."""

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


class Supervisor:
    """Owns tasks that nobody awaits."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, _T], *, name: str) -> asyncio.Task[_T]:
        """Run `work` until it ends or the supervisor closes; log its failure."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def attempt(self, work: Coroutine[Any, Any, object], *, name: str) -> None:
        """Run `work`, whose failure is shown and logged elsewhere."""
        self.start(_attempted(work), name=name)

    async def see_through(
        self, work: Callable[[], Coroutine[Any, Any, None]], *, name: str
    ) -> None:
        """Await work that continues if the caller is cancelled.

        Raises:
            RedlineError: As the work.
        """
        error = await asyncio.shield(self.start(_returned(work), name=name))
        if error is not None:
            raise error

    async def complete(self, work: Coroutine[Any, Any, _T], *, name: str) -> _T:
        """Await work to its end; a cancellation of the caller takes effect after it."""
        task = self.start(work, name=name)
        is_cancelled = False
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                is_cancelled = True
        caller = asyncio.current_task()
        if is_cancelled and caller is not None:
            caller.cancel()
        return task.result()

    async def wait(self, *, limit_s: float | None = None) -> None:
        """Wait until all tasks have ended, or until the limit.

        This includes tasks started meanwhile. Cancelling is safe.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while self._tasks:
                    await asyncio.wait(self._tasks)

    async def aclose(self, *, limit_s: float = CLOSE_LIMIT_S) -> None:
        """Cancel all tasks and wait for their end, at most `limit_s` seconds.

        A supervised task may call this; it is not cancelled itself. Idempotent.
        """
        others = self._tasks - {asyncio.current_task()}
        for task in others:
            task.cancel()
        if not others:
            return
        _, stuck = await asyncio.wait(others, timeout=limit_s)
        for task in stuck:
            logger.error("task %s ignores its cancellation", task.get_name())

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("task %s failed", task.get_name(), exc_info=error)


async def _attempted(work: Coroutine[Any, Any, object]) -> None:
    with suppress(RedlineError):
        await work


async def _returned(
    work: Callable[[], Coroutine[Any, Any, None]],
) -> RedlineError | None:
    """Return an expected failure; log any other, which is a bug."""
    try:
        await work()
    except RedlineError as exc:
        return exc
    return None
