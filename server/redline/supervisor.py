"""Where tasks live: the one place that creates any.

Each is named, its failure is logged once, and nothing outlives `aclose`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from redline.errors import RedlineError

# Any: what a coroutine yields to the loop is the loop's affair.

CLOSE_LIMIT_S = 2.0
"""How long cancelled tasks may clean up, unless their owner knows better."""

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


class Supervisor:
    """Owns tasks that nobody awaits."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, _T], *, name: str) -> asyncio.Task[_T]:
        """Run `work` until it ends or this is closed; a failure of it is logged."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def see_through(
        self, work: Callable[[], Coroutine[Any, Any, None]], *, name: str
    ) -> None:
        """Await what cannot be called back: it goes on even if this is cancelled.

        Raises:
            RedlineError: As the work.
        """
        error = await asyncio.shield(self.start(_returned(work), name=name))
        if error is not None:
            raise error

    async def wait(self, *, limit_s: float | None = None) -> None:
        """Wait until everything has ended by itself, or for a while.

        What is started meanwhile counts too. Cancelling is safe.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while self._tasks:
                    await asyncio.wait(self._tasks)

    async def aclose(self, *, limit_s: float = CLOSE_LIMIT_S) -> None:
        """Cancel everything and wait until it has ended, at most `limit_s` seconds.

        The calling task may be one of those supervised; it is left alone. Idempotent.
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


async def _returned(
    work: Callable[[], Coroutine[Any, Any, None]],
) -> RedlineError | None:
    """Return the failure that is to be expected; any other is a bug, and logged."""
    try:
        await work()
    except RedlineError as exc:
        return exc
    return None
