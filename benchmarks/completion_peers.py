"""The replay of `benchmarks.completion` with another tool's completions beside ours.

`python -m benchmarks.completion_peers` installs tabby-agent from the npm registry,
without its install scripts, and runs it in a home folder of its own. Its model is the
oracle, behind an HTTP server on loopback that answers as a Tabby server does. The same
texts are typed for both by the same users from the same seed; the editor requests a
completion after each key, cancels the request before it, and keeps a shown text that
agrees with a key until the next answer.

The agent's timers run on the real clock, so a thousand characters take about three
minutes; Redline's rows are those of the virtual clock. The model answers the agent all
at once, when the last token is written: the protocol has no stream.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
from rich.console import Console

from benchmarks.completion import Replayed, User, new_table, replay, row
from benchmarks.completion import sources as texts_of
from benchmarks.completion_policies import Display, Edit, Shown
from benchmarks.oracle import TOKEN_S, Oracle, OracleModel, Rates

VERSION = "1.5.0"
"""Of tabby-agent."""

_USERS = ("types on", "accepts")
_MAX_HEADERS = 64
_MAX_LINE = 2**20
_START_S = 60.0


class _TabbyServer:
    """Answers completions by the oracle, and says nothing to all else."""

    def __init__(self, model: OracleModel) -> None:
        self._model = model

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer the requests of one connection."""
        try:
            while True:
                path, body = await _http_request(reader)
                answer = await self._answer(path, body)
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    + f"Content-Length: {len(answer)}\r\n\r\n".encode()
                    + answer
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # The agent has closed the connection, as it does to cancel.
        finally:
            writer.close()

    async def _answer(self, path: str, body: bytes) -> bytes:
        if path == "/v1/health":
            return b'{"model": "oracle", "device": "cpu", "version": {}}'
        if path != "/v1/completions":
            return b"{}"
        tokens, wait_s = self._model.reply(restarts_line=False)
        await asyncio.sleep(wait_s + TOKEN_S * len(tokens))
        choice = {"index": 0, "text": "".join(tokens)}
        return msgspec.json.encode({"id": f"cmpl-{len(body)}", "choices": [choice]})


async def _http_request(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    """Read a request; return its path and body."""
    first = (await reader.readuntil(b"\r\n")).decode("latin-1").split()
    n_bytes = 0
    for _ in range(_MAX_HEADERS):
        line = (await reader.readuntil(b"\r\n")).decode("latin-1").strip().lower()
        if not line:
            break
        if line.startswith("content-length:"):
            n_bytes = int(line.partition(":")[2])
    return first[1], await reader.readexactly(n_bytes)


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


class _PeerPolicy:
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


@asynccontextmanager
async def _tabby(folder: Path, model: OracleModel) -> AsyncIterator[_Agent]:
    """Run tabby-agent with the oracle as its server."""
    served = await asyncio.start_server(_TabbyServer(model).serve, "127.0.0.1", 0)
    port = served.sockets[0].getsockname()[1]
    program = folder / "node_modules" / "tabby-agent" / "dist" / "cli.js"
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
            "server": {"endpoint": f"http://127.0.0.1:{port}", "token": "none"},
            "anonymousUsageTracking": {"disable": True},
        }
        try:
            async with asyncio.timeout(_START_S):
                _, started = agent.call("initialize", {"config": config})
                if bytes(await started) != b"true":
                    raise SystemExit("tabby-agent does not start")
            yield agent
        finally:
            await agent.aclose()
            process.kill()
            await process.wait()
            served.close()


async def _typed(
    folder: Path, source: str, user: str, rates: Rates, *, seed: int
) -> Replayed:
    """Type one source for tabby-agent, in real time."""
    typist = User(source, user, 0.0, seed)
    model = OracleModel(Oracle(rates, seed), typist.truth)
    async with _tabby(folder, model) as agent:
        policy = _PeerPolicy(agent, typist.display)
        await typist.type(policy)
        await policy.aclose()
    typist.seen.n_requests = model.n_sent
    return typist.seen


async def _peer_rows(
    folder: Path, texts: Sequence[str], rates: Rates, *, seed: int
) -> list[list[Replayed]]:
    """Type the texts in turn, for all users at once."""
    work = [
        asyncio.gather(
            *(_typed(folder, text, user, rates, seed=seed) for text in texts)
        )
        for user in _USERS
    ]
    return [*map(list, await asyncio.gather(*work))]


def _install(folder: Path) -> None:
    """Install tabby-agent, unless it is there."""
    package = folder / "node_modules" / "tabby-agent" / "package.json"
    if package.exists() and f'"version": "{VERSION}"' in package.read_text():
        return
    if shutil.which("npm") is None:
        raise SystemExit("npm is missing")
    command = ["npm", "install", "--prefix", str(folder), f"tabby-agent@{VERSION}"]
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run([*command, *quiet], check=True)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.completion_peers", description=__doc__
    )
    parser.add_argument("--keys", type=int, default=1_000, help="characters to type")
    parser.add_argument("--right", type=float, default=0.85)
    parser.add_argument("--fault", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=Path, nargs="+", default=())
    parser.add_argument("--folder", type=Path, help="where to install; a new one")
    arguments = parser.parse_args()
    rates = Rates(right=arguments.right, fault=arguments.fault)
    texts = list(texts_of(arguments.keys, arguments.files))
    table = new_table()
    faults: list[str] = []
    for user in _USERS:
        seen = [
            replay(text, "Redline", user, rates, typos=0.0, seed=arguments.seed)
            for text in texts
        ]
        table.add_row("Redline", user, *row(seen))
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        _install(folder)
        rows = asyncio.run(_peer_rows(folder, texts, rates, seed=arguments.seed))
    for user, seen in zip(_USERS, rows, strict=True):
        table.add_row(f"tabby-agent {VERSION}", user, *row(seen))
        faults += [fault for one in seen for fault in one.faults]
    console = Console(width=130)
    console.print(table)
    for fault in faults[:10]:
        console.print(f"fault: {fault}", markup=False, highlight=False)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
