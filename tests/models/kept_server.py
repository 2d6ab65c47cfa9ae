"""A provider of background responses for tests: bare HTTP with scripted faults.

What it tells is a list of events that a test adds to. Every connection that follows
them may be cut after a number of events; every kind of call may be answered otherwise.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.models.model_server import Event

Refusal = tuple[int, dict[str, str], bytes]

RESPONSE_ID = "resp_1"


@dataclass(frozen=True)
class Call:
    """One request."""

    method: str
    path: str
    """Below `/v1/responses`."""
    query: dict[str, str]
    body: Event | None
    authorization: str | None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def is_stream(self) -> bool:
        """Whether it resumes a stream."""
        return self.query.get("stream") == "true"

    @property
    def name(self) -> str:
        """The kind of request, in a word."""
        if self.method == "GET":
            return "stream" if self.is_stream else "poll"
        if self.method == "DELETE":
            return "delete"
        return "cancel" if self.path.endswith("/cancel") else "create"


@dataclass
class KeptServer:
    """The server: its calls, and the one response that it stores."""

    events: list[Event] = field(default_factory=list)
    """All that the response tells, in order."""
    status: str = "in_progress"
    """What a poll says."""
    port: int = 0
    calls: list[Call] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    """After how many events the first streams are cut, one each."""
    refusals: dict[str, list[Refusal]] = field(default_factory=dict)
    """How the first calls of a name are answered instead."""
    is_numbered: bool = True
    is_deaf: bool = False
    """Streams begin at the start, whatever they are asked to begin after."""
    stalls_streams: bool = False
    """Streams tell nothing, and stay open."""
    holds_creation: bool = False
    """The stream of a creation begins, and waits before its first event."""
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    writers: set[asyncio.StreamWriter] = field(default_factory=set)
    listener: asyncio.Server | None = None
    handling: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        """The endpoint."""
        return f"http://127.0.0.1:{self.port}/v1/responses"

    def named(self, name: str) -> list[Call]:
        """All calls of one kind."""
        return [call for call in self.calls if call.name == name]

    async def listen(self) -> None:
        """Start listening, on the previous port if there was one."""
        self.listener = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self.listener.sockets[0].getsockname()[1]

    async def tell(self, *events: Event) -> None:
        """Add events to the response."""
        async with self.changed:
            self.events += events
            self.changed.notify_all()

    async def change(self, **fields: Any) -> None:
        """Change its fields and wake all waiters."""
        async with self.changed:
            for name, value in fields.items():
                setattr(self, name, value)
            self.changed.notify_all()

    async def until(self, condition: Callable[[KeptServer], bool]) -> None:
        """Wait until something is true of the server."""
        async with asyncio.timeout(10), self.changed:
            await self.changed.wait_for(lambda: condition(self))

    async def aclose(self) -> None:
        """Drop everything."""
        if self.listener is not None:
            self.listener.close()
        for writer in self.writers:
            writer.transport.abort()
        for task in self.handling:
            task.cancel()
        await asyncio.gather(*self.handling, return_exceptions=True)

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.handling.add(task)
        self.writers.add(writer)
        try:
            while (call := await _read_call(reader)) is not None:
                self.calls.append(call)
                async with self.changed:
                    self.changed.notify_all()
                if not await self._answer(call, writer):
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.handling.discard(task)
            self.writers.discard(writer)
            writer.transport.abort()

    async def _answer(self, call: Call, writer: asyncio.StreamWriter) -> bool:
        """Answer a call; return whether the connection can be used again."""
        if waiting := self.refusals.get(call.name):
            _send_body(writer, *waiting.pop(0))
            return True
        match call.name:
            case "create":
                return await self._stream(writer, after=-1, waits=self.holds_creation)
            case "stream":
                return await self._stream(writer, after=self.after(call))
            case "cancel" if self.status == "in_progress":
                await self.change(status="cancelled")
        _send_body(writer, 200, {}, json.dumps(self.body()).encode())
        return True

    async def _stream(
        self, writer: asyncio.StreamWriter, *, after: int, waits: bool = False
    ) -> bool:
        limit = self.cuts.pop(0) if self.cuts else None
        _send_head(writer, 200, {"transfer-encoding": "chunked"})
        if waits:
            await self.until(lambda server: not server.holds_creation)
        at = after + 1 if self.is_numbered and not self.is_deaf else 0
        n_sent = 0
        while not self.stalls_streams:
            if n_sent == limit:
                await writer.drain()
                return False
            if at < len(self.events):
                _send_event(writer, self.numbered(at))
                at, n_sent = at + 1, n_sent + 1
            elif self.status != "in_progress":
                writer.write(b"0\r\n\r\n")
                return True
            else:
                await self._news(at)
        await asyncio.Event().wait()
        return False

    async def _news(self, at: int) -> None:
        async with self.changed:
            await self.changed.wait_for(
                lambda: at < len(self.events) or self.status != "in_progress"
            )

    def after(self, call: Call) -> int:
        """Return the index of the event after which a stream is resumed."""
        return int(call.query.get("starting_after", "-1"))

    def numbered(self, at: int) -> Event:
        """Return an event as it is sent."""
        event = self.events[at]
        return {**event, "sequence_number": at} if self.is_numbered else event

    def body(self) -> Event:
        """Return the response as it is fetched."""
        last = self.events[-1] if self.events else {}
        ended: Event = last.get("response", {}) if self.status in _ENDS else {}
        return {**ended, "id": RESPONSE_ID, "status": self.status}


_ENDS = ("completed", "incomplete", "failed")


async def _read_call(reader: asyncio.StreamReader) -> Call | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    method, target, _ = first.split(" ")
    headers = {
        name.lower(): value for name, value in (line.split(": ", 1) for line in lines)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    parts = urlsplit(target)
    return Call(
        method=method,
        path=parts.path.removeprefix("/v1/responses"),
        query={name: values[0] for name, values in parse_qs(parts.query).items()},
        body=json.loads(body) if body else None,
        authorization=headers.get("authorization"),
        headers=headers,
    )


def _send_head(
    writer: asyncio.StreamWriter, status: int, headers: dict[str, str]
) -> None:
    lines = [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([f"HTTP/1.1 {status} X", *lines, "", ""]).encode())


def _send_body(
    writer: asyncio.StreamWriter, status: int, headers: dict[str, str], body: bytes
) -> None:
    _send_head(writer, status, {**headers, "content-length": str(len(body))})
    writer.write(body)


def _send_event(writer: asyncio.StreamWriter, event: Event) -> None:
    chunk = b"data: " + json.dumps(event).encode() + b"\n\n"
    writer.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
