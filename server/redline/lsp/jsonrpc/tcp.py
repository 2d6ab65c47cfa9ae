"""LSP over TCP, for one editor on this machine."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

from redline.errors import InvalidArgumentsError
from redline.lsp.jsonrpc.framing import starts_with_field
from redline.lsp.jsonrpc.loop_io import LoopStream
from redline.lsp.jsonrpc.transport import Transport

logger = logging.getLogger(__name__)


@asynccontextmanager
async def one_editor(
    transport: Transport, host: str, port: int, announce: Callable[[int], None]
) -> AsyncIterator[None]:
    """Listen, and run the transport over the first connection that speaks LSP.

    Any other is closed, and so are all others once one does.

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
    """Listens until a connection speaks LSP."""

    def __init__(self, transport: Transport) -> None:
        self.server: asyncio.Server | None = None
        self._transport = transport
        self._connections: set[asyncio.Transport] = set()
        """Those that have not shown yet what they speak."""

    def accept(self) -> asyncio.Protocol:
        """Return the connection's protocol; called by asyncio."""
        return _Newcomer(self._connections, self._serve)

    def _serve(self, connection: asyncio.Transport, start: bytes) -> None:
        """Serve the first editor, which has sent the start of its stream."""
        if self.server is not None:
            self.server.close()
        for other in tuple(self._connections):
            other.abort()
        self._connections.clear()
        stream = LoopStream(self._transport)
        connection.set_protocol(stream)
        stream.connection_made(connection)
        self._transport.open(stream)
        stream.data_received(start)


class _Newcomer(asyncio.Protocol):
    """Refuses what is no editor: a web page in a browser can send to any local port."""

    def __init__(
        self,
        connections: set[asyncio.Transport],
        serve: Callable[[asyncio.Transport, bytes], None],
    ) -> None:
        self._connections = connections
        self._serve = serve
        self._connection: asyncio.Transport | None = None
        self._start = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._connection = cast(asyncio.Transport, transport)
        self._connections.add(self._connection)

    def data_received(self, data: bytes) -> None:
        """Judge the first line; nothing behind a wrong one is read."""
        self._start += data
        speaks_lsp = starts_with_field(self._start)
        if self._connection not in self._connections or speaks_lsp is None:
            return
        self._connections.discard(self._connection)
        if speaks_lsp:
            self._serve(self._connection, self._start)
            return
        logger.warning("closed a connection that does not speak LSP, such as HTTP")
        self._connection.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._connection is not None:
            self._connections.discard(self._connection)


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
