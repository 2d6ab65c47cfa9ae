"""Reads and writes by the event loop: pipes and sockets on POSIX, TCP anywhere."""

from __future__ import annotations

import asyncio
from typing import cast

from redline.lsp.jsonrpc.transport import READ_BYTES, Transport


class LoopStream(asyncio.Protocol):
    """One asyncio transport, used for reading, for writing or for both."""

    def __init__(self, owner: Transport) -> None:
        self._owner = owner
        self._closed = asyncio.Event()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store asyncio's transport; called by asyncio."""
        # A pipe's transport has half of these methods; each stream uses only its half.
        self._transport = cast(asyncio.Transport, transport)
        if hasattr(transport, "max_size"):
            # An undocumented attribute; see READ_BYTES.
            transport.max_size = READ_BYTES

    def data_received(self, data: bytes) -> None:
        """Pass bytes on; called by asyncio."""
        self._owner.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the end; called by asyncio."""
        self._closed.set()
        self._owner.lost("the editor closed the stream" if exc is None else str(exc))

    @property
    def n_unsent(self) -> int:
        """Bytes that the kernel has not accepted yet."""
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def write(self, data: bytes) -> None:
        """Write what the kernel accepts now, and the rest later."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    async def aclose(self) -> None:
        """Write the rest and close; a cancel drops it."""
        if self._transport is None:
            return
        self._transport.close()
        try:
            await self._closed.wait()
        except asyncio.CancelledError:
            self._transport.abort()
            raise
