"""(d) `textDocument/didChange` of one character, in files of several sizes.

Measured in the benchmark's own process, from a message's body to the changed document,
which is the server's cost of a keystroke; and over stdio together with a cheap request,
which is the delay that an editor sees.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack

from benchmarks.editor import Editor, editor
from benchmarks.figures import Budget, Figure, samples
from benchmarks.floor import floor
from benchmarks.measure import Found, Measure, Scale
from benchmarks.sources import ROOT_URI, settings, source_lines
from benchmarks.stub_model import stub_model
from redline.assist.editor.workspace import Workspace
from redline.lsp.client.text_sync import serve_text_sync
from redline.lsp.jsonrpc import rpc
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.framing import frame

_SIZES = (100, 1_000, 10_000, 100_000)
_BUDGETS = {10_000: Budget(most=0.05), 100_000: Budget(most=0.1)}
_PAUSE_S = 0.005
_N_WARM_UP = 20
_STATUS = ("workspace/executeCommand", {"command": "redline.status", "arguments": []})


class _BareLines:
    """The floor: the standard library's JSON, and one line of a list replaced."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = [line + "\n" for line in lines]

    def receive(self, body: bytes) -> None:
        """Take a `didChange`."""
        change = json.loads(body)["params"]["contentChanges"][0]
        start, end = change["range"]["start"], change["range"]["end"]
        line = self._lines[start["line"]]
        self._lines[start["line"]] = (
            line[: start["character"]] + change["text"] + line[end["character"] :]
        )


def _uri(n_lines: int) -> str:
    return f"{ROOT_URI}/of_{n_lines}_lines.py"


def _keystrokes(n_lines: int) -> Iterator[bytes]:
    """Type a character in the middle of a file and delete it, again and again."""
    line, version = n_lines // 2, 1
    start = {"line": line, "character": 10}
    after = {"line": line, "character": 11}
    typed = {"range": {"start": start, "end": start}, "text": "x"}
    taken_back = {"range": {"start": start, "end": after}, "text": ""}
    while True:
        for change in (typed, taken_back):
            version += 1
            document = {"uri": _uri(n_lines), "version": version}
            params = {"textDocument": document, "contentChanges": [change]}
            yield rpc.encode_notification("textDocument/didChange", params)


async def _in_process(scale: Scale) -> list[Figure]:
    """Time the server's own handler, from a message's body to the changed document."""
    workspace = Workspace()
    endpoint = _endpoint(workspace)
    figures = []
    for n_lines in _SIZES:
        lines = source_lines(n_lines)
        endpoint.receive(rpc.encode_notification("textDocument/didOpen", _item(lines)))
        bare = _BareLines(lines)
        keystrokes = _keystrokes(n_lines)
        times: list[float] = []
        floors: list[float] = []
        n_keystrokes = scale.n(2_000, 300)
        for _ in range(n_keystrokes):
            body = next(keystrokes)
            times.append(_timed(endpoint.receive, body))
            floors.append(_timed(bare.receive, body))
        assert workspace.document(_uri(n_lines)).version == 1 + n_keystrokes
        figures.append(
            Figure(
                case=f"{n_lines:,} lines, in process",
                unit="ms",
                ours=samples(times, times=1000),
                floor=samples(floors, times=1000),
                budget=_BUDGETS.get(n_lines),
            )
        )
    endpoint.editor_gone("the measure is over")
    await endpoint.wait_finished()
    return figures


def _endpoint(workspace: Workspace) -> Endpoint:
    """Build a server that does only text synchronisation."""
    endpoint = Endpoint(lambda body: None)
    endpoint.on_request_now("initialize", dict, lambda params: {})
    serve_text_sync(endpoint, workspace, on_activity=lambda: None)
    endpoint.receive(rpc.encode_request(1, "initialize", {}))
    return endpoint


def _timed(receive: Callable[[bytes], None], body: bytes) -> float:
    began = time.perf_counter()
    receive(body)
    return time.perf_counter() - began


def _item(lines: Sequence[str]) -> dict[str, object]:
    text = "".join(line + "\n" for line in lines)
    return {
        "textDocument": {
            "uri": _uri(len(lines)),
            "languageId": "python",
            "version": 1,
            "text": text,
        }
    }


class KeyWithRequest:
    """Types into one document of a real server, with a cheap request after each key."""

    def __init__(self, connected: Editor, n_lines: int) -> None:
        self.n_lines = n_lines
        self.n_in = 0
        self._editor = connected
        self._keystrokes = _keystrokes(n_lines)
        connected.open_document(_uri(n_lines), source_lines(n_lines))

    async def once(self) -> float:
        """Return the seconds to the answer of the request behind the keystroke."""
        asked = self._editor.ask(*_STATUS, after=frame(next(self._keystrokes)))
        response, answered = await asked.wait()
        self.n_in, self.n_out = asked.n_bytes, len(response.result) + 60
        return answered - asked.sent


async def _over_stdio(scale: Scale) -> list[Figure]:
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(stub_model())
        connected = await stack.enter_async_context(editor(settings(model.url)))
        await model.wait_open(2)
        pairs = [KeyWithRequest(connected, n_lines) for n_lines in _SIZES]
        for _ in range(_N_WARM_UP):
            for pair in pairs:
                await pair.once()
        n_in, n_out = pairs[0].n_in, pairs[0].n_out
        bare = await stack.enter_async_context(floor("echo", n_in=n_in, n_out=n_out))
        times: list[list[float]] = [[] for _ in pairs]
        floors: list[float] = []
        for _ in range(scale.n(200, 25)):
            for pair, values in zip(pairs, times, strict=True):
                values.append(await pair.once())
                await asyncio.sleep(_PAUSE_S)
            floors.append(await bare.echo())
            await asyncio.sleep(_PAUSE_S)
    return [
        Figure(
            case=f"{pair.n_lines:,} lines, with a request on stdio",
            unit="ms",
            ours=samples(values, times=1000),
            floor=samples(floors, times=1000),
        )
        for pair, values in zip(pairs, times, strict=True)
    ]


async def _run(scale: Scale) -> Found:
    figures = [*await _in_process(scale), *await _over_stdio(scale)]
    return Found(figures=tuple(figures))


MEASURE = Measure(
    letter="d",
    title="didChange of one character",
    floor="json.loads and one item of a list replaced; on stdio, a process that echoes",
    run=_run,
)
