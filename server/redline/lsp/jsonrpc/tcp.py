"""LSP over TCP, for one editor on this machine."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from redline.errors import InvalidArgumentsError
from redline.lsp.jsonrpc.loop_io import LoopStream
from redline.lsp.jsonrpc.transport import Transport


@asynccontextmanager
async def one_editor(
    transport: Transport, host: str, port: int, announce: Callable[[int], None]
) -> AsyncIterator[None]:
    """Listen, and run the transport over the first connection; refuse others.

    Args:
        transport: A transport that is not open yet.
        host: `localhost` or a loopback address: the protocol has no authentication.
        port: Zero lets the system choose.
        announce: Called with the port once an editor can connect.

    Raises:
        InvalidArgumentsError: If the host is not loopback, or the port is taken.
    """
    _check_loopback(host)
    listener = _Listener(transport)
    loop = asyncio.get_running_loop()
    try:
        listener.server = await loop.create_server(listener.accept, host, port)
    except OSError as error:
        raise InvalidArgumentsError(
            f"Redline cannot listen on {host}:{port}: {error.strerror}.",
            remedy="Choose another port.",
        ) from error
    announce(listener.server.sockets[0].getsockname()[1])
    try:
        yield
    finally:
        # Not awaited: from Python 3.12 on, `wait_closed` waits for the editor too.
        listener.server.close()


class _Listener:
    """Stops listening after the first connection."""

    def __init__(self, transport: Transport) -> None:
        self.server: asyncio.Server | None = None
        self._transport = transport
        self._is_taken = False

    def accept(self) -> asyncio.Protocol:
        """Return the connection's protocol; called by asyncio."""
        if self._is_taken:
            return _Refusal()
        self._is_taken = True
        if self.server is not None:
            # Not yet: asyncio is about to attach this connection to the server.
            asyncio.get_running_loop().call_soon(self.server.close)
        stream = LoopStream(self._transport)
        self._transport.open(stream)
        return stream


class _Refusal(asyncio.Protocol):
    """Refuses a second editor that connects before listening stops."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


def _check_loopback(host: str) -> None:
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = host == "localhost"
    if not is_loopback:
        raise InvalidArgumentsError(
            f"Redline serves editors on this machine only, not on {host}.",
            remedy="Use --host 127.0.0.1, and a tunnel for an editor elsewhere.",
        )
