"""A steer that was sent to a running generation, until its outcome is known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class PendingSteer:
    """At most one steer at a time, with a limit on the wait for its next event."""

    def __init__(self) -> None:
        self._settled: asyncio.Future[bool] | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        """Whether a steer was sent and not settled."""
        return self._settled is not None

    async def begin(self, limit_s: float, then: Callable[[], object]) -> bool:
        """Wait until the steer that was sent is settled; returns whether it was taken.

        Args:
            limit_s: Seconds until `then` is called, unless an event comes first.
            then: Called if the acknowledgement is lost.
        """
        self._settled = asyncio.get_running_loop().create_future()
        self.expect(limit_s, then)
        return await self._settled

    def expect(self, limit_s: float, then: Callable[[], object]) -> None:
        """Wait for the next event, and call `then` after `limit_s` seconds without."""
        self._disarm()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(limit_s, then)

    def settle(self, is_taken: bool) -> None:
        """End the wait. Idempotent."""
        self._disarm()
        if self._settled is not None:
            if not self._settled.done():
                self._settled.set_result(is_taken)
            self._settled = None

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
