"""A server that writes deltas in every wire format, at a steady pace.

    python -m benchmarks.format_server

Prints its port as JSON. The first part of a request's path is the number of deltas to
write, one every millisecond; with 0 it writes one and waits until the client leaves,
then prints the time on the system's monotonic clock.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Mapping

_PACE_S = 0.001
_WORD = "word "


def _sse(event: Mapping[str, object]) -> bytes:
    # Anthropic's SDK reads only events that have a name.
    name = event.get("type")
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + json.dumps(event).encode() + b"\n\n"


def _line(event: Mapping[str, object]) -> bytes:
    return json.dumps(event).encode() + b"\n"


def _choice(finish: str | None, **delta: str) -> dict[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**chunk, "choices": [choice]}


_DELTAS = {
    "responses": _sse(
        {"type": "response.output_text.delta", "output_index": 0, "delta": _WORD}
    ),
    "chat": _sse(_choice(None, content=_WORD)),
    "messages": _sse(
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": _WORD},
        }
    ),
    "models": _sse(
        {"candidates": [{"content": {"role": "model", "parts": [{"text": _WORD}]}}]}
    ),
    "api": _line({"model": "m", "message": {"content": _WORD}, "done": False}),
}
_ENDS = {
    "responses": _sse(
        {"type": "response.completed", "response": {"id": "r", "status": "completed"}}
    ),
    "chat": _sse(_choice("stop")) + b"data: [DONE]\n\n",
    "messages": _sse({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
    + _sse({"type": "message_stop"}),
    "models": _sse({"candidates": [{"finishReason": "STOP"}]}),
    "api": _line({"done": True, "done_reason": "stop"}),
}


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            await _answer_one(reader, writer)
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def _answer_one(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    method, path, _ = head.split(" ", 2)
    _, _, rest = head.partition("content-length: ")
    await reader.readexactly(int(rest.partition("\r\n")[0] or 0))
    if method == "get" or path.endswith("/show"):
        # A client of Ollama asks about its model before the first request.
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        return
    parts = path.split("/")
    n_deltas = int(parts[1])
    # Ollama's path has two of the words; its own comes first.
    kind = next(part for part in parts if part in _DELTAS)
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(n_deltas or 1):
        writer.write(_chunk(_DELTAS[kind]))
        await writer.drain()
        await asyncio.sleep(_PACE_S)
    if n_deltas:
        writer.write(_chunk(_ENDS[kind]) + b"0\r\n\r\n")
        return
    await reader.read()
    print(time.monotonic(), flush=True)
    raise asyncio.IncompleteReadError(b"", None)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


async def _main() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        # The end of our input is the end of our parent.
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main())
