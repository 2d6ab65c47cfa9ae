"""A minimal client of a model, for comparison with Redline.

    python -m benchmarks.bare_client HOST SOCKET_PORT HTTPS_PORT CA_FILE

For each line of JSON on standard input, `[how, n_bytes]`, it sends a request of that
size and prints the seconds to the first delta. `how` is `warm` on one socket that stays
open, `socket` on a new WebSocket, `https` on a new HTTPS connection.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
import time

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.protocol import State

from redline.wire import events
from redline.wire.events import ResponseCreate

_DELTA = events.TEXT_DELTA.encode()
_END = events.COMPLETED.encode()


class _Client:
    def __init__(self, host: str, socket_port: str, https_port: str, ca: str) -> None:
        self._host = host
        self._https_port = int(https_port)
        self._url = f"wss://{host}:{socket_port}/v1/responses"
        self._tls = ssl.create_default_context(cafile=ca)
        self._warm: ClientConnection | None = None

    async def warm(self, body: bytes) -> float:
        """Use the socket that is open."""
        if self._warm is None or self._warm.state is not State.OPEN:
            self._warm = await self._connect()
        began = time.monotonic()
        return await _over_socket(self._warm, body) - began

    async def socket(self, body: bytes) -> float:
        """Open a socket for this request."""
        began = time.monotonic()
        socket = await self._connect()
        seen = await _over_socket(socket, body)
        await socket.close()
        return seen - began

    async def https(self, body: bytes) -> float:
        """Open an HTTPS connection for this request."""
        began = time.monotonic()
        reader, writer = await asyncio.open_connection(
            self._host, self._https_port, ssl=self._tls
        )
        head = (
            f"POST /v1/responses HTTP/1.1\r\nHost: {self._host}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        while _DELTA not in await reader.readuntil(b"\n\n"):
            continue
        seen = time.monotonic()
        await reader.read()
        writer.close()
        return seen - began

    async def _connect(self) -> ClientConnection:
        return await connect(
            self._url, ssl=self._tls, compression=None, ping_interval=None, proxy=None
        )


async def _over_socket(socket: ClientConnection, body: bytes) -> float:
    await socket.send(body, text=True)
    while _DELTA not in await socket.recv(decode=False):
        continue
    seen = time.monotonic()
    while _END not in await socket.recv(decode=False):
        continue
    return seen


async def main(*arguments: str) -> None:
    """Answer each line until standard input ends."""
    client = _Client(*arguments)
    ways = {"warm": client.warm, "socket": client.socket, "https": client.https}
    while line := await asyncio.to_thread(sys.stdin.readline):
        how, n_bytes = msgspec.json.decode(line, type=tuple[str, int])
        create = ResponseCreate(
            type="response.create", model="bench", input="x" * n_bytes
        )
        seconds = await ways[how](events.encode(create))
        sys.stdout.write(f"{seconds}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
