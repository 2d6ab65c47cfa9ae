"""One WebSocket: its lanes, its limits, and the runs that answer its requests.

The same pure state machine that the client uses (`redline.wire.connection`) decides
which event belongs to which request and when a request may start. Every event passes
through it before it is sent.
"""

from __future__ import annotations

import asyncio

import msgspec
from starlette.types import Message, Receive, Scope, Send

from redline.errors import RemoteProtocolError
from redline.gateway.answers.run import Run
from redline.gateway.answers.steering import steer_refusal
from redline.gateway.limits.accounts import account_of, slow_down
from redline.gateway.outlet import (
    FrameConnection,
    PeerGoneError,
    Sent,
    frame_connection,
)
from redline.gateway.recording import Kind, Recorder
from redline.gateway.refusals import (
    Refusal,
    RefusedError,
    deny,
    draining,
    error_object,
    key_revoked,
    socket_age_reached,
    socket_event,
    too_large,
)
from redline.gateway.service import Service
from redline.gateway.stored.conversations import LaneCache
from redline.wire import events
from redline.wire.connection import MAX_ACTIVE, Connection, Exchange
from redline.wire.events import (
    ResponseCreate,
    ResponseSteer,
    ServerEvent,
    decode_client_event,
    decode_server_event,
)

_NORMAL, _GOING_AWAY, _NOT_UTF_8, _POLICY_VIOLATION, _TOO_BIG = (
    1000,
    1001,
    1007,
    1008,
    1009,
)
"""Close codes (RFC 6455 section 7.4.1)."""


_N_PER_CLOSE = 10
"""How many refusals a connection counts as that had to be closed: another one costs a
handshake, and what ran on it has been stopped."""


class SocketEndpoint:
    """The ASGI application behind the WebSocket's address."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection to its end."""
        if (refusal := self._service.upgrade_refusal()) is not None:
            await deny(scope, send, refusal)
            return
        await _Session(self._service, scope, receive, send).serve()


