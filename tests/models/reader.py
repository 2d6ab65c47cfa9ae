"""The caller's side in tests: requests, and readers of generations."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from tests.models.model_server import ModelServer

from redline.models.interface import (
    Delta,
    Finish,
    Generation,
    GenerationRequest,
    Model,
    Restart,
)
from redline.models.sockets.pool import Pool
from redline.models.sockets.responses_socket import ResponsesSocket
from redline.prompts.message import ChatMessage, Prompt, Role
from redline.settings.tree import KeySource

Serve = Callable[..., Awaitable[ModelServer]]
"""The fixture `serve`."""

Build = Callable[..., Model]
"""The fixture `build`."""

BuildSocket = Callable[..., tuple[ResponsesSocket, Pool]]
"""The fixture `build_socket`."""

_ROLES: tuple[Role, Role] = ("user", "assistant")


def request_for(*texts: str, previous: str | None = None) -> GenerationRequest:
    """Write a request whose chat messages are these, the user's and ours in turn."""
    chat_messages = tuple(
        ChatMessage(role=_ROLES[index % 2], text=text)
        for index, text in enumerate(texts)
    )
    return GenerationRequest(
        prompt=Prompt(instructions="Be brief.", chat_messages=chat_messages),
        previous=previous,
        n_previous_messages=len(texts) - 1 if previous else 0,
        cache_key="workspace",
    )


@dataclass
class Reading:
    """What a reader of a generation has."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    n_restarts: int = 0
    finish: Finish | None = None

    def take(self, event: Delta | Restart | Finish) -> None:
        """Take one event."""
        match event:
            case Delta(text=text, kind="text"):
                self.text += text
            case Delta(text=text, kind="reasoning"):
                self.reasoning += text
            case Delta(text=text):
                self.refusal += text
            case Restart(text=text):
                self.text = text
                self.n_restarts += 1
            case Finish():
                assert self.finish is None
                self.finish = event

    @property
    def reason(self) -> str | None:
        """Why it ended."""
        return self.finish.reason if self.finish else None

    @property
    def error(self) -> Exception | None:
        """What went wrong."""
        return self.finish.error if self.finish else None


async def read(generation: Generation) -> Reading:
    """Read a generation to its end."""
    reading = Reading()
    async for event in generation:
        reading.take(event)
    assert reading.finish is not None
    assert (reading.finish.error is not None) == (reading.finish.reason == "failed")
    return reading


async def ask(model: Model, *texts: str, previous: str | None = None) -> Reading:
    """Run one generation to its end."""
    async with asyncio.timeout(30):
        async with model.start(
            request_for(*texts or ("hi",), previous=previous)
        ) as one:
            return await read(one)


async def until(condition: Callable[[], bool]) -> None:
    """Run the loop until a condition without an event is true."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - there is no event to wait for.
            await asyncio.sleep(0)


def rotated_key(folder: Path, *keys: str) -> KeySource:
    """A command that prints one key after another, and then the last one again."""
    uses = folder / "uses"
    code = (
        "import pathlib, sys; uses = pathlib.Path(sys.argv[1]); keys = sys.argv[2:]\n"
        "n = len(uses.read_text()) if uses.exists() else 0\n"
        "uses.write_text('x' * (n + 1)); print(keys[min(n, len(keys) - 1)])"
    )
    return KeySource(command=(sys.executable, "-c", code, str(uses), *keys))
