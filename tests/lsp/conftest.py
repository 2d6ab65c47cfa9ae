"""An editor in memory: what it says goes in as bytes, what it hears is collected."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from redline.lsp.endpoint import Endpoint

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
