"""What completions cost in (t): the filters, processor time a key, and memory."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack

from benchmarks.editor import Editor, editor
from benchmarks.figures import Budget, Figure, Samples, samples
from benchmarks.measure import Scale
from benchmarks.processes import cpu_s, resident_mb
from benchmarks.sources import ROOT_URI, settings, source_lines
from benchmarks.stub_model import StubModel, stub_model
from benchmarks.typed_keys import LINE, TypedKeys, reply_along
from redline.completion.flight import Flight
from redline.completion.flights import Flights
from redline.completion.place import N_AROUND, Around, Place

_FILTERS = Budget(most=30.0)
_CPU = Budget(most=0.4)
_MEMORY = Budget(most=8.0, of="p50 over floor")

_N_CPU_LINES = 10_000
_N_DOCUMENTS = 50
_N_REPLIES = 9
"""In each document: in all more than the server keeps, and less than the limit of
requests a minute lets pass."""
_TOKEN_CHARS = 4

_REPLY = """\
    value_000999 = transform(value, scale=999)
    if value_000999 > limit:
        raise ValueError(f"{value_000999} is above {limit}")
    total += value_000999
    names.append({"value": value_000999, "scale": (999, limit)})
    for name in names:
        total += name["value"]
    return total
"""


def filters(scale: Scale) -> Figure:
    """Time all filters of a reply of eight lines, a delta a token, per delta."""
    lines = source_lines(2 * N_AROUND)
    around = Around(
        language="python",
        above=tuple(lines[:N_AROUND]),
        below=tuple(lines[N_AROUND:]),
    )
    deltas = list(_tokens(_REPLY))
    times: list[float] = []
    floors: list[float] = []
    for n in range(scale.n(300, 30)):
        # Another place each time, so that no cache of lines is warm by chance.
        left = f"    value_{n:06d} ="
        place = Place(left=left, right="", around=around)
        replied = [left.strip(), *deltas]
        began = time.perf_counter()
        _read(place, replied)
        read = time.perf_counter()
        _join(replied)
        floors.append((time.perf_counter() - read) / len(replied))
        times.append((read - began) / len(replied))
    return Figure(
        case="all filters, a delta",
        unit="us",
        ours=samples(times, times=1e6),
        floor=samples(floors, times=1e6),
        budget=_FILTERS,
    )


def _read(place: Place, deltas: list[str]) -> None:
    flights = Flights()
    flight = Flight(1, N_AROUND, place, started_s=0.0)
    flights.add(flight)
    for delta in deltas:
        if flight.feed(delta):
            if flight.has_enough:
                flight.end()
            flights.look(N_AROUND, place)


def _join(deltas: list[str]) -> str:
    text = io.StringIO()
    for delta in deltas:
        text.write(delta)
    return text.getvalue()


def _tokens(text: str) -> Iterator[str]:
    for start in range(0, len(text), _TOKEN_CHARS):
        yield text[start : start + _TOKEN_CHARS]


async def _pair(stack: AsyncExitStack, model: StubModel) -> tuple[Editor, Editor]:
    """Start a server with completions and one without."""
    on = "[complete]\nper_minute = 600\n"
    off = "[complete]\nenabled = false\n"
    model.on_call = reply_along
    return (
        await stack.enter_async_context(editor(settings(model.url) + on)),
        await stack.enter_async_context(editor(settings(model.url) + off)),
    )


async def cpu_per_key(scale: Scale) -> Figure:
    """Measure the processor time of a key with its request, in a large file."""
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(stub_model())
        pair = await _pair(stack, model)
        uri = f"{ROOT_URI}/cpu.py"
        typed = [TypedKeys(one, uri, _N_CPU_LINES) for one in pair]
        values: tuple[list[float], list[float]] = ([], [])
        for keys in typed:
            await keys.line(LINE)
        for _ in range(scale.n(40, 5)):
            for one, keys, found in zip(pair, typed, values, strict=True):
                before = cpu_s(one.process.pid)
                await keys.line(LINE)
                # What a key starts may go on behind the answer.
                await asyncio.sleep(0.1)
                used = cpu_s(one.process.pid) - before
                found.append(used / (len(LINE) + 1))
    return Figure(
        case=f"processor time a key, {_N_CPU_LINES:,} lines",
        unit="ms",
        ours=samples(values[0], times=1000),
        floor=samples(values[1], times=1000),
        budget=_CPU,
    )


async def memory(scale: Scale) -> Figure:
    """Measure what 50 documents with many replies add to the resident memory."""
    n_documents = scale.n(_N_DOCUMENTS, 5)
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(stub_model())
        grown: list[float] = []
        for one in await _pair(stack, model):
            before = resident_mb(one.process.pid)
            for n in range(n_documents):
                keys = TypedKeys(one, f"{ROOT_URI}/of_fifty_{n}.py", 400)
                for _ in range(scale.n(_N_REPLIES, 5)):
                    await keys.line(" ")
            grown.append(resident_mb(one.process.pid) - before)
    return Figure(
        case=f"memory, {n_documents} documents",
        unit="MB",
        ours=Samples((grown[0],)),
        floor=Samples((grown[1],)),
        budget=_MEMORY,
    )
