"""The byte stream to and from one editor, over any channel.

`stdio` and `tcp` open it. Reading: data is split into messages and passed on at once,
inside the event loop's callback. Writing: the messages that are sent while a read is
handled are one write, as are those of one iteration of the loop. A write never blocks;
unsent data waits here, and is bounded.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

from redline.lsp.jsonrpc.framing import FrameDecoder, frame

CONGESTED_BYTES = 64 * 1024
"""Unsent bytes from which an editor counts as slow; asyncio's high-water mark."""

MAX_UNSENT_BYTES = 64 * 1024 * 1024
"""Unsent bytes, the last message not counted, at which an editor counts as gone. A
suspended editor stays far below: optional messages are dropped from `CONGESTED_BYTES`
on."""

READ_BYTES = 64 * 1024
"""Bytes read at once. asyncio's 256 KiB is above glibc's threshold for mmap, which
doubles the cost of a small message (30 against 15 us for a request)."""

CLOSE_LIMIT_S = 2.0
"""How long an editor may take to read our last messages."""

logger = logging.getLogger(__name__)


class MessageReceiver(Protocol):
    """Receives the messages; the endpoint implements it."""

    def receive(self, body: bytes) -> None:
        """Take one message. Never raises."""

    def editor_gone(self, reason: str) -> None:
        """Handle the end of the stream, in either direction."""


class ByteWriter(Protocol):
    """Writes bytes without blocking."""

    @property
    def n_unsent(self) -> int:
        """Bytes accepted and not written yet."""

    def write(self, data: bytes) -> None:
        """Write bytes, now or later. Never blocks."""

    async def aclose(self) -> None:
        """Write the rest, then close; cancelling drops the rest."""


class Transport:
    """The connection to one editor."""

    def __init__(
        self,
        *,
        congested_bytes: int = CONGESTED_BYTES,
        max_unsent_bytes: int = MAX_UNSENT_BYTES,
        close_limit_s: float = CLOSE_LIMIT_S,
    ) -> None:
        self._congested_bytes = congested_bytes
        self._max_unsent_bytes = max_unsent_bytes
        self._close_limit_s = close_limit_s
        self._decoder = FrameDecoder()
        self._receiver: MessageReceiver | None = None
        self._writer: ByteWriter | None = None
        self._outbox: list[bytes] = []
        self._n_outbox_bytes = 0
        self._is_reading = False
        """A read is being handled; its answers are written behind it."""
        self._is_lost = False
        """Nothing more is read. Unsent messages may still be written."""
        self._is_mute = False
        """Nothing more is written."""

    def attach(self, receiver: MessageReceiver) -> None:
        """Set the receiver of messages; call it before `open`."""
        self._receiver = receiver

    def open(self, writer: ByteWriter) -> None:
        self._writer = writer

    @property
    def is_congested(self) -> bool:
        """Whether the editor is slow to read: drop optional messages."""
        return self._n_unsent > self._congested_bytes

    def send(self, body: bytes) -> None:
        """Queue one message; it is written when the read that is being handled, or this
        iteration of the loop, is over.

        Neither blocks nor raises; has no effect once the editor is gone.
        """
        if self._is_mute:
            return
        data = frame(body)
        if self._n_unsent > self._max_unsent_bytes:
            self._is_mute = True
            self.lost(f"the editor stopped reading; {self._n_unsent} bytes wait")
            return
        if not (self._outbox or self._is_reading):
            asyncio.get_running_loop().call_soon(self._flush)
        self._outbox.append(data)
        self._n_outbox_bytes += len(data)

    def data_received(self, data: bytes) -> None:
        """Handle bytes from the editor."""
        if self._receiver is None or self._is_lost:
            return
        self._is_reading = True
        for body in self._decoder.feed(data):
            self._receiver.receive(body)
        self._is_reading = False
        self._flush()
        if self._decoder.error is not None:
            logger.error("%s", self._decoder.error)
            self.lost("the editor's stream is broken")

    def lost(self, reason: str) -> None:
        """Handle the end of the stream, closed or failed. Idempotent."""
        if self._is_lost:
            return
        self._is_lost = True
        if not self._decoder.is_between_messages:
            logger.warning("the editor's stream ended inside a message")
        if self._receiver is not None:
            self._receiver.editor_gone(reason)

    async def aclose(self) -> None:
        """Write the rest, within a time limit, and close; idempotent."""
        self._flush()
        self._is_lost = self._is_mute = True
        writer, self._writer = self._writer, None
        if writer is None:
            return
        try:
            async with asyncio.timeout(self._close_limit_s):
                await writer.aclose()
        except TimeoutError:
            logger.warning("the editor did not read our last messages")

    @property
    def _n_unsent(self) -> int:
        waiting = 0 if self._writer is None else self._writer.n_unsent
        return self._n_outbox_bytes + waiting

    def _flush(self) -> None:
        data = b"".join(self._outbox)
        self._outbox.clear()
        self._n_outbox_bytes = 0
        if self._writer is not None and data:
            self._writer.write(data)
