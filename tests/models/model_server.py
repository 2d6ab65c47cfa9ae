"""A model's server for tests: Responses over WebSocket and HTTP, with scripted faults.

Built on the bare transport, so that a test can cut, stall, garble and count at any
point. What it answers is a `Script`: a coroutine for each request, given the `Reply` to
write to. Both wire formats run the same scripts.
"""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

Event = dict[str, Any]
Script = Callable[["Reply"], Awaitable[None]]

USAGE = {
    "input_tokens": 12,
    "input_tokens_details": {"cached_tokens": 8},
    "output_tokens": 3,
    "output_tokens_details": {"reasoning_tokens": 1},
    "total_tokens": 15,
}


def answer_events(
    response_id: str, deltas: Iterable[str], *, final: str | None = None
) -> list[Event]:
    """Write the events of a whole answer, in the order of the real service."""
    deltas = list(deltas)
    text = "".join(deltas) if final is None else final
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"id": "msg_1", "type": "message", "role": "assistant", "content": [part]}
    return [
        {"type": "response.created", "response": {"id": response_id}},
        {"type": "response.in_progress", "response": {"id": response_id}},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**item, "content": []},
        },
        {
            "type": "response.content_part.added",
            **place,
            "part": {"type": "output_text", "text": ""},
        },
        *(
            {"type": "response.output_text.delta", **place, "delta": delta}
            for delta in deltas
        ),
        {"type": "response.output_text.done", **place, "text": text},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {
                "id": response_id,
                "status": "completed",
                "output": [item],
                "usage": USAGE,
            },
        },
    ]


def echo_key(authorization: str | None) -> Event:
    """Write an error that repeats the caller's key, as careless providers do."""
    key = (authorization or "none").removeprefix("Bearer ")
    basic = base64.b64encode(f"user:{key}".encode()).decode()
    return {
        "message": f"Incorrect API key provided: {key}, or Basic-{basic}, or {key!r}.",
        "code": f"key_{key}",
        "param": key,
    }


@dataclass
class Behaviour:
    """How a server treats connections; its script gives the answers."""

    has_lanes: bool = True
    key: str | None = None
    """What must come as a bearer token."""
    refusal: tuple[int, dict[str, str], bytes] | None = None
    """Answer of every upgrade or POST: status, headers, body."""
    upgrade_refusal: tuple[int, dict[str, str], bytes] | None = None
    """Answer of every upgrade only."""
    holds_upgrades: bool = False
    """Upgrades are never answered."""
    closes_at_once: bool = False
    answers_pings: bool = True
    announces_steering: bool = False
    socket_only: bool = False
    """POSTs are answered 404."""


class Reply:
    """One request as the server sees it, and the means to answer it."""

    def __init__(self, peer: Peer, create: Event, number: int) -> None:
        self.peer = peer
        self.create = create
        self.response_id = f"resp_{number}"
        self.steers: asyncio.Queue[Event] = asyncio.Queue()

    @property
    def gone(self) -> asyncio.Event:
        """Set when the client has dropped the connection."""
        return self.peer.gone

    @property
    def input_texts(self) -> list[str]:
        """What each input message says."""
        return [message["content"] for message in self.create["input"]]

    def send(self, *events: Event) -> None:
        """Write events at once."""
        lane = self.create.get("stream_id")
        for event in events:
            if lane is not None and self.peer.server.behaviour.has_lanes:
                event = {**event, "stream_id": lane}
            self.peer.write_event(json.dumps(event).encode())

    def send_raw(self, data: bytes) -> None:
        """Write data that need not be an event."""
        self.peer.write_event(data)

    def delta(self, text: str) -> None:
        """Write a delta."""
        self.send({"type": "response.output_text.delta", "delta": text})

    def begin(self) -> None:
        """Write `response.created`."""
        self.send({"type": "response.created", "response": {"id": self.response_id}})

    def answer(self, *deltas: str) -> None:
        """Write a whole answer."""
        self.send(*answer_events(self.response_id, deltas))

    def cut(self) -> None:
        """Drop the connection."""
        self.peer.cut()

    def close(self, code: int, reason: str = "") -> None:
        """Send a Close frame; over HTTP, end the stream."""
        self.peer.close(code, reason)