class _Session:
    def __init__(
        self, service: Service, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._service = service
        self._account = account_of(scope)
        self._receive = receive
        self._send = send
        self._recorder = service.recorder
        self._number = service.recorder.new_connection()
        self._writer = SocketWriter(
            send,
            frames=frame_connection(scope),
            recorder=service.recorder,
            connection_number=self._number,
        )
        self._connection = Connection()
        self._cache = LaneCache()
        self._runs: dict[Exchange, Run] = {}
        self._outlets: dict[Exchange, SocketOutlet] = {}
        self._refused: dict[Exchange, Refusal] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._group = asyncio.TaskGroup()

    async def serve(self) -> None:
        await self._receive()
        await self._send({"type": "websocket.accept", "headers": self._headers()})
        self._recorder.note("opened", self._number)
        max_age_s = self._service.config.max_age_s
        try:
            async with self._group:
                try:
                    service = self._service
                    with (
                        self._account.session(self._on_revoked),
                        service.drain.session(self._leave_if_idle),
                        service.metrics.socket(self._account.name),
                    ):
                        async with asyncio.timeout(max_age_s):
                            await self._take_all()
                except TimeoutError:
                    self._stop()
                    await self._end(socket_age_reached(max_age_s), _NORMAL)
                finally:
                    self._stop()
        finally:
            self._recorder.note("closed", self._number)

    def _headers(self) -> list[tuple[bytes, bytes]]:
        can_steer = self._service.config.can_steer
        return [(events.STEERING_HEADER.encode(), b"true")] if can_steer else []

    async def _take_all(self) -> None:
        """Handle the client's messages until it disconnects."""
        while (message := await self._receive())["type"] == "websocket.receive":
            data = message.get("text") or message.get("bytes") or ""
            try:
                await self._take(data)
            except PeerGoneError:
                return
            max_s = self._service.config.max_pause_s
            await slow_down(self._account, max_s=max_s)
        if message.get("code") in (_NOT_UTF_8, _TOO_BIG):
            self._count_refusal(_N_PER_CLOSE)

    async def _take(self, data: str | bytes) -> None:
        max_bytes = self._service.config.max_message_bytes
        if len(data) > max_bytes:
            await self._end(too_large(max_bytes), _TOO_BIG)
            return
        try:
            event = decode_client_event(data)
        except RemoteProtocolError as exc:
            refusal = Refusal(code="invalid_event", message=str(exc))
            self._count_refusal()
            await self._writer.say(refusal)
            return
        body = data if isinstance(data, str) else data.decode()
        match event:
            case ResponseCreate():
                self._recorder.note(
                    "create", self._number, lane=event.stream_id, body=body
                )
                await self._take_create(event)
            case ResponseSteer():
                self._recorder.note("steer", self._number, body=body)
                await self._take_steer(event)

    async def _take_create(self, create: ResponseCreate) -> None:
        config = self._service.config
        if not config.has_lanes:
            create = msgspec.structs.replace(create, stream_id=None)
        if (failure := self._connection.refusal(create)) is not None:
            # An invalid lane name cannot be echoed.
            is_name = failure.code != "invalid_stream_id"
            refusal = Refusal(
                code=failure.code, message=failure.message, param="stream_id"
            )
            lane = create.stream_id if is_name else None
            self._count_refusal()
            await self._writer.say(refusal, lane=lane)
            return
        if len(self._connection.exchanges) >= config.max_queued:
            refusal = Refusal(code="too_many_requests", message="Too many wait.")
            self._count_refusal(_N_PER_CLOSE)
            await self._end(refusal, _POLICY_VIOLATION)
            return
        refused = self._service.count_request(self._account)
        if refused is not None:
            self._count_refusal()
        if self._service.drain.has_begun:
            refused = draining()
        if refused is not None:
            # Sent when its turn comes: an error event ends the exchange of its lane.
            exchange = self._connection.create(
                ResponseCreate(stream_id=create.stream_id)
            )
            self._refused[exchange] = refused
        else:
            self._connection.create(create)
        self._begin()

    async def _take_steer(self, steer: ResponseSteer) -> None:
        exchange = self._connection.steer(steer.previous_response_id)
        if exchange is None:
            await self._steer_nothing(steer)
        elif (sent := self._runs[exchange].steer(steer)) is not None:
            await self._outlets[exchange].send([sent])

    async def _steer_nothing(self, steer: ResponseSteer) -> None:
        response_id = steer.previous_response_id
        found = self._cache.find(response_id)
        has_ended = found is not None or await self._is_stored(response_id)
        lane = found[0] if found else None
        code = "response_already_completed" if has_ended else "response_not_found"
        event = {
            "type": events.STEER_FAILED,
            "sequence_number": 0,
            "steer": {"previous_response_id": response_id, "input": steer.input},
            "error": error_object(steer_refusal(code)),
        }
        if lane is not None:
            event["stream_id"] = lane
        sent = Sent(events.STEER_FAILED, msgspec.json.encode(event))
        await self._writer.write([sent], lane=lane)

    async def _is_stored(self, response_id: str) -> bool:
        try:
            owner = self._account.owner
            found = await self._service.store.get(response_id, owner=owner)
        except RefusedError:
            # The store is gone; the steer comes too late in any case.
            return False
        return found is not None

    def _begin(self) -> None:
        """Start the requests that may start."""
        for exchange in list(self._connection.startable()):
            if len(self._runs) >= MAX_ACTIVE:
                return
            if exchange in self._runs:
                continue
            outlet = SocketOutlet(self._writer, self._connection, exchange)
            run = Run(
                self._service,
                exchange.create,
                outlet,
                self._cache,
                account=self._account,
            )
            self._runs[exchange] = run
            self._outlets[exchange] = outlet
            task = self._group.create_task(
                self._answer(exchange, run, outlet),
                name=f"answer on connection {self._number}",
            )
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, exchange: Exchange, run: Run, outlet: SocketOutlet) -> None:
        how: Kind = "stopped"
        try:
            if (refusal := self._refused.pop(exchange, None)) is not None:
                self._service.metrics.refused.add(1, refusal.code or "refused")
                await outlet.refuse(refusal)
            else:
                await run.answer()
            how = "ended"
        except PeerGoneError:
            return
        finally:
            self._recorder.note(how, self._number, lane=exchange.lane)
            del self._runs[exchange], self._outlets[exchange]
        self._begin()
        if self._service.drain.has_begun:
            self._leave_if_idle()

    def _on_revoked(self) -> None:
        self._stop()
        self._group.create_task(
            self._end(key_revoked(), _POLICY_VIOLATION),
            name=f"close connection {self._number}",
        )

    def _leave_if_idle(self) -> None:
        """Close the connection for a drain, unless a request is unfinished."""
        if not self._connection.exchanges:
            self._group.create_task(
                self._end(draining(), _GOING_AWAY),
                name=f"drain connection {self._number}",
            )

    def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _count_refusal(self, n: int = 1) -> None:
        self._service.count_refusal(self._account, n)

    async def _end(self, refusal: Refusal, code: int) -> None:
        """Send the refusal and close the connection, within bounds."""
        self._writer.abort_soon()
        try:
            await self._writer.say(refusal)
            await self._writer.close(code)
        except PeerGoneError:
            return


