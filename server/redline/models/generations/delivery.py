"""Gives the deltas of a generation to its reader, or to a taker while the reader waits.

To wake the reader costs more than the delta: a future, the task's wake-up, and every
coroutine between the two.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from redline.models.generations.delta_buffer import DeltaBuffer
from redline.models.generations.reader_pace import ReaderPace
from redline.models.interface import Delta, DeltaTaker, GenerationRequest, Restart

logger = logging.getLogger(__name__)


class Delivery:
    """The way from the buffer to the reader of one generation."""

    def __init__(
        self,
        buffer: DeltaBuffer,
        request: GenerationRequest,
        *,
        on_taken: Callable[[], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        """Begin.

        Args:
            buffer: What has come.
            request: Has the reader's pace and its taker.
            on_taken: Called when something was taken from the buffer, until `close`.
            on_error: Takes what the taker raised, until `close`.
        """
        self._buffer = buffer
        self._taker = request.taker
        self._on_taken = on_taken
        self._on_error = on_error
        self._loop = asyncio.get_running_loop()
        self._pace = ReaderPace(request.gap_s)
        self._reader: asyncio.Future[None] | None = None
        self._is_scheduled = False
        """Whether `deliver` will be called in the next turn of the event loop."""
        self._is_closed = False

    def take(self) -> Delta | Restart | None:
        """Take what is due from the buffer; once closed, everything is due."""
        if not (self._is_closed or self._pace.is_due):
            return None
        taken = self._buffer.take()
        if taken is not None:
            self._pace.took()
            self._on_taken()
        return taken

    async def wait(self) -> None:
        """Wait until something is due for the reader. Cancelling is safe."""
        self._reader = self._loop.create_future()
        if not self._buffer.is_empty:
            self._pace.wake_when_due(self.wake)
        await self._reader

    def deliver_soon(self) -> None:
        """Deliver what has come, together with what else comes in the same read."""
        if self._taker is None:
            self.deliver()
        elif not self._is_scheduled:
            self._is_scheduled = True
            self._loop.call_soon(self.deliver)

    def deliver(self) -> None:
        """Deliver what has come, to the taker if the reader waits, or to the reader."""
        self._is_scheduled = False
        if self._taker is not None:
            self._offer(self._taker)
        if not self._is_closed and not self._buffer.is_empty:
            self._pace.wake_when_due(self.wake)

    def wake(self) -> None:
        """Wake the reader if it waits."""
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    def close(self) -> None:
        """Let the reader take the rest; nothing more will come."""
        self._is_closed = True
        self._pace.close()
        self.wake()
        # Their objects hold this one: together they would live until the next full
        # garbage collection.
        self._on_taken = self._on_error = _ignore

    def _offer(self, taker: DeltaTaker) -> None:
        """Give the taker what is due, if the reader waits."""
        try:
            while not self._buffer.is_empty and self._is_awaited and taker.is_ready:
                if (taken := self.take()) is None:
                    break
                taker.take(taken)
        except Exception as exc:
            # The boundary to the taker: its reader must not wait for the time limit.
            logger.exception("a delta was not taken")
            self._on_error(exc)

    @property
    def _is_awaited(self) -> bool:
        """Whether the reader waits, and was neither woken nor cancelled."""
        return self._reader is not None and not self._reader.done()


def _ignore(*_: object) -> None:
    """Do nothing, in place of a callback."""