@dataclass
class ModelServer:
    """The server: its requests, and what happened on its connections."""

    script: Script
    behaviour: Behaviour
    port: int = 0
    scheme: str = "ws"
    host: str = "127.0.0.1"
    replies: list[Reply] = field(default_factory=list)
    peers: list[Peer] = field(default_factory=list)
    n_upgrades: int = 0
    n_posts: int = 0
    n_pings: int = 0
    n_payload_bytes: list[int] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    listener: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """The endpoint."""
        return f"{self.scheme}://{self.host}:{self.port}/v1/responses"

    @property
    def http_url(self) -> str:
        """The endpoint for `responses-http`."""
        return self.url.replace("ws", "http", 1)

    @property
    def n_open(self) -> int:
        """How many connections are there now."""
        return sum(not peer.gone.is_set() for peer in self.peers)

    async def listen(self, *, context: ssl.SSLContext | None = None) -> None:
        """Start listening, on the previous port if there was one."""
        loop = asyncio.get_running_loop()
        if context is not None:
            self.scheme = "wss"
        self.listener = await loop.create_server(
            lambda: Peer(self), "127.0.0.1", self.port, ssl=context
        )
        self.port = self.listener.sockets[0].getsockname()[1]

    async def until(self, condition: Callable[[ModelServer], bool]) -> None:
        """Wait until something is true of the server."""
        async with asyncio.timeout(10), self.changed:
            await self.changed.wait_for(lambda: condition(self))

    def note(self) -> None:
        """Make `until` check again."""
        self.run(self._notify())

    def run(self, work: Any) -> None:
        """Run a coroutine until the server is closed."""
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def aclose(self) -> None:
        """Drop everything."""
        if self.listener is not None:
            self.listener.close()
        for peer in self.peers:
            peer.cut()
        for peer in self.peers:
            await peer.gone.wait()
        tasks = list(self.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _notify(self) -> None:
        async with self.changed:
            self.changed.notify_all()


class Peer(asyncio.Protocol):
    """One connection of a client."""

    def __init__(self, server: ModelServer) -> None:
        self.server = server
        self.gone = asyncio.Event()
        self.lost: Exception | None = None
        self._received = bytearray()
        self._socket: ServerProtocol | None = None
        self._live: dict[str | None, Reply] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.peers.append(self)
        self.server.note()

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = exc
        self.gone.set()
        self.server.note()

    def data_received(self, data: bytes) -> None:
        if self._socket is not None:
            self._receive_frames(data)
            return
        self._received += data
        if self._received.startswith(b"\x16"):
            # A TLS greeting: a server without TLS takes it for a bad request.
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            self.transport.close()
            return
        head, found, _ = bytes(self._received).partition(b"\r\n\r\n")
        if not found:
            return
        if b"upgrade: websocket" in head.lower():
            data, self._received = bytes(self._received), bytearray()
            self._upgrade(data)
        else:
            self._receive_http(head)

    # WebSocket.

    def _upgrade(self, data: bytes) -> None:
        behaviour = self.server.behaviour
        protocol = ServerProtocol(max_size=2**26)
        protocol.receive_data(data)
        (request,) = protocol.events_received()
        assert isinstance(request, Request)
        authorization = request.headers.get("Authorization")
        self.server.n_upgrades += 1
        self.server.authorizations.append(authorization)
        refusal = (
            behaviour.refusal
            or behaviour.upgrade_refusal
            or self._key_refusal(authorization)
        )
        if behaviour.holds_upgrades:
            return
        if refusal is None:
            response = protocol.accept(request)
            if behaviour.announces_steering:
                response.headers["redline-steering"] = "true"
        else:
            status, headers, body = refusal
            response = protocol.reject(status, "")
            del response.headers["Content-Length"]
            response.headers.update({"Content-Length": str(len(body)), **headers})
            response.body = body
        protocol.send_response(response)
        self._flush(protocol)
        if refusal is None:
            self._socket = protocol
            if behaviour.closes_at_once:
                self.close(1011)
        self.server.note()

    def _receive_frames(self, data: bytes) -> None:
        assert self._socket is not None
        self._socket.receive_data(data)
        for frame in self._socket.events_received():
            assert isinstance(frame, Frame)
            if frame.opcode is Opcode.PING:
                self.server.n_pings += 1
                self.server.note()
            elif frame.opcode is Opcode.TEXT:
                self.server.n_payload_bytes.append(len(frame.data))
                self._receive_event(json.loads(bytes(frame.data)))
        if self.server.behaviour.answers_pings:
            self._flush(self._socket)
        else:
            self._socket.data_to_send()
        if self._socket.state is State.CLOSED:
            self.transport.close()

    def _receive_event(self, event: Event) -> None:
        if event["type"] == "response.steer":
            for reply in self._live.values():
                reply.steers.put_nowait(event)
        else:
            self.begin(event)

    def _flush(self, protocol: ServerProtocol) -> None:
        for data in protocol.data_to_send():
            if data:
                self.transport.write(data)
            elif self.transport.can_write_eof():
                self.transport.write_eof()
            else:
                self.transport.close()

    # HTTP.

    def _receive_http(self, head: bytes) -> None:
        lines = head.decode().split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines[1:])
        }
        n_bytes = int(headers.get("content-length", "0"))
        body = bytes(self._received[len(head) + 4 :])
        if len(body) < n_bytes:
            return
        self._received = bytearray(body[n_bytes:])
        authorization = headers.get("authorization")
        self.server.authorizations.append(authorization)
        behaviour = self.server.behaviour
        refusal = behaviour.refusal or self._key_refusal(authorization)
        if lines[0].startswith("GET"):
            refusal = refusal or (200, {}, b"{}")
        elif behaviour.socket_only:
            refusal = (404, {}, b"")
        if lines[0].startswith("POST"):
            self.server.n_posts += 1
        if refusal is not None:
            self._refuse(*refusal)
            return
        self.transport.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        self.begin(json.loads(body[:n_bytes]))

    def _refuse(self, status: int, headers: dict[str, str], body: bytes) -> None:
        fields = {"Content-Length": str(len(body)), **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.transport.write(f"HTTP/1.1 {status} No\r\n{head}\r\n".encode() + body)
        self.server.note()

    # Both.

    def begin(self, create: Event) -> None:
        """Run the script for a request."""
        reply = Reply(self, create, len(self.server.replies) + 1)
        self._live[create.get("stream_id")] = reply
        self.server.replies.append(reply)
        self.server.note()
        self.server.run(self._follow_script(reply))

    async def _follow_script(self, reply: Reply) -> None:
        await self.server.script(reply)
        if self._socket is None:
            self.end_stream()

    def _key_refusal(
        self, authorization: str | None
    ) -> tuple[int, dict[str, str], bytes] | None:
        key = self.server.behaviour.key
        if key is None or authorization == f"Bearer {key}":
            return None
        return (401, {}, json.dumps({"error": echo_key(authorization)}).encode())

    def write_event(self, data: bytes) -> None:
        """Write one message, or one server-sent event."""
        if self.transport.is_closing():
            return
        if self._socket is not None:
            if self._socket.state is State.OPEN:
                self._socket.send_text(data)
                self._flush(self._socket)
        else:
            chunk = b"event: x\ndata: " + data + b"\n\n"
            self.transport.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))

    def end_stream(self) -> None:
        """End an HTTP answer in good order, keeping the connection."""
        if not self.transport.is_closing():
            self.transport.write(b"0\r\n\r\n")

    def cut(self) -> None:
        """Drop the connection."""
        self.transport.abort()

    def close(self, code: int, reason: str = "") -> None:
        """Close in good order."""
        if self._socket is None:
            self.transport.close()
        elif self._socket.state is State.OPEN:
            self._socket.send_close(code, reason)
            self._flush(self._socket)

    def write_frame(self, data: bytes) -> None:
        """Write bytes that may be no frame."""
        self.transport.write(data)
