"""Sends an answer's deltas at an even pace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from benchmarks.stub_model import Call

_LEAD_S = 0.05
"""Between `response.created` and the first delta."""

_DRAIN_LIMIT_S = 60.0


class Sender:
    """One running answer; it begins at once."""

    def __init__(self, call: Call, texts: Sequence[str], rate: int) -> None:
        self.sent: list[float] = []
        """Time of each sent delta."""
        self._loop = asyncio.get_running_loop()
        self._is_done: asyncio.Future[None] = self._loop.create_future()
        self._call = call
        self._texts = texts
        self._step_s = 1 / rate
        self._first = self._loop.time() + _LEAD_S
        call.begin()
        self._timer = self._loop.call_at(self._first, self._send)

    async def done(self) -> None:
        """Wait until everything was sent."""
        async with asyncio.timeout(_DRAIN_LIMIT_S):
            await self._is_done

    def cancel(self) -> None:
        """Stop sending."""
        self._timer.cancel()

    def _send(self) -> None:
        while (n_sent := len(self.sent)) < len(self._texts):
            due = self._first + n_sent * self._step_s
            if due > self._loop.time():
                self._timer = self._loop.call_at(due, self._send)
                return
            self.sent.append(time.monotonic())
            self._call.delta(self._texts[n_sent])
        self._call.complete()
        self._is_done.set_result(None)
