"""A gateway in this process on a port of its own, and raw clients for it."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any  # Events are JSON of any shape, as a client sees them.

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from redline.gateway.app import create_app
from redline.gateway.config import GatewayConfig
from redline.gateway.drain import Drain
from redline.gateway.engines.engine import Engine
from redline.gateway.engines.script import (
    Script,
    ScriptEngine,
    ScriptReply,
    with_behaviour,
)
from redline.gateway.limits.accounts import Accounts
from redline.gateway.limits.turns import Turns
from redline.gateway.recording import Entry, Kind, Recorder
from redline.gateway.serving.server import GatewayServer, Listening

TOKEN = "test-token"

Event = dict[str, Any]

ENDS = {"response.completed", "response.failed", "response.incomplete", "error"}


class Client:
    """A raw WebSocket client."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def send(self, **event: Any) -> None:
        """Send an event."""
        await self.socket.send(json.dumps(event))

    async def create(self, given: Any = "hi", **fields: Any) -> None:
        """Send a `response.create`."""
        await self.send(
            **{"type": "response.create", "model": "m", "input": given, **fields}
        )

    async def event(self) -> Event:
        """Receive an event."""
        event: Event = json.loads(await self.socket.recv())
        return event

    async def until(self, *kinds: str) -> list[Event]:
        """Receive events up to the first of one of these types."""
        events = [await self.event()]
        while events[-1]["type"] not in kinds:
            events.append(await self.event())
        return events

    async def answer(self, given: Any = "hi", **fields: Any) -> list[Event]:
        """Send a request and receive all events up to its end."""
        await self.create(given, **fields)
        return await self.until(*ENDS)


class Gateway:
    """A gateway that runs."""

    def __init__(self) -> None:
        self.port = 0
        self.server: GatewayServer | None = None
        self.serving: asyncio.Task[None] | None = None
        self.entries: list[Entry] = []
        self._news = asyncio.Condition()
        self._clients: list[ClientConnection] = []
        self._waking: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Where WebSockets connect."""
        return f"ws://127.0.0.1:{self.port}/v1/responses"

    @property
    def http_url(self) -> str:
        """The base of the HTTP addresses."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def client(self, **headers: str) -> Client:
        """Connect a WebSocket; it is closed after the test."""
        token = {"Authorization": f"Bearer {TOKEN}"}
        socket = await connect(
            self.url,
            additional_headers=token | headers,
            max_size=None,
            compression=None,
        )
        self._clients.append(socket)
        return Client(socket)

    def http(self, **headers: str) -> httpx.AsyncClient:
        """Make an HTTP client."""
        token = {"Authorization": f"Bearer {TOKEN}"}
        # Loading certificates takes longer than a test, and nothing here uses them.
        return httpx.AsyncClient(
            base_url=self.http_url, headers=token | headers, verify=False
        )

    def take(self, entry: Entry) -> None:
        """Store an entry of the recorder."""
        self.entries.append(entry)
        task = asyncio.get_running_loop().create_task(self._wake())
        self._waking.add(task)
        task.add_done_callback(self._waking.discard)

    async def saw(self, kind: Kind, *, n: int = 1) -> list[Entry]:
        """Wait until the gateway has recorded a kind so often; return its entries."""
        async with self._news:
            await self._news.wait_for(lambda: len(self.all(kind)) >= n)
        return self.all(kind)

    def all(self, kind: Kind) -> list[Entry]:
        """The entries of a kind so far."""
        return [entry for entry in self.entries if entry.kind == kind]

    async def end(self) -> None:
        """End the gateway; idempotent."""
        assert self.server is not None
        assert self.serving is not None
        self.server.end()
        await self.serving

    async def close_clients(self) -> None:
        """Drop every client."""
        for client in self._clients:
            client.transport.abort()
            await client.wait_closed()

    async def _wake(self) -> None:
        async with self._news:
            self._news.notify_all()


@pytest.fixture
async def start() -> AsyncIterator[Callable[..., Awaitable[Gateway]]]:
    """Start gateways; afterwards none has left a task or a socket behind.

    Called with an engine or a script, with accounts and turns, and with fields of
    `GatewayConfig`.
    """
    running: list[Gateway] = []

    async def start_one(
        what: Engine | Script | ScriptReply | None = None,
        *,
        port: int = 0,
        accounts: Accounts | None = None,
        turns: Turns | None = None,
        **fields: Any,
    ) -> Gateway:
        gateway = Gateway()
        config = GatewayConfig(token=TOKEN, **fields)
        if what is None or isinstance(what, ScriptReply):
            what = Script(otherwise=what or ScriptReply(text="hello world"))
        if isinstance(what, Script):
            config = with_behaviour(config, what.server)
            engine: Engine = ScriptEngine(what)
        else:
            engine = what
        drain = Drain()
        app = create_app(
            engine,
            config,
            accounts=accounts,
            turns=turns,
            drain=drain,
            recorder=Recorder(gateway.take),
        )
        listens: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        gateway.server = GatewayServer(
            app,
            config,
            Listening(port=port),
            on_listening=listens.set_result,
            drain=drain,
        )
        serving = gateway.server.run_to_end()
        gateway.serving = asyncio.create_task(serving, name="gateway")
        running.append(gateway)
        gateway.port = await listens
        return gateway

    yield start_one
    for gateway in running:
        await gateway.close_clients()
        await gateway.end()
    this = asyncio.current_task()
    left = {task.get_name() for task in asyncio.all_tasks() if task is not this}
    assert not left
    # Unclosed transports warn when they are collected, and warnings are errors.
    gc.collect()
