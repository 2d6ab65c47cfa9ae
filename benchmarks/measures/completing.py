"""(t) Inline completion: from a key to the model, and from the model to the editor.

Each sample types `+` at the end of another line, so that no earlier reply fits and the
key itself sends a request. The model's reply then serves the editor's request, and a
further key that agrees with it. The editor requests nothing before the first request of
the model was seen, so the time is that of the key alone. Another key then takes the
place of the first: it contradicts the reply, and sends a request from the same line, as
most keys do.
"""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from benchmarks.bare_loop import N_LINES
from benchmarks.completed_file import (
    REST,
    TYPED,
    CompletedFile,
    KeyTimes,
    key_message,
)
from benchmarks.editor import editor, within
from benchmarks.figures import Budget, Figure, Samples, samples
from benchmarks.floor import Floor, floor
from benchmarks.measure import Found, Measure, Scale
from benchmarks.measures.completing_cost import cpu_per_key, filters, memory
from benchmarks.measures.completing_edit import beside_an_edit
from benchmarks.measures.completing_next_edit import next_edit_by_rules
from benchmarks.pipes import Pipes
from benchmarks.processes import running
from benchmarks.sources import ROOT_URI, settings
from benchmarks.stub_model import Call, Connection, StubModel, stub_model

_SIZES = (200, 100_000)
_PAUSE_S = 0.01
_N_WARM_UP = 20
_N_SERVERS = 4
"""One after the other: one server would reach its limit of requests a minute."""

_REQUEST = Budget(most=0.6)
_REQUEST_P99 = Budget(most=2.0, of="p99")
_ANSWER = Budget(most=0.3, of="p50 over floor")


class _BareLoop:
    """A process of `benchmarks.bare_loop`."""

    def __init__(self, process: subprocess.Popen[bytes], model: StubModel) -> None:
        self._process = process
        self._model = model
        self._calls: asyncio.Queue[Call] = asyncio.Queue()
        self._pipes: Pipes | None = None
        self._places = itertools.cycle(range(N_LINES))

    async def open(self) -> None:
        self._pipes = await Pipes.open(self._process, lambda data, at: None)

    def close(self) -> None:
        if self._pipes is not None:
            self._pipes.close()

    async def once(self) -> float:
        """Return the seconds from a key to its request."""
        assert self._pipes is not None
        self._model.on_call = self._calls.put_nowait
        line = next(self._places)
        key = key_message(f"{ROOT_URI}/completed_200.py", 1, line, 4, TYPED)
        sent = time.monotonic()
        self._pipes.write(key)
        async with asyncio.timeout(20):
            call = await self._calls.get()
        back = key_message(f"{ROOT_URI}/completed_200.py", 1, line, 4, "", n_old=1)
        self._pipes.write(back)
        await asyncio.sleep(_PAUSE_S)
        return call.at - sent


@asynccontextmanager
async def _bare_loop(model: StubModel, n_out: int) -> AsyncIterator[_BareLoop]:
    n_open = model.n_open
    command = (sys.executable, "-m", "benchmarks.bare_loop", str(model.port))
    async with running((*command, str(n_out))) as process:
        bare = _BareLoop(process, model)
        await bare.open()
        try:
            await model.wait_open(n_open + 1)
            yield bare
        finally:
            bare.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Floors:
    loop: _BareLoop
    to_socket: Floor
    from_socket: Floor
    read: Connection
    """The model's end of its socket."""
    echo: Floor


async def _opened(stack: AsyncExitStack, model: StubModel) -> list[CompletedFile]:
    """Start a server, and open the files in it."""
    limits = "[complete]\nper_minute = 600\n"
    n_open = model.n_open
    one = await stack.enter_async_context(editor(settings(model.url) + limits))
    await model.wait_open(n_open + 2)
    files = [CompletedFile(one, model, n_lines) for n_lines in _SIZES]
    for file in files:
        await file.announce()
        for _ in range(_N_WARM_UP):
            await file.once()
    return files


