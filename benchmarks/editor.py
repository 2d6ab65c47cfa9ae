"""The editor's side: starts a real `redline serve`, speaks LSP to it, records times.

A received message is timed when its bytes are read, before it is decoded; a sent one
just before it is written.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar  # Any: JSON whose shape the measure knows.

import msgspec

from benchmarks.pipes import Pipes
from benchmarks.processes import SERVER, environment, running
from benchmarks.sources import ROOT_URI
from redline.lsp.jsonrpc import rpc
from redline.lsp.jsonrpc.framing import FrameDecoder, frame

ANSWER_LIMIT_S = 60.0
"""How long a request may take before the measure fails."""

_T = TypeVar("_T")

Listener = Callable[[str, msgspec.Raw, float], None]
"""Takes a notification's method and params, and when it was read."""


Answer = asyncio.Future[tuple[rpc.Envelope, float]]
"""An answer and when it was read."""


class AnswerError(Exception):
    """The server answered a request with an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request that was sent."""

    id: int
    sent: float
    """Time just before it was sent."""
    n_bytes: int
    answer: Answer

    async def wait(self) -> tuple[rpc.Envelope, float]:
        """Wait for the answer, with a time limit."""
        return await within(self.answer)

    async def result(self) -> Any:
        """Wait for the result.

        Raises:
            AnswerError: If the answer is an error.
        """
        response, _ = await self.wait()
        if response.error:
            raise AnswerError(rpc.decode_error(response.error).message)
        return msgspec.json.decode(response.result)


async def within(awaited: asyncio.Future[_T]) -> _T:
    """Wait for a future, with a time limit."""
    async with asyncio.timeout(ANSWER_LIMIT_S):
        return await awaited


