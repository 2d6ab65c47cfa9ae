"""Where the tasks of the models' side live: the one place here that creates any.

Each is named, its failure is logged once, and nothing outlives `aclose`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine

logger = logging.getLogger(__name__)

_LOOK_AGAIN_S = 5.0
"""How often a task that ignores its cancellation is complained about."""


class Supervisor:
    """Owns tasks that nobody awaits."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(
        self, work: Coroutine[object, object, None], *, name: str
    ) -> asyncio.Task[None]:
        """Run `work` until it ends or this is closed; a failure of it is logged."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def wait(self) -> None:
        """Wait until everything has ended by itself. Cancelling is safe."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def aclose(self) -> None:
        """Cancel everything and wait until it has ended. Idempotent."""
        for task in self._tasks:
            task.cancel()
        while stuck := self._tasks - {asyncio.current_task()}:
            _, stuck = await asyncio.wait(stuck, timeout=_LOOK_AGAIN_S)
            for task in stuck:
                logger.error("task %s ignores its cancellation", task.get_name())

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("task %s failed", task.get_name(), exc_info=error)