async def _times(scale: Scale) -> list[Figure]:
    """Time keys in a small and in a large file, and the same bytes without a server."""
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(stub_model())
        files = await _opened(stack, model)
        sizes = files[0]
        n_open = model.n_open
        to_socket = await stack.enter_async_context(
            floor("to-socket", port=model.port, n_in=sizes.n_in, n_out=sizes.n_out)
        )
        await model.wait_open(n_open + 1)
        from_socket = await stack.enter_async_context(
            floor("from-socket", port=model.port)
        )
        await model.wait_open(n_open + 2)
        read = model.connections[-1]
        echo = await stack.enter_async_context(
            floor("echo", n_in=sizes.n_asked, n_out=sizes.n_answered)
        )
        floors = _Floors(
            loop=await stack.enter_async_context(_bare_loop(model, sizes.n_out)),
            to_socket=to_socket,
            from_socket=from_socket,
            read=read,
            echo=echo,
        )
        found: list[list[KeyTimes]] = [[] for _ in files]
        bare: list[tuple[float, float, float, float]] = []
        for number in range(_N_SERVERS):
            if number:
                files = await _opened(stack, model)
            for _ in range(scale.n(63, 7)):
                for file, rows in zip(files, found, strict=True):
                    rows.append(await file.once())
                bare.append(await _bare(floors, model))
    bare_times = [samples(values, times=1000) for values in zip(*bare, strict=True)]
    figures: list[Figure] = []
    for file, rows in zip(files, found, strict=True):
        figures += _figures(f"{file.n_lines:,} lines", rows, *bare_times)
    return figures


async def _bare(floors: _Floors, model: StubModel) -> tuple[float, float, float, float]:
    to_socket = await floors.to_socket.to_socket(model)
    await asyncio.sleep(_PAUSE_S)
    read: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    floors.from_socket.listener = lambda data, at: (
        None if read.done() else read.set_result(at)
    )
    sent = time.monotonic()
    Call(floors.read, b"{}", 0.0).delta(f"{REST}\n")
    from_socket = await within(read) - sent
    await asyncio.sleep(_PAUSE_S)
    loop = await floors.loop.once()
    return to_socket, from_socket, await floors.echo.echo(), loop


def _figures(
    size: str,
    rows: Sequence[KeyTimes],
    to_socket: Samples,
    from_socket: Samples,
    echo: Samples,
    loop: Samples,
) -> list[Figure]:
    request = [row.request_s for row in rows]
    again = [row.again_s for row in rows]
    timed = [
        ("key → request", request, to_socket, _REQUEST),
        ("the same, p99", request, to_socket, _REQUEST_P99),
        ("the same over a bare loop", request, loop, None),
        ("next key of the line", again, to_socket, _REQUEST),
        ("the same, p99", again, to_socket, _REQUEST_P99),
        ("the same over a bare loop", again, loop, None),
        ("delta → item", [row.item_s for row in rows], from_socket, _ANSWER),
        ("cached answer", [row.cached_s for row in rows], echo, _ANSWER),
        ("key along → answer", [row.along_s for row in rows], echo, _ANSWER),
    ]
    return [
        Figure(
            case=f"{size}, {case}",
            unit="ms",
            ours=samples(seconds, times=1000),
            floor=bare,
            budget=budget,
        )
        for case, seconds, bare, budget in timed
    ]


async def _run(scale: Scale) -> Found:
    return Found(
        figures=(
            *await _times(scale),
            filters(scale),
            await cpu_per_key(scale),
            await memory(scale),
            await beside_an_edit(scale),
            await next_edit_by_rules(scale),
        ),
        notes=(
            "The floors: a process that reads and sends as many bytes; the bare loop "
            "only decodes a key and sends a request, in an event loop; for the filters "
            "the deltas joined to a text; for processor time and memory the same keys "
            "with `complete.enabled = false`; for the edit the same without typing; "
            "for the next edit as many bytes echoed.",
        ),
    )


MEASURE = Measure(
    letter="t",
    title="Inline completion while typing",
    floor="as many bytes moved and nothing decoded; see the note",
    run=_run,
)
