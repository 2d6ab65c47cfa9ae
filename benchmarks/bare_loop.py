"""The least that a server in Python does between a key and its request.

    python -m benchmarks.bare_loop PORT N_OUT

Run as a process of its own. It opens a WebSocket, reads messages of LSP from standard
input in the event loop, decodes each `textDocument/didChange`, replaces the range in a
list of lines, and sends one `response.create` of N_OUT bytes with the changed line. It
knows nothing of ignored files, secrets, earlier replies, limits or costs. Ends when
standard input ends.
"""

from __future__ import annotations

import asyncio
import gc
import sys

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from redline.lsp.jsonrpc import rpc
from redline.lsp.jsonrpc.framing import FrameDecoder
from redline.lsp.protocol.messages import DidChange, LspRange
from redline.wire import events
from redline.wire.events import InputMessage, ResponseCreate

N_LINES = 200
_READ_BYTES = 65_536
_DECODER = msgspec.json.Decoder(DidChange)


class _Reader(asyncio.Protocol):
    def __init__(self, socket: ClientConnection, n_out: int) -> None:
        self.has_ended = asyncio.Event()
        self._socket = socket
        self._frames = FrameDecoder()
        self._lines = [f"v{number:06d} = f({number})" for number in range(N_LINES)]
        n_more = n_out - len(_request("", ""))
        self._text = "x" * (n_more - len(self._lines[0]) - 1)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # As the server does: larger reads are slower.
        if hasattr(transport, "max_size"):
            transport.max_size = _READ_BYTES

    def data_received(self, data: bytes) -> None:
        for body in self._frames.feed(data):
            params = _DECODER.decode(rpc.decode_envelope(body).params)
            for change in params.content_changes:
                self._take(change.text, change.range)

    def _take(self, text: str, replaced: LspRange | None) -> None:
        assert replaced is not None
        start, end = replaced.start, replaced.end
        line = self._lines[start.line]
        line = line[: start.character] + text + line[end.character :]
        self._lines[start.line] = line
        if text:
            self._socket.protocol.send_text(_request(self._text, line))
            self._socket.send_data()

    def connection_lost(self, exc: Exception | None) -> None:
        self.has_ended.set()


def _request(text: str, line: str) -> bytes:
    create = ResponseCreate(
        model="bench", input=[InputMessage(role="user", content=f"{text}{line}")]
    )
    create.type = "response.create"
    return events.encode(create)


async def _main(port: int, n_out: int) -> None:
    loop = asyncio.get_running_loop()
    url = f"ws://127.0.0.1:{port}/v1/responses"
    async with connect(url, compression=None, max_size=None) as socket:
        reader = _Reader(socket, n_out)
        await loop.connect_read_pipe(lambda: reader, sys.stdin)
        gc.freeze()
        await reader.has_ended.wait()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2])))
