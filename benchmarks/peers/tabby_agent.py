"""tabby-agent, from the npm registry, in a home folder of its own."""

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

VERSION = "1.5.0"

_MAX_LINE = 2**20
_START_S = 60.0


def install(folder: Path) -> None:
    """Install it without its scripts, unless it is there."""
    package = folder / "node_modules" / "tabby-agent" / "package.json"
    if package.exists() and f'"version": "{VERSION}"' in package.read_text():
        return
    if shutil.which("npm") is None:
        raise SystemExit("npm is missing")
    command = ["npm", "install", "--prefix", str(folder), f"tabby-agent@{VERSION}"]
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run([*command, *quiet], check=True)


@asynccontextmanager
async def tabby_agent(
    folder: Path, model: OracleModel, display: Display
) -> AsyncIterator[Policy]:
    """Run tabby-agent with the oracle as its Tabby server."""
    program = folder / "node_modules" / "tabby-agent" / "dist" / "cli.js"
    async with oracle_server(model) as address:
        with tempfile.TemporaryDirectory() as home:
            process = await asyncio.create_subprocess_exec(
                "node",
                str(program),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"HOME": home, "PATH": os.environ["PATH"]},
                limit=_MAX_LINE,
            )
            agent = _Agent(process)
            config = {
                "server": {"endpoint": address, "token": "none"},
                "anonymousUsageTracking": {"disable": True},
            }
            try:
                async with asyncio.timeout(_START_S):
                    _, started = agent.call("initialize", {"config": config})
                    if bytes(await started) != b"true":
                        raise SystemExit("tabby-agent does not start")
                yield _TabbyPolicy(agent, display)
            finally:
                await agent.aclose()
                process.kill()
                await process.wait()


class _Agent:
    """tabby-agent behind its own protocol: lines of JSON, each a number and a call.

    As a language server it has no inline completion.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to, self._from = process.stdin, process.stdout
        self._numbers = itertools.count(1)
        self._open: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._reading = asyncio.get_running_loop().create_task(self._read())

    def call(
        self, name: str, *arguments: object
    ) -> tuple[int, asyncio.Future[msgspec.Raw]]:
        """Call a function of the agent; return the call's number and its result."""
        number = next(self._numbers)
        answer = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        message = [number, {"func": name, "args": arguments}]
        self._to.write(msgspec.json.encode(message) + b"\n")
        return number, answer

    async def aclose(self) -> None:
        """Read no more."""
        self._reading.cancel()
        await asyncio.wait([self._reading])

    async def _read(self) -> None:
        while line := await self._from.readline():
            number, result = _LINE.decode(line)
            # 0: an event.
            answer = self._open.pop(number, None)
            if answer is not None and not answer.done():
                answer.set_result(result)


_LINE = msgspec.json.Decoder(tuple[int, msgspec.Raw])


class _Range(msgspec.Struct):
    start: int
    end: int


class _Choice(msgspec.Struct, rename="camel"):
    text: str
    replace_range: _Range


class _Completion(msgspec.Struct):
    choices: list[_Choice]


class _TabbyPolicy:
    """The agent's completions, requested after each key."""

    def __init__(self, agent: _Agent, display: Display) -> None:
        self._agent = agent
        self._display = display
        self._version = 0
        self._last: int | None = None

    def change(self, edit: Edit, before: str, after: str) -> None:
        """Cancel the last request, and request a completion."""
        self._version += 1
        if self._last is not None:
            self._agent.call("cancelRequest", self._last)
        request = {
            "filepath": "/replay/module.py",
            "language": "python",
            "text": before + after,
            "position": len(before),
        }
        self._last, answer = self._agent.call("provideCompletions", request)
        answer.add_done_callback(partial(self._show, self._version, before))

    def why_nothing(self) -> str:
        """It is not known."""
        return "unknown"

    async def aclose(self) -> None:
        """Show nothing more."""
        self._version += 1

    def _show(
        self, version: int, before: str, answer: asyncio.Future[msgspec.Raw]
    ) -> None:
        if version != self._version or answer.cancelled():
            return
        self._last = None
        found = msgspec.json.decode(answer.result(), type=_Completion | None)
        choices = found.choices if found else []
        self._display(_shown(choices[0], before) if choices else None)


def _shown(choice: _Choice, before: str) -> Shown | None:
    """Return what an editor draws: the text without what stands before the cursor."""
    text, replaced = choice.text, choice.replace_range
    n_left, n_right = len(before) - replaced.start, replaced.end - len(before)
    typed = before[replaced.start :]
    if text.startswith(typed):
        text, n_left = text[len(typed) :], 0
    return Shown(text, n_left, n_right) if text else None