class Editor:
    """One connection to a server in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.listener: Listener = lambda method, params, at: None
        self.answer_edit: Callable[[msgspec.Raw], bool] = lambda params: False
        """Answers a `workspace/applyEdit` of the server."""
        self.last_read_at = 0.0
        """When the last bytes came."""
        self._decoder = FrameDecoder()
        self._numbers = itertools.count(100_001)
        """Ids of equal length, so that messages have equal length."""
        self._pending: dict[object, Answer] = {}
        self._pipes: Pipes | None = None

    async def open(self) -> None:
        """Begin to read."""
        self._pipes = await Pipes.open(self.process, self._take)

    def close(self) -> None:
        """Stop reading."""
        if self._pipes is not None:
            self._pipes.close()

    async def initialize(
        self,
        options: Mapping[str, object] | None = None,
        *,
        root_uri: str = ROOT_URI,
    ) -> tuple[float, float]:
        """Initialize the server; returns the times of the request and the answer."""
        capabilities = {
            "general": {"positionEncodings": ["utf-16"]},
            "workspace": {
                "applyEdit": True,
                "workspaceEdit": {"documentChanges": True},
            },
            "experimental": {
                "redline": {"preview": True, "status": False, "plan": True}
            },
        }
        params = {
            "processId": os.getpid(),
            "rootUri": root_uri,
            "capabilities": capabilities,
            "initializationOptions": options or {},
        }
        asked = self.ask("initialize", params)
        _, answered = await asked.wait()
        self.notify("initialized", {})
        return asked.sent, answered

    async def settle(self) -> None:
        """Wait until the server has loaded what it loads after `initialize`.

        An unknown request is answered by the part that is loaded last.
        """
        with suppress(AnswerError):
            await self.request("benchmarks/nothing", None)

    def open_document(self, uri: str, lines: Sequence[str]) -> None:
        """Open a document of these lines, without their ends."""
        text = "\n".join(lines) + "\n"
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def edit(self, uri: str, first: int, end: int, **more: object) -> Asked:
        """Request an edit of lines; see `edit_request`."""
        return self.ask(*edit_request(uri, first, end, **more))

    def prepare(self, uri: str, first: int, end: int) -> None:
        """Announce an edit of lines."""
        self.notify(
            "redline/edit/prepare", {"uri": uri, "range": line_range(first, end)}
        )

    def ask(self, method: str, params: object, *, after: bytes = b"") -> Asked:
        """Send a request.

        Args:
            method: The method.
            params: Its params.
            after: Framed messages to send in the same write, before it.
        """
        number = next(self._numbers)
        answer: Answer = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        data = after + frame(rpc.encode_request(number, method, params))
        return Asked(id=number, answer=answer, n_bytes=len(data), sent=self.send(data))

    async def request(self, method: str, params: object) -> Any:
        """Send a request and wait for the result.

        Raises:
            AnswerError: If the answer is an error.
        """
        return await self.ask(method, params).result()

    async def execute(self, command: str, **arguments: object) -> Any:
        """Run a command, and wait for its result."""
        params = {"command": command, "arguments": [arguments] if arguments else []}
        return await self.request("workspace/executeCommand", params)

    def notify(self, method: str, params: object) -> float:
        """Send a notification; returns the time."""
        return self.send(frame(rpc.encode_notification(method, params)))

    def send(self, data: bytes) -> float:
        """Write bytes; returns the time just before."""
        assert self._pipes is not None
        at = time.monotonic()
        self._pipes.write(data)
        return at

    def _take(self, data: bytes, at: float) -> None:
        self.last_read_at = at
        for body in self._decoder.feed(data):
            self._take_message(rpc.decode_envelope(body), at)

    def _take_message(self, message: rpc.Envelope, at: float) -> None:
        if message.method is msgspec.UNSET:
            answer = self._pending.pop(message.id, None)
            if answer is not None and not answer.done():
                answer.set_result((message, at))
        elif isinstance(message.id, int | str):
            result = None
            if message.method == "workspace/applyEdit":
                result = {"applied": self.answer_edit(message.params)}
            self.send(frame(rpc.encode_result(message.id, result)))
        else:
            self.listener(message.method, message.params, at)


def line_range(first: int, end: int) -> dict[str, object]:
    """Write the range of the lines [first, end)."""
    return {
        "start": {"line": first, "character": 0},
        "end": {"line": end, "character": 0},
    }


def edit_request(
    uri: str, first: int, end: int, **more: object
) -> tuple[str, dict[str, object]]:
    """Write `redline.edit` for lines [first, end).

    Args:
        uri: The document.
        first: The first line.
        end: The line after the last.
        **more: Further arguments of the command; `workDoneToken` goes beside them.
    """
    token = more.pop("workDoneToken", None)
    arguments = {
        "uri": uri,
        "range": line_range(first, end),
        "instruction": "Do what the benchmark asks for",
        **more,
    }
    params: dict[str, object] = {"command": "redline.edit", "arguments": [arguments]}
    if token is not None:
        params["workDoneToken"] = token
    return "workspace/executeCommand", params


@asynccontextmanager
async def editor(
    settings: str | None,
    *,
    prefix: Sequence[str] = (),
    root_uri: str = ROOT_URI,
    python: str = sys.executable,
) -> AsyncIterator[Editor]:
    """Start and initialize a server with these settings; it ends with the block.

    Args:
        settings: A `config.toml`; None: the server finds its model by itself.
        prefix: A command that runs the server, such as one that enters a namespace.
        root_uri: The folder that is open.
        python: The interpreter whose Redline runs.
    """
    with tempfile.TemporaryDirectory(prefix="redline-bench-") as folder:
        home = Path(folder)
        command = [*prefix, python, *SERVER, "serve", "--log-file", str(home / "log")]
        if settings is not None:
            (home / "config.toml").write_text(settings, encoding="utf-8")
            command += ["--config", str(home / "config.toml")]
        async with running(command, environment(home)) as process:
            connected = Editor(process)
            await connected.open()
            try:
                await connected.initialize(root_uri=root_uri)
                await connected.settle()
                yield connected
                await connected.request("shutdown", None)
                connected.notify("exit", None)
            finally:
                connected.close()
