"""A model's server inside the benchmark's own event loop: exact times, no engine.

It runs in the benchmark's process, so that one clock times it and the editor's side. It
decodes only what it must echo, since its own time counts as Redline's.
"""

from __future__ import annotations

import asyncio
import itertools
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol  # Any: the library's arguments, handed on.

import msgspec
from websockets.asyncio.server import ServerConnection, serve
from websockets.frames import Frame, Opcode
from websockets.protocol import Event

from redline.wire import events
from redline.wire.events import ServerEvent

_READ_BYTES = 65_536
"""asyncio's default doubles the time for a message; see `models/sockets/socket.py`."""

_MAX_MESSAGE_BYTES = 16 * 1024 * 1024


class _Lane(msgspec.Struct):
    stream_id: str | None = None


class Connection(ServerConnection):
    """One client's connection; times are those of `time.monotonic`."""

    server_model: StubModel

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.opened_at = 0.0
        self.closed_at: float | None = None
        self._parts = bytearray()

    def write(self, data: bytes) -> None:
        """Send a text message now; without effect once the client is gone."""
        if self.closed_at is None and not self.transport.is_closing():
            self.protocol.send_text(data)
            self.send_data()

    @property
    def n_unsent(self) -> int:
        """Bytes that the kernel has not taken yet."""
        return self.transport.get_write_buffer_size()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Set the read size; called by asyncio."""
        super().connection_made(transport)
        if hasattr(transport, "max_size"):
            transport.max_size = _READ_BYTES

    def process_event(self, event: Event) -> None:
        """Take a message inside the library's reader; the handshake stays its own."""
        at = time.monotonic()
        if not isinstance(event, Frame):
            super().process_event(event)
            return
        if event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            self._parts += event.data
            if event.fin:
                data, self._parts = bytes(self._parts), bytearray()
                self.server_model.take(self, data, at)

    def connection_lost(self, exc: Exception | None) -> None:
        """Record when the client disconnected; called by asyncio."""
        self.closed_at = time.monotonic()
        super().connection_lost(exc)
        self.server_model.lost(self)


class Outlet(Protocol):
    """The destination of an answer's events."""

    def write(self, data: bytes) -> None:
        """Send one."""


class Call:
    """One request, and the means to answer it."""

    _numbers = itertools.count(1)

    def __init__(self, outlet: Outlet, body: bytes, at: float) -> None:
        self._outlet = outlet
        self.body = body
        self.at = at
        """When it was read."""
        self._lane = msgspec.json.decode(body, type=_Lane).stream_id
        self._id = f"resp_{next(self._numbers):032d}"

    @property
    def connection(self) -> Connection:
        """The WebSocket that it came on."""
        assert isinstance(self._outlet, Connection)
        return self._outlet

    def begin(self) -> None:
        """Send `response.created`."""
        self._send(ServerEvent(type=events.CREATED, response=self._response("")))

    def delta(self, text: str) -> None:
        """Send some text."""
        self._send(
            ServerEvent(
                type=events.TEXT_DELTA,
                item_id=self._id,
                output_index=0,
                content_index=0,
                delta=text,
            )
        )

    def complete(self) -> None:
        """Send the end."""
        self._send(
            ServerEvent(type=events.COMPLETED, response=self._response("completed"))
        )

    def answer(self, text: str) -> None:
        """Send a whole answer at once."""
        self.begin()
        self.delta(text)
        self.complete()

    def _send(self, event: ServerEvent) -> None:
        event.stream_id = self._lane
        self._outlet.write(events.encode(event))

    def _response(self, status: str) -> msgspec.Raw:
        response = {"id": self._id, "status": status or "in_progress"}
        return msgspec.Raw(msgspec.json.encode(response))


class StubModel:
    """The server."""

    def __init__(self) -> None:
        self.on_call: Callable[[Call], None] = lambda call: None
        """Called with each request, inside the reader."""
        self.on_raw: Callable[[float], None] | None = None
        """Called with the time of each message of a floor, instead of `on_call`."""
        self.connections: list[Connection] = []
        """All that were ever opened."""
        self.on_lost: Callable[[Connection], None] = lambda connection: None
        self.port = 0
        self._opened = asyncio.Event()

    @property
    def url(self) -> str:
        """Its address on this machine."""
        return f"ws://127.0.0.1:{self.port}/v1/responses"

    @property
    def n_open(self) -> int:
        """How many connections are open."""
        return sum(one.closed_at is None for one in self.connections)

    def take(self, connection: Connection, data: bytes, at: float) -> None:
        """Take a message; called by its connection."""
        if data[:1] == b"{":
            self.on_call(Call(connection, data, at))
        elif self.on_raw is not None:
            self.on_raw(at)

    def lost(self, connection: Connection) -> None:
        """Remove a disconnected client; called by its connection."""
        self.on_lost(connection)

    async def wait_open(self, n_connections: int) -> None:
        """Wait until this many connections are open."""
        async with asyncio.timeout(_CONNECT_LIMIT_S):
            while self.n_open < n_connections:
                self._opened.clear()
                await self._opened.wait()

    async def serve_one(self, connection: ServerConnection) -> None:
        """Keep a connection open until the client closes it."""
        assert isinstance(connection, Connection)
        connection.opened_at = time.monotonic()
        self.connections.append(connection)
        self._opened.set()
        await connection.wait_closed()


_CONNECT_LIMIT_S = 20.0


@asynccontextmanager
async def stub_model(
    host: str = "127.0.0.1", tls: ssl.SSLContext | None = None, port: int = 0
) -> AsyncIterator[StubModel]:
    """Serve until the block ends."""
    model = StubModel()

    class Ours(Connection):
        server_model = model

    async with serve(
        model.serve_one,
        host,
        port,
        ssl=tls,
        create_connection=Ours,
        compression=None,
        ping_interval=None,
        max_size=_MAX_MESSAGE_BYTES,
        close_timeout=0.2,
    ) as server:
        model.port = next(iter(server.sockets)).getsockname()[1]
        try:
            yield model
        finally:
            for connection in model.connections:
                with suppress(RuntimeError):
                    connection.transport.abort()
