"""Outlets to a WebSocket client: many runs, one ordered stream of messages."""

from __future__ import annotations

import asyncio

from starlette.types import Message, Send

from redline.gateway.outlet import PeerGoneError, Sent, TcpConnection
from redline.gateway.recording import Recorder
from redline.gateway.refusals import Refusal, socket_event
from redline.wire import events
from redline.wire.connection import Connection
from redline.wire.events import ServerEvent, decode_server_event

_READ_BY_THE_MACHINE = events.STEER_EVENTS | {events.CREATED}
"""Events of which the state machine reads more than the type and the lane."""


class SocketWriter:
    """Sends messages in the order of the calls."""

    def __init__(
        self,
        send: Send,
        *,
        tcp: TcpConnection | None,
        recorder: Recorder,
        connection_number: int,
    ) -> None:
        self._send = send
        self._tcp = tcp
        self._recorder = recorder
        self._connection_number = connection_number
        # Senders queue here while the client does not read, so that the order on the
        # wire is the order in which the events were composed.
        self._lock = asyncio.Lock()
        self._is_closed = False

    async def write(self, sent: list[Sent], *, lane: str | None = None) -> None:
        """Send events.

        Raises:
            PeerGoneError: If the client has disconnected.
        """
        async with self._lock:
            for kind, data in sent:
                await self._put({"type": "websocket.send", "text": data.decode()})
                self._recorder.note(
                    "sent", self._connection_number, lane=lane, event=kind
                )

    async def say(self, refusal: Refusal, *, lane: str | None = None) -> None:
        """Send an error event."""
        sent = Sent(events.ERROR, socket_event(refusal, lane=lane))
        await self.write([sent], lane=lane)

    async def close(self, code: int, reason: str = "") -> None:
        """Close the WebSocket; idempotent."""
        async with self._lock:
            if not self._is_closed:
                message = {"type": "websocket.close", "code": code, "reason": reason}
                await self._put(message)
                self._is_closed = True

    def abort(self) -> None:
        """Drop the TCP connection."""
        self._is_closed = True
        if self._tcp is not None:
            self._tcp.abort()

    async def _put(self, message: Message) -> None:
        if self._is_closed or (self._tcp is not None and self._tcp.is_gone()):
            raise PeerGoneError
        try:
            await self._send(message)
        except OSError as exc:
            # ASGI servers raise this when the client has disconnected.
            raise PeerGoneError from exc


class SocketOutlet:
    """The outlet for the run of one request."""

    is_kept = False

    def __init__(
        self, writer: SocketWriter, connection: Connection, lane: str | None
    ) -> None:
        self._writer = writer
        self._connection = connection
        self._lane = lane

    async def send(self, sent: list[Sent]) -> None:
        """Send events, after the state machine has processed them."""
        for kind, data in sent:
            if kind in _READ_BY_THE_MACHINE:
                event = decode_server_event(data)
            else:
                event = ServerEvent(type=kind, stream_id=self._lane)
            self._connection.server_event(event)
        await self._writer.write(sent, lane=self._lane)

    async def refuse(self, refusal: Refusal) -> None:
        """Send an error event, which ends the exchange."""
        self._connection.server_event(
            ServerEvent(type=events.ERROR, stream_id=self._lane)
        )
        await self._writer.say(refusal, lane=self._lane)

    async def send_raw(self, data: bytes) -> None:
        """Send any text."""
        await self._writer.write([Sent("", data)], lane=self._lane)

    async def close(self, code: int, reason: str) -> None:
        """Close the WebSocket, and every other lane with it."""
        await self._writer.close(code, reason)

    def abort(self) -> None:
        """Drop the TCP connection."""
        self._writer.abort()
