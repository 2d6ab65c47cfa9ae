"""A model's server at the other end of a line: WebSocket and HTTPS, both with TLS.

    python -m benchmarks.far_model HOST CERTIFICATE

Answers each request at once with a few lines. Prints its two ports as a line of JSON. A
line on standard input drops every WebSocket; its end ends the server.
"""

from __future__ import annotations

import asyncio
import ssl
import sys

import msgspec

from benchmarks.stub_model import Call, StubModel, stub_model

_ANSWER = "".join(f"    value = changed(value, {i})  # new\n" for i in range(10))
_SSE_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
)


async def main(host: str, certificate: str) -> None:
    """Serve until standard input ends."""
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)
    async with stub_model(host, tls) as model:
        model.on_call = lambda call: call.answer(_ANSWER)
        https = await asyncio.start_server(_answer_https, host, 0, ssl=tls)
        async with https:
            _say([model.port, https.sockets[0].getsockname()[1]])
            while await asyncio.to_thread(sys.stdin.readline):
                _drop(model)
                _say("dropped")


def _drop(model: StubModel) -> None:
    for connection in model.connections:
        connection.transport.abort()
    model.connections.clear()


def _say(what: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(what) + b"\n")
    sys.stdout.flush()


async def _answer_https(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                await reader.readexactly(int(value))
        writer.write(_SSE_HEAD)
        call = Call(_EventStream(writer), b"{}", 0.0)
        call.answer(_ANSWER)
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        return  # A client that has gone wants no answer.
    finally:
        writer.close()


class _EventStream:
    """Where the same events go over HTTP."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def write(self, data: bytes) -> None:
        """Send an event."""
        self._writer.write(b"data: " + data + b"\n\n")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
