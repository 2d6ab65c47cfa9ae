"""An HTTP server of scripted pieces, for answers in any wire format."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

Then = Literal["end", "abort", "hold"]
"""What follows the pieces: a regular end, a lost connection, or silence."""


@dataclass(frozen=True, kw_only=True)
class Act:
    """One answer of the server."""

    pieces: Sequence[bytes] = ()
    then: Then = "end"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request that the server got."""

    line: str
    headers: dict[str, str]
    body: bytes


_ASIDE = ("/api/show", "/api/ps")
_NOTHING = Act(status=404)


@dataclass
class PlainServer:
    """Answers each request by the next act; the last one is repeated."""

    acts: Sequence[Act]
    port: int = 0
    aside: dict[str, Act] = field(default_factory=dict)
    """Answers to what Ollama is asked before the first request, by path."""
    asked: list[Asked] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client has dropped a connection that was held."""

    @property
    def base(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    async def answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer the requests of one connection."""
        try:
            while await self._answer_one(reader, writer):
                continue
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer_one(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *lines = head.strip().split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (one.partition(":") for one in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        path = line.split()[1]
        if path in _ASIDE:
            return await self._act(self.aside.get(path, _NOTHING), reader, writer)
        act = self.acts[min(len(self.asked), len(self.acts) - 1)]
        self.asked.append(Asked(line=line, headers=headers, body=body))
        return await self._act(act, reader, writer)

    async def _act(
        self, act: Act, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        fields = (("Transfer-Encoding", "chunked"), *act.headers)
        text = "".join(f"{name}: {value}\r\n" for name, value in fields)
        writer.write(f"HTTP/1.1 {act.status} X\r\n{text}\r\n".encode())
        for piece in act.pieces:
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
        if act.then == "abort":
            writer.transport.abort()
            return False
        if act.then == "hold":
            await reader.read()
            self.gone.set()
            return False
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


@asynccontextmanager
async def serving(*acts: Act) -> AsyncIterator[PlainServer]:
    """Run a server."""
    server = PlainServer(acts)
    listener = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    server.port = listener.sockets[0].getsockname()[1]
    async with listener:
        yield server
