"""Redline against programs of others, hostile files and kills at the wrong moment.

Everything is seen from outside: `redline` commands are processes, and so are the
programs of others, which `make test-outside` brings first.
"""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.editor_document import Json
from tests.e2e.redline_session import Redline, kill, start_redline
from tests.e2e.wire_editor import CAPABILITIES, WAIT_S
from tests.models.model_server import Behaviour, ModelServer, Script
from tests.outside.commands import Desk
from tests.outside.programs import CLIENTS, ended, node_program, program, started

KEY = "the-key-of-these-tests"

Serve = Callable[..., Awaitable[Redline]]
Scripted = Callable[..., Awaitable["Gateway"]]
Hostile = Callable[..., Awaitable[ModelServer]]
Spawn = Callable[..., Awaitable[Process]]
Aimock = Callable[..., Awaitable[str]]
StartLlama = Callable[[Path], Awaitable["Llama"]]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A home without settings, and an empty project."""
    return Desk(tmp_path / "desk")


@pytest.fixture
async def serve(desk: Desk) -> AsyncIterator[Serve]:
    """Start `redline serve` in the project: `await serve(settings, capabilities=...)`.

    What it says after a test is not judged here; it is killed if it still runs.
    """
    running: list[Redline] = []

    async def serve(
        settings: object = None,
        *,
        capabilities: Any = CAPABILITIES,
        environment: dict[str, str] | None = None,
    ) -> Redline:
        home = desk.home / f"editor-{len(running)}"
        home.mkdir()
        own = {**desk.environment(KEY), **(environment or {})}
        redline = await start_redline(
            home=home, capabilities=capabilities, environment=own
        )
        running.append(redline)
        folder = desk.project
        await redline.editor.initialize(
            initializationOptions=settings,
            workspaceFolders=[{"uri": folder.as_uri(), "name": folder.name}],
        )
        return redline

    yield serve
    for redline in running:
        await kill(redline)
        await redline.process.gone()


@pytest.fixture
async def spawn(tmp_path: Path) -> AsyncIterator[Spawn]:
    """Start programs of others; afterwards none is left."""
    running: list[Process] = []

    async def spawn(*words: str | Path, **environment: str) -> Process:
        home = tmp_path / f"spawned-{len(running)}"
        process = await started(*words, home=home, environment=environment)
        running.append(process)
        return process

    yield spawn
    for process in running:
        await ended(process)


@dataclass(frozen=True, kw_only=True)
class Gateway:
    """`redline gateway`, as a process."""

    url: str
    token: str = KEY

    @property
    def http_url(self) -> str:
        """The base URL for a client over HTTP, without `/responses`."""
        return self.url.replace("ws", "http", 1).removesuffix("/responses")


@pytest.fixture
async def gateway(spawn: Spawn, tmp_path: Path) -> Scripted:
    """Start gateways: `await gateway(script)`; without a script, the rules engine."""

    async def start(script: object = None, *words: str) -> Gateway:
        engine = ["--engine", "rules"]
        if script is not None:
            file = tmp_path / "script.json"
            file.write_text(json.dumps(script))
            engine = ["--engine", "script", "--script", str(file)]
        process = await spawn(
            *(sys.executable, "-m", "redline", "gateway", "--announce"),
            *engine,
            *words,
            REDLINE_GATEWAY_TOKEN=KEY,
        )
        line = await line_with(process, '"url"')
        return Gateway(url=json.loads(line)["url"])

    return start


@pytest.fixture
async def aimock(spawn: Spawn, tmp_path: Path) -> Aimock:
    """Start aimock: `await aimock(fixtures, *options, **environment)`; returns the
    address of its Responses API over WebSocket."""

    async def start(fixtures: list[Json], *options: str, **environment: str) -> str:
        file = tmp_path / "fixtures.json"
        file.write_text(json.dumps({"fixtures": fixtures}))
        process = await spawn(
            *(node_program("llmock"), "--port", "0", "--fixtures", file),
            *options,
            **environment,
        )
        line = await line_with(process, "http://127.0.0.1:")
        address = line.split("http://")[1].strip()
        return f"ws://{address}/v1/responses"

    return start


@dataclass(frozen=True)
class Llama:
    """llama-server with a model that recites texts."""

    address: str

    async def busy_slots(self) -> int:
        """Return how many of its slots are at work."""
        slots = await asyncio.to_thread(fetched, f"{self.address}/slots")
        return sum(slot["is_processing"] for slot in slots)


def fetched(url: str) -> Any:
    """Return the JSON at an address."""
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


@pytest.fixture
async def start_llama(spawn: Spawn) -> StartLlama:
    """Start llama-server with the answers of a file: `await start_llama(file)`."""

    async def start(answers: Path) -> Llama:
        words = (CLIENTS / "llama_server.py", answers, "0")
        process = await spawn(program("llama", "python"), *words)
        line = await line_with(process, "listening http://")
        return Llama(address=line.split()[-1])

    return start


@pytest.fixture
async def hostile() -> AsyncIterator[Hostile]:
    """Start models' servers that do as a script says, and no better."""
    listening: list[ModelServer] = []

    async def listen(script: Script, **behaviour: Any) -> ModelServer:
        server = ModelServer(script, Behaviour(**behaviour))
        listening.append(server)
        await server.listen()
        return server

    yield listen
    for server in listening:
        await server.aclose()


async def line_with(process: Process, text: str) -> str:
    """Read a program's output up to the line that holds a text; returns that."""
    assert process.stdout is not None
    seen = ""
    async with asyncio.timeout(3 * WAIT_S):
        while True:
            line = (await process.stdout.readline()).decode(errors="replace")
            seen += line
            assert line, f"it has ended without saying {text}: {seen}"
            if text in line:
                return line
