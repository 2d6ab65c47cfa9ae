"""The oracle behind an HTTP server on loopback, for tools that ask one.

It answers all at once, when the last token is written: the tools do not stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from benchmarks.oracle import TOKEN_S, OracleModel

_MAX_HEADERS = 64


@asynccontextmanager
async def oracle_server(model: OracleModel) -> AsyncIterator[str]:
    """Serve `/v1/completions` and `/v1/health`; return the address without a path."""
    served = await asyncio.start_server(_OracleServer(model).serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{served.sockets[0].getsockname()[1]}"
    finally:
        served.close()


class _OracleServer:
    """Answers completions by the oracle, in the form of OpenAI and of Tabby."""

    def __init__(self, model: OracleModel) -> None:
        self._model = model

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer the requests of one connection."""
        try:
            while True:
                path, body = await _http_request(reader)
                answer = await self._answer(path, body)
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    + f"Content-Length: {len(answer)}\r\n\r\n".encode()
                    + answer
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # The tool has closed the connection, as some do to cancel, or ended.
        finally:
            writer.close()

    async def _answer(self, path: str, body: bytes) -> bytes:
        if path == "/v1/health":
            return b'{"model": "oracle", "device": "cpu", "version": {}}'
        if path != "/v1/completions":
            return b"{}"
        tokens, wait_s = self._model.reply(restarts_line=False)
        await asyncio.sleep(wait_s + TOKEN_S * len(tokens))
        choice = {"index": 0, "text": "".join(tokens)}
        return msgspec.json.encode({"id": f"cmpl-{len(body)}", "choices": [choice]})


async def _http_request(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    """Read a request; return its path and body."""
    first = (await reader.readuntil(b"\r\n")).decode("latin-1").split()
    n_bytes = 0
    for _ in range(_MAX_HEADERS):
        line = (await reader.readuntil(b"\r\n")).decode("latin-1").strip().lower()
        if not line:
            break
        if line.startswith("content-length:"):
            n_bytes = int(line.partition(":")[2])
    return first[1], await reader.readexactly(n_bytes)