_READ_BY_THE_MACHINE = events.STEER_EVENTS | {events.CREATED}
"""Events of which the state machine reads more than the type and the lane."""


class SocketWriter:
    """Sends the messages of many runs in the order of the calls."""

    def __init__(
        self,
        send: Send,
        *,
        frames: FrameConnection | None,
        recorder: Recorder,
        connection_number: int,
    ) -> None:
        self._send = send
        self._frames = frames
        self._recorder = recorder
        self._connection_number = connection_number
        # Senders by ASGI queue here while the client does not read, so that events are
        # on the wire in the order in which they were composed.
        self._lock = asyncio.Lock()
        self._is_closed = False

    async def write(self, sent: list[Sent], *, lane: str | None = None) -> None:
        """Send events, and wait while the client does not read.

        Raises:
            PeerGoneError: If the client has disconnected.
        """
        frames = self._frames
        if frames is None:
            await self._write_in_turn(sent)
            self._note(sent, lane)
            return
        if self._is_closed:
            raise PeerGoneError
        self._write_frames(frames, sent, lane)
        if frames.is_behind:
            await frames.caught_up()

    @property
    def is_ready(self) -> bool:
        """Whether the client is there and reads."""
        frames = self._frames
        return frames is not None and not self._is_closed and not frames.is_behind

    def write_now(self, sent: list[Sent], *, lane: str | None) -> None:
        """Send events, if `is_ready`."""
        assert self._frames is not None
        try:
            self._write_frames(self._frames, sent, lane)
        except PeerGoneError:
            # The next `write` reports it.
            self._is_closed = True

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

    def abort_soon(self) -> None:
        """Drop the TCP connection if the client does not read on and close it."""
        if self._frames is not None:
            self._frames.abort_soon()

    def abort(self) -> None:
        """Drop the TCP connection."""
        self._is_closed = True
        if self._frames is not None:
            self._frames.abort()

    def _write_frames(
        self, frames: FrameConnection, sent: list[Sent], lane: str | None
    ) -> None:
        frames.send_texts([data for _, data in sent])
        if self._recorder.listens:
            self._note(sent, lane)

    def _note(self, sent: list[Sent], lane: str | None) -> None:
        for kind, _ in sent:
            self._recorder.note("sent", self._connection_number, lane=lane, event=kind)

    async def _write_in_turn(self, sent: list[Sent]) -> None:
        async with self._lock:
            for _, data in sent:
                await self._put({"type": "websocket.send", "text": data.decode()})

    async def _put(self, message: Message) -> None:
        if self._is_closed or (self._frames is not None and self._frames.is_gone()):
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
        self, writer: SocketWriter, connection: Connection, exchange: Exchange
    ) -> None:
        self._writer = writer
        self._connection = connection
        self._exchange = exchange
        self._lane = exchange.lane

    @property
    def direct(self) -> SocketOutlet:
        """Itself; see `Outlet`."""
        return self

    @property
    def is_ready(self) -> bool:
        """Whether the client reads; see `DirectOutlet`."""
        return self._writer.is_ready

    async def send(self, sent: list[Sent]) -> None:
        """Send events, after the state machine has processed them."""
        self._process(sent)
        await self._writer.write(sent, lane=self._lane)

    def send_now(self, sent: list[Sent]) -> None:
        """Send events at once; see `DirectOutlet`."""
        self._process(sent)
        self._writer.write_now(sent, lane=self._lane)

    def _process(self, sent: list[Sent]) -> None:
        for kind, data in sent:
            if kind in events.DELTAS and self._exchange.is_in_output:
                continue
            if kind in _READ_BY_THE_MACHINE:
                event = decode_server_event(data)
            else:
                event = ServerEvent(type=kind, stream_id=self._lane)
            self._connection.server_event(event)

    async def refuse(self, refusal: Refusal) -> None:
        """Send an error event, which ends the exchange."""
        self._connection.server_event(
            ServerEvent(type=events.ERROR, stream_id=self._lane)
        )
        await self._writer.say(refusal, lane=self._lane)

    async def send_raw(self, data: bytes) -> None:
        await self._writer.write([Sent("", data)], lane=self._lane)

    async def close(self, code: int, reason: str) -> None:
        """Close the WebSocket, and every other lane with it."""
        await self._writer.close(code, reason)

    def abort(self) -> None:
        """Drop the TCP connection."""
        self._writer.abort()
