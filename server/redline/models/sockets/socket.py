"""One WebSocket to a model's server; the only module that uses `websockets`.

Messages are passed on from inside the library's own reader, without a task or a queue
in between: at 1,000 events a second that halves the cost of an event. `LaneConnection`
implements the protocol on top of it.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from websockets.asyncio.client import ClientConnection, connect
from websockets.client import ClientProtocol
from websockets.exceptions import (
    InvalidHandshake,
    InvalidMessage,
    InvalidProxy,
    InvalidProxyStatus,
    InvalidStatus,
    InvalidURI,
)
from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Event, State

from redline import __version__
from redline.errors import ModelError, ModelRejectedError, ModelUnavailableError
from redline.models.failures import connect_error, failure_error, socks_error
from redline.models.http.http_failure import read_http_failure
from redline.models.keys import ApiKey
from redline.models.model_address import ModelAddress
from redline.models.sockets.frame_splitter import FrameSplitter
from redline.wire.events import STEERING_HEADER
from redline.wire.sse import MAX_EVENT_BYTES

_READ_BYTES = 65_536
"""With larger reads, the transport's buffer is mapped and unmapped for each small event
(measured: 57 instead of 33 us an event)."""

_CLOSE_LIMIT_S = 1.0
"""Longest closing handshake; nothing depends on its success."""

_MAX_FRAGMENTS = 10_000
"""Most frames of one message: the limit of its size does not bound empty ones."""

_MAX_PINGS, _PINGS_WITHIN_S = 100, 1.0
"""Most pings, and pongs to no ping of ours, without a message between them."""


class SocketReceiver(Protocol):
    """Receives the messages of a socket."""

    def receive(self, data: bytes) -> None:
        """Handle a message."""

    def lose(self) -> None:
        """Handle the end of the socket; may be called more than once."""


class Socket(ClientConnection):
    """A client connection that passes messages on at once."""

    def __init__(
        self,
        protocol: ClientProtocol,
        *,
        ping_interval: float | None = None,
        ping_timeout: float | None = None,
        close_timeout: float | None = _CLOSE_LIMIT_S,
        max_queue: int | tuple[int | None, int | None] | None = None,
        write_limit: int | tuple[int, int | None] = 2**15,
    ) -> None:
        super().__init__(
            protocol,
            ping_interval=ping_interval,
            ping_timeout=ping_timeout,
            close_timeout=close_timeout,
            max_queue=max_queue,
            write_limit=write_limit,
        )
        self.receiver: SocketReceiver | None = None
        self.last_heard = self.loop.time()
        """When data, including pongs, last arrived, on the loop's clock."""
        self.has_flooded = False
        """Whether the peer sent more frames than any server has a reason to send."""
        self._partial = bytearray()
        self._n_fragments = 0
        self._n_pings = 0
        self._n_pongs_due = 0
        """Our pings that were not answered yet."""
        self._pings_since = 0.0
        """When the first of the counted pings arrived."""
        self._splitter = FrameSplitter(max_bytes=MAX_EVENT_BYTES)

    @property
    def is_open(self) -> bool:
        """Whether a message can be sent."""
        # Not the library's `state`, which is only another step to this one.
        return self.protocol.state is State.OPEN and not self.transport.is_closing()

    @property
    def announces_steering(self) -> bool:
        """Whether the server announced at the upgrade that it accepts steers."""
        return self.response is not None and STEERING_HEADER in self.response.headers

    @property
    def is_broken_by_peer(self) -> bool:
        """Whether the peer violated the protocol or sent too much."""
        is_valid = isinstance(self.protocol.parser_exc, EOFError | None)
        return self.has_flooded or not is_valid

    @property
    def peer_close_code(self) -> int | None:
        """The peer's close code, if it closed with a close frame."""
        received = self.protocol.close_rcvd
        return int(received.code) if received is not None else None

    @property
    def peer_close_reason(self) -> str:
        received = self.protocol.close_rcvd
        return received.reason if received is not None else ""

    def write(self, data: bytes) -> None:
        """Send a text message now; does nothing on a closed socket."""
        if self.is_open:
            self.protocol.send_text(data)
            self.send_data()

    def write_ping(self) -> None:
        """Send a ping; its pong only updates `last_heard`."""
        if self.is_open:
            self.protocol.send_ping(b"")
            self._n_pongs_due += 1
            self.send_data()

    def abort(self) -> None:
        """Drop the connection at once, without a closing handshake."""
        self.transport.abort()

    def pause(self) -> None:
        if not self.transport.is_closing():
            self.transport.pause_reading()

    def resume(self) -> None:
        if not self.transport.is_closing():
            self.transport.resume_reading()

    def refuse_flood(self, reason: str) -> None:
        """Close the connection; `_note_end` notifies the receiver and drops it."""
        if self.has_flooded:
            return
        self.has_flooded = True
        self.protocol.fail(CloseCode.POLICY_VIOLATION, reason)
        self.send_data()

    # Called by the library.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Set the read size; TLS and uvloop transports have no such attribute."""
        super().connection_made(transport)
        if hasattr(transport, "max_size"):
            transport.max_size = _READ_BYTES

    def data_received(self, data: bytes) -> None:
        """Pass whole messages on and leave everything else to the library."""
        self.last_heard = self.loop.time()
        if self.response is None:
            super().data_received(data)
            if not data.endswith(b"\r\n\r\n"):
                # The library has started a frame, so it reads the rest.
                self._splitter.give_up()
        elif self.protocol.state is State.OPEN:
            for is_message, piece in self._splitter.feed(data):
                if is_message:
                    self._hand_on(piece)
                else:
                    super().data_received(piece)
                if self.has_flooded:
                    break
        else:
            super().data_received(self._splitter.give_up() + data)
        self._note_end()

    def process_event(self, event: Event) -> None:
        """Pass on a message that the library has assembled."""
        if self.response is None:
            super().process_event(event)
            return
        assert isinstance(event, Frame)
        if event.opcode is Opcode.TEXT or event.opcode is Opcode.BINARY:
            if event.fin:
                self._hand_on(event.data)
            else:
                self._partial += event.data
                self._n_fragments = 1
        elif event.opcode is Opcode.CONT:
            # The library bounds the whole message by `max_size`.
            self._partial += event.data
            self._n_fragments += 1
            if event.fin:
                data, self._partial = self._partial, bytearray()
                self._hand_on(data)
            elif self._n_fragments > _MAX_FRAGMENTS:
                self.refuse_flood("too many fragments")
        elif event.opcode is Opcode.PONG and self._n_pongs_due:
            self._n_pongs_due -= 1
        elif event.opcode is Opcode.PING or event.opcode is Opcode.PONG:
            self._count_ping()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.receiver is not None:
            self.receiver.lose()

    def _note_end(self) -> None:
        """Notify the receiver of the end as soon as it is certain.

        After a close frame or a protocol violation, the library keeps the connection
        for its closing handshake, but no request on it is answered.
        """
        is_over = self.response is not None and self.protocol.state is not State.OPEN
        if is_over and self.receiver is not None:
            self.receiver.lose()
        if is_over and self.is_broken_by_peer:
            self.abort()

    def _count_ping(self) -> None:
        if self.last_heard - self._pings_since > _PINGS_WITHIN_S:
            self._pings_since, self._n_pings = self.last_heard, 0
        self._n_pings += 1
        if self._n_pings > _MAX_PINGS:
            self.refuse_flood("too many pings")

    def _hand_on(self, data: bytes | bytearray | memoryview) -> None:
        self._n_pings = 0
        # Without a receiver no request has been sent, so there is no answer to pass on.
        if self.receiver is not None:
            self.receiver.receive(bytes(data))


