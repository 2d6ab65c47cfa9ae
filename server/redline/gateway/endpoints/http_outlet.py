"""Outlets to HTTP clients: a stream of server-sent events, or one JSON body."""

from __future__ import annotations

import msgspec
from starlette.types import Message, Scope, Send

from redline.gateway.outlet import PeerGoneError, Sent, tcp_connection
from redline.gateway.recording import Recorder
from redline.gateway.refusals import Refusal, deny, stream_event
from redline.gateway.responses import Response
from redline.wire import events


class _HttpOutlet:
    """The base of both outlets: an HTTP exchange that can be dropped."""

    is_kept = False
    direct = None

    def __init__(
        self, scope: Scope, send: Send, *, recorder: Recorder, connection_number: int
    ) -> None:
        self._scope = scope
        self._send = send
        self._tcp = tcp_connection(scope)
        self._recorder = recorder
        self._connection_number = connection_number

    async def close(self, code: int, reason: str) -> None:
        """Drop the connection: HTTP has no close codes."""
        self.abort()

    def abort(self) -> None:
        """Drop the TCP connection."""
        if self._tcp is not None:
            self._tcp.abort()

    async def _put(self, message: Message) -> None:
        if self._tcp is not None and self._tcp.is_gone():
            raise PeerGoneError
        try:
            await self._send(message)
        except OSError as exc:
            raise PeerGoneError from exc


class StreamOutlet(_HttpOutlet):
    """Sends each event as it comes (WHATWG HTML section 9.2, server-sent events)."""

    _n_sent = 0
    _has_begun = False

    async def send(self, sent: list[Sent]) -> None:
        """Send events."""
        for kind, data in sent:
            await self._write(b"event: %b\ndata: %b\n\n" % (kind.encode(), data))
            self._recorder.note("sent", self._connection_number, event=kind)

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with an HTTP error, or with an event if the stream has begun."""
        if self._n_sent == 0:
            await deny(self._scope, self._send, refusal)
            return
        data = stream_event(refusal, sequence_number=self._n_sent)
        await self.send([Sent(events.ERROR, data)])
        await self.finish(None)

    async def send_raw(self, data: bytes) -> None:
        """Send any text as if it were an event."""
        await self._write(b"data: %b\n\n" % data)

    async def finish(self, response: Response | None) -> None:
        await self._put({"type": "http.response.body", "body": b""})

    async def begin(self) -> None:
        """Send the head of the stream before its first event."""
        if not self._has_begun:
            self._has_begun = True
            headers = [
                (b"content-type", b"text/event-stream; charset=utf-8"),
                (b"cache-control", b"no-store"),
                # nginx and others that know it pass on each event as it comes.
                (b"x-accel-buffering", b"no"),
            ]
            await self._put(
                {"type": "http.response.start", "status": 200, "headers": headers}
            )

    async def _write(self, chunk: bytes) -> None:
        await self.begin()
        self._n_sent += 1
        await self._put(
            {"type": "http.response.body", "body": chunk, "more_body": True}
        )


class BodyOutlet(_HttpOutlet):
    """Sends nothing but the finished response."""

    async def send(self, sent: list[Sent]) -> None:
        """Ignore events: the response that they describe is sent at the end."""
        for kind, _ in sent:
            self._recorder.note("sent", self._connection_number, event=kind)

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with an HTTP error."""
        await deny(self._scope, self._send, refusal)

    async def send_raw(self, data: bytes) -> None:
        """Answer with these bytes as the body."""
        await self._answer(data)

    async def finish(self, response: Response | None) -> None:
        """Answer with the response."""
        await self._answer(msgspec.json.encode(response))

    async def _answer(self, body: bytes) -> None:
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
        ]
        await self._put(
            {"type": "http.response.start", "status": 200, "headers": headers}
        )
        await self._put({"type": "http.response.body", "body": body})
