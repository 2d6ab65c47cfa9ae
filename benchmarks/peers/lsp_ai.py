"""lsp-ai, from crates.io, with its own defaults: one request a second, for a FIM model.

It answers `textDocument/completion` with one item, which inserts the model's text. It
answers only the last of the requests that came while it waited, and ignores
`$/cancelRequest`; the editor keeps what agrees with the keys since.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec

from benchmarks.completion_policies import Display, Edit, Policy, Shown
from benchmarks.oracle import OracleModel
from benchmarks.peers.oracle_server import oracle_server
from redline.lsp.jsonrpc.framing import FrameDecoder, frame

VERSION = "0.7.0"

_URI = "file:///replay/module.py"
_CHUNK_BYTES = 65_536
_START_S = 60.0

_FIM = {"start": "<|fim_prefix|>", "middle": "<|fim_suffix|>", "end": "<|fim_middle|>"}
_MODEL = "oracle"


def install(folder: Path) -> None:
    """Build it with cargo, which takes some minutes, unless it is there."""
    if (folder / "bin" / "lsp-ai").exists():
        return
    if shutil.which("cargo") is None:
        raise SystemExit("cargo is missing")
    command = ["cargo", "install", "--quiet", "--locked", "--root", str(folder)]
    subprocess.run([*command, f"lsp-ai@{VERSION}"], check=True)


@asynccontextmanager
async def lsp_ai(
    folder: Path, model: OracleModel, display: Display
) -> AsyncIterator[Policy]:
    """Run lsp-ai with the oracle as its model of OpenAI's completions protocol."""
    async with oracle_server(model) as address:
        with tempfile.TemporaryDirectory() as home:
            process = await asyncio.create_subprocess_exec(
                str(folder / "bin" / "lsp-ai"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"HOME": home, "PATH": os.environ["PATH"]},
            )
            server = _Server(process)
            try:
                async with asyncio.timeout(_START_S):
                    await server.initialize(_options(address))
                yield _LspAiPolicy(server, display)
            finally:
                await server.aclose()
                process.kill()
                await process.wait()


def _options(address: str) -> dict[str, object]:
    endpoint = {
        "type": "open_ai",
        "model": _MODEL,
        "completions_endpoint": f"{address}/v1/completions",
        "auth_token": "none",
    }
    return {
        "memory": {"file_store": {}},
        "models": {_MODEL: endpoint},
        "completion": {"model": _MODEL, "parameters": {"fim": _FIM}},
    }


class _TextEdit(msgspec.Struct):
    new_text: str = msgspec.field(name="newText")


class _Item(msgspec.Struct):
    edit: _TextEdit = msgspec.field(name="textEdit")


class _Items(msgspec.Struct):
    items: list[_Item] = []


class _Answer(msgspec.Struct):
    id: int | None = None
    result: msgspec.Raw = msgspec.Raw(b"{}")
    """An error has none."""


class _Server:
    """The language server, for an editor with one document."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to, self._from = process.stdin, process.stdout
        self._numbers = itertools.count(1)
        self._open: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._reading = asyncio.get_running_loop().create_task(self._read())

    async def initialize(self, options: object) -> None:
        """Start the server, and open the empty document."""
        parameters = {"capabilities": {}, "initializationOptions": options}
        await self.request("initialize", parameters)
        self.notify("initialized", {})
        document = {"uri": _URI, "languageId": "python", "version": 1, "text": ""}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def notify(self, method: str, parameters: object) -> None:
        """Send a notification."""
        self._send({"method": method, "params": parameters})

    def request(self, method: str, parameters: object) -> asyncio.Future[msgspec.Raw]:
        """Send a request; the result of an error is empty."""
        number = next(self._numbers)
        answer = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        self._send({"id": number, "method": method, "params": parameters})
        return answer

    async def aclose(self) -> None:
        """Read no more."""
        self._reading.cancel()
        await asyncio.wait([self._reading])

    def _send(self, message: dict[str, object]) -> None:
        self._to.write(frame(msgspec.json.encode({"jsonrpc": "2.0", **message})))

    async def _read(self) -> None:
        decoder = FrameDecoder()
        while data := await self._from.read(_CHUNK_BYTES):
            for body in decoder.feed(data):
                message = msgspec.json.decode(body, type=_Answer)
                answer = self._open.pop(message.id or 0, None)
                if answer is not None and not answer.done():
                    answer.set_result(message.result)


class _LspAiPolicy:
    """Its completions, requested after each key."""

    def __init__(self, server: _Server, display: Display) -> None:
        self._server = server
        self._display = display
        self._version = 1
        self._before: str | None = ""

    def change(self, edit: Edit, before: str, after: str) -> None:
        """Send the changed text, and request a completion."""
        self._version += 1
        self._before = before
        document = {"uri": _URI, "version": self._version}
        changes = [{"text": before + after}]
        self._server.notify(
            "textDocument/didChange",
            {"textDocument": document, "contentChanges": changes},
        )
        line = before.count("\n")
        position = {"line": line, "character": len(before.rpartition("\n")[2])}
        answer = self._server.request(
            "textDocument/completion",
            {"textDocument": {"uri": _URI}, "position": position},
        )
        answer.add_done_callback(partial(self._show, before))

    def why_nothing(self) -> str:
        """It is not known."""
        return "unknown"

    async def aclose(self) -> None:
        """Show nothing more."""
        self._before = None

    def _show(self, before: str, answer: asyncio.Future[msgspec.Raw]) -> None:
        now = self._before
        if now is None or answer.cancelled() or not now.startswith(before):
            return
        items = msgspec.json.decode(answer.result(), type=_Items).items
        text, typed = items[0].edit.new_text if items else "", now[len(before) :]
        if len(text) > len(typed) and text.startswith(typed):
            self._display(Shown(text[len(typed) :]))
