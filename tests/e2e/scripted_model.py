"""The real gateway in the test's own loop: it says what a script tells it to.

What it saw is kept, and its answer can be held at any delta until the test lets it go
on, so that a test knows where the server stands without waiting for a clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing

from msgspec.structs import replace
from starlette.types import ASGIApp, Receive, Scope, Send
from tests.e2e.wire_editor import WAIT_S

from redline.gateway.app import RESPONSES_PATH, create_app
from redline.gateway.config import GatewayConfig
from redline.gateway.engines.engine import EngineAnswer, EngineRequest, Piece, TextPiece
from redline.gateway.engines.script import Script, ScriptEngine, with_behaviour
from redline.gateway.recording import Entry, Kind, Recorder
from redline.gateway.serving.server import GatewayServer, Listening
from redline.prompts.edit import EditTask, read_edit_task
from redline.prompts.message import ChatMessage, Prompt


class Hold:
    """A place at which an answer waits: after so many of its deltas."""

    def __init__(self, n_deltas: int) -> None:
        self.n_deltas = n_deltas
        self._is_reached = asyncio.Event()
        self._may_go_on = asyncio.Event()

    async def reached(self) -> None:
        """Wait until an answer waits here; its deltas so far have been sent."""
        async with asyncio.timeout(WAIT_S):
            await self._is_reached.wait()

    def release(self) -> None:
        """Let it go on, and every later one."""
        self._may_go_on.set()

    async def wait(self) -> None:
        """Wait for the release, as the answer does."""
        self._is_reached.set()
        await self._may_go_on.wait()


class _Server(GatewayServer):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Ctrl-C is for pytest.
        yield


class ScriptedModel:
    """A model's server, an `Engine` as well: what it answers can be changed."""

    def __init__(self, script: Script, *, token: str, port: int = 0) -> None:
        self.entries: list[Entry] = []
        self.n_connected = 0
        """WebSockets that are open now."""
        self.calls: list[tuple[str, str]] = []
        """The requests about stored answers that were answered: method and path."""
        self.may_call = asyncio.Event()
        """While it is unset, such requests wait."""
        self.may_call.set()
        self._script = script
        self._engine = ScriptEngine(script)
        self._holds: dict[str, Hold] = {}
        self._model_holds: dict[str, Hold] = {}
        self._has_news = asyncio.Event()
        self._listening = asyncio.get_running_loop().create_future()
        config = with_behaviour(GatewayConfig(token=token), script.server)
        self._server = _Server(
            self._watched(create_app(self, config, recorder=Recorder(self._note))),
            config,
            Listening(port=port),
            on_listening=self._listening.set_result,
        )
        self._task: asyncio.Task[None] | None = None

    async def listen(self) -> None:
        """Begin to serve."""
        self._task = asyncio.create_task(self._server.run_to_end(), name="model")
        await self._listening

    async def aclose(self) -> None:
        """Stop serving; no client may still be connected."""
        await self.until(lambda: self.n_connected == 0)
        await self.hang_up()

    async def hang_up(self) -> None:
        """Stop serving, and drop connected clients."""
        self._server.end()
        if self._task is not None:
            await self._task

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"ws://127.0.0.1:{self._listening.result()}{RESPONSES_PATH}"

    # What it says.

    @property
    def models(self) -> tuple[str, ...]:
        """As the script engine."""
        return self._engine.models

    def say(self, script: Script) -> None:
        """Answer by another script from now on; its `server` part has no effect."""
        self._engine = ScriptEngine(script)

    def hold(self, instruction: str, *, after: int) -> Hold:
        """Hold the answers to an instruction after a number of their deltas."""
        self._holds[instruction] = Hold(after)
        return self._holds[instruction]

    def hold_model(self, name: str, *, after: int) -> Hold:
        """Hold all answers of a model after some deltas."""
        self._model_holds[name] = Hold(after)
        return self._model_holds[name]

    def answer(self, request: EngineRequest) -> EngineAnswer:
        """Begin an answer."""
        answer = self._engine.answer(request)
        task = read_edit_task(request.prompt)
        hold = self._holds.get(task.instruction) if task else None
        hold = hold or self._model_holds.get(request.model)
        if hold is None:
            return answer
        return replace(answer, pieces=_held(answer.pieces, hold))

    # What it saw.

    def forget(self) -> None:
        """Forget what it saw and has to say, but not who is connected."""
        self.entries.clear()
        self._holds.clear()
        self._model_holds.clear()
        self.say(self._script)

    def n(self, kind: Kind) -> int:
        """How often something has happened."""
        return sum(entry.kind == kind for entry in self.entries)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until enough has happened."""
        async with asyncio.timeout(WAIT_S):
            while not is_so():
                self._has_news.clear()
                await self._has_news.wait()

    @property
    def tasks(self) -> list[EditTask]:
        """The edits that it was asked for, over any transport, in order."""
        return [task for prompt in self.prompts if (task := read_edit_task(prompt))]

    @property
    def prompts(self) -> list[Prompt]:
        """All prompts, request by request."""
        bodies = [e.body for e in self.entries if e.kind == "create"]
        return [_prompt(body) for body in bodies if body]

    def _watched(self, app: ASGIApp) -> ASGIApp:
        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            path: str = scope.get("path", "")
            is_call = path.startswith(f"{RESPONSES_PATH}/")
            if is_call:
                await self.may_call.wait()
            await app(scope, receive, send)
            if is_call:
                self.calls.append((scope["method"], path))
                self._has_news.set()

        return serve

    def _note(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.n_connected += (entry.kind == "opened") - (entry.kind == "closed")
        self._has_news.set()


async def _held(
    pieces: AsyncGenerator[Piece, None], hold: Hold
) -> AsyncGenerator[Piece, None]:
    n_deltas = 0
    async with aclosing(pieces):
        if hold.n_deltas == 0:
            await hold.wait()
        async for piece in pieces:
            yield piece
            n_deltas += isinstance(piece, TextPiece)
            if n_deltas == hold.n_deltas and isinstance(piece, TextPiece):
                await hold.wait()


def _prompt(body: str) -> Prompt:
    create = json.loads(body)
    return Prompt(
        instructions=create["instructions"],
        chat_messages=tuple(
            ChatMessage(role=each["role"], text=each["content"])
            for each in create["input"]
        ),
    )