class _Connect(connect):
    """A `connect` that follows no redirect: only the original address was checked."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Refuse."""
        return exc


async def open_socket(
    endpoint: ModelAddress, key: ApiKey | None, *, model: str
) -> Socket:
    """Connect. The caller sets the time limit; cancelling is safe.

    Args:
        endpoint: The address to connect to.
        key: Sent as a bearer token on the upgrade request; None: no token is sent.
        model: The model's name in the settings, for messages.

    Raises:
        ModelError: If the connection fails.
    """
    headers = dict(endpoint.headers)
    if key is not None:
        headers["Authorization"] = f"Bearer {key.reveal()}"
    try:
        socket = await _Connect(
            endpoint.socket_url,
            create_connection=Socket,
            additional_headers=headers,
            user_agent_header=f"redline/{__version__}",
            compression=None,
            max_size=MAX_EVENT_BYTES,
            max_queue=None,
            open_timeout=None,
            ping_interval=None,
            close_timeout=_CLOSE_LIMIT_S,
            proxy=endpoint.proxy,
            ssl=endpoint.ssl_context(),
        )
    except (OSError, InvalidHandshake, InvalidURI, InvalidProxy, ImportError) as exc:
        raise _handshake_error(exc, model=model, host=endpoint.host) from exc
    assert isinstance(socket, Socket)
    return socket


def _handshake_error(exc: Exception, *, model: str, host: str) -> ModelError:
    match exc:
        case InvalidStatus():
            failure = read_http_failure(
                exc.response.status_code,
                bytes(exc.response.body or b""),
                dict(exc.response.headers.raw_items()),
            )
            return failure_error(failure, model=model)
        case InvalidProxyStatus():
            return ModelUnavailableError(
                f"The proxy refused to connect to {host} (status "
                f"{exc.response.status_code}).",
                model=model,
                remedy=f"Check `models.{model}.proxy` or HTTPS_PROXY.",
            )
        case InvalidURI() | InvalidProxy():
            return ModelRejectedError(
                f"The address of model {model} cannot be used.", model=model
            )
        case ImportError():
            return socks_error(model=model)
        case InvalidMessage():
            return ModelUnavailableError(
                f"{host} does not speak WebSocket.", model=model
            )
        case _:
            return connect_error(exc, model=model, host=host)
