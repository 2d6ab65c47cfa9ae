"""An editor in memory, and one at the pipes of a real server process."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.framing import FrameDecoder, frame

Message = dict[str, Any]  # Any: JSON.


class Editor:
    """The other end of an endpoint."""

    def __init__(self) -> None:
        self.heard: list[Message] = []
        self.endpoint = Endpoint(self._hear)
        self._arrivals = asyncio.Event()

    def _hear(self, body: bytes) -> None:
        self.heard.append(json.loads(body))
        self._arrivals.set()

    def say(
        self, method: str | None = None, params: object = None, **more: object
    ) -> None:
        """Send a message; `id=`, `result=` and `error=` are further members."""
        message: Message = {"jsonrpc": "2.0", **more}
        if method is not None:
            message["method"] = method
        if params is not None:
            message["params"] = params
        self.endpoint.receive(json.dumps(message).encode())

    def initialize(self) -> None:
        """Go through the handshake, with a server that offers nothing."""
        self.endpoint.on_request_now("initialize", dict, lambda _: {"capabilities": {}})
        self.say("initialize", {}, id=0)
        self.say("initialized", {})
        self.heard.clear()

    def answers(self, request_id: object) -> list[Message]:
        """Every answer to a request so far."""
        return [m for m in self.heard if "method" not in m and m["id"] == request_id]

    async def until(self, is_enough: Callable[[], bool]) -> None:
        """Wait for messages until the condition holds."""
        while not is_enough():
            self._arrivals.clear()
            async with asyncio.timeout(10):
                await self._arrivals.wait()

    async def answer(self, request_id: object) -> Message:
        """Wait for the answer to a request."""
        await self.until(lambda: bool(self.answers(request_id)))
        return self.answers(request_id)[0]

    async def hear(self, method: str) -> Message:
        """Wait for a message with a method."""

        def found() -> list[Message]:
            return [m for m in self.heard if m.get("method") == method]

        await self.until(lambda: bool(found()))
        return found()[0]


@pytest.fixture
def editor() -> Editor:
    """An editor whose server is not initialized yet."""
    return Editor()


@pytest.fixture
def ready(editor: Editor) -> Editor:
    """An editor that is through the handshake."""
    editor.initialize()
    return editor


TINY_SERVER = Path(__file__).with_name("tiny_server.py")


class Process:
    """A server process and the editor's ends of its pipes."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        self.child = child
        self._decoder = FrameDecoder()
        self._bodies: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Send bytes."""
        assert self.child.stdin is not None
        self.child.stdin.write(data)

    def say(self, method: str, params: object = None, **more: object) -> None:
        """Send a message; `id=` makes it a request."""
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        self.write(frame(json.dumps(message).encode()))

    async def hear(self) -> Message:
        """Return the next message."""
        assert self.child.stdout is not None
        async with asyncio.timeout(20):
            while not self._bodies:
                data = await self.child.stdout.read(65536)
                assert data, "the server has closed its output"
                self._bodies += self._decoder.feed(data)
                assert self._decoder.error is None
        message: Message = json.loads(self._bodies.pop(0))
        return message

    async def log_until(self, text: str) -> str:
        """Return standard error up to a line that contains the text."""
        assert self.child.stderr is not None
        seen = ""
        async with asyncio.timeout(20):
            while text not in seen:
                line = await self.child.stderr.readline()
                assert line, f"{text!r} not in {seen!r}"
                seen += line.decode()
        return seen

    async def initialize(self) -> Message:
        """Go through the handshake; return its result."""
        self.say("initialize", {"processId": None, "capabilities": {}}, id=0)
        result: Message = (await self.hear())["result"]
        self.say("initialized", {})
        return result

    async def end(self) -> tuple[int, str]:
        """Wait for the process's end; return its code and the rest of its log."""
        assert self.child.stderr is not None
        async with asyncio.timeout(20):
            log = (await self.child.stderr.read()).decode()
            return await self.child.wait(), log


Spawn = Callable[..., Awaitable[Process]]


@pytest.fixture
async def spawn() -> AsyncIterator[Spawn]:
    """Start server processes; `spawn(*args, script=..., **subprocess_options)`."""
    children: list[asyncio.subprocess.Process] = []

    async def start(*args: str, script: Path = TINY_SERVER, **options: Any) -> Process:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.PIPE)
        child = await asyncio.create_subprocess_exec(
            sys.executable, str(script), *args, **{**pipes, **options}
        )
        children.append(child)
        return Process(child)

    yield start
    for child in children:
        if child.returncode is None:
            child.kill()
        await child.communicate()


@pytest.fixture
async def tiny(spawn: Spawn) -> Process:
    """A tiny server over stdio, initialized."""
    process = await spawn()
    await process.initialize()
    return process
