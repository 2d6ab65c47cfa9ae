"""(m) Models over HTTP: the cost of a delta, the first one, a stop, the imports.

Each wire format reads the same text from a server on loopback, one delta every
millisecond, beside a bare client: httpx with msgspec.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

import httpx
import msgspec

from benchmarks.figures import Budget, Figure, samples
from benchmarks.lines import LineProcess, line_process
from benchmarks.measure import Found, Measure, Scale
from redline.models.build import build_model
from redline.models.interface import Delta, GenerationRequest, Model
from redline.prompts.message import ChatMessage, Prompt
from redline.settings.tree import Api, ModelSettings

_PATHS: dict[Api, str] = {
    "responses-http": "/v1/responses",
    "chat-completions": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "",
    "ollama": "",
}
_MODULES: dict[Api, str] = {
    "responses-http": "responses_format",
    "chat-completions": "chat_completions",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "ollama": "ollama",
}
_COST = Budget(most=1.5, of="ratio")
"""120 us where the bare client needs 80; a busy machine doubles both."""
_ABORT = Budget(most=5.0)
_IMPORT = Budget(most=30.0)

_REQUEST = GenerationRequest(
    prompt=Prompt(
        instructions="Be brief.", chat_messages=(ChatMessage(role="user", text="Go."),)
    )
)

_IMPORT_CODE = """
import time, httpx
import redline.models.http_client, redline.models.build
began = time.perf_counter()
import redline.models.{module}
print(time.perf_counter() - began)
"""


@dataclass(frozen=True, slots=True)
class _Costs:
    per_delta_s: float
    first_s: float


@asynccontextmanager
async def _model(api: Api, port: int, n_deltas: int) -> AsyncIterator[Model]:
    url = f"http://127.0.0.1:{port}/{n_deltas}{_PATHS[api]}"
    model = build_model("m", ModelSettings(api=api, url=url, name="m"), environ={})
    async with aclosing(model):
        yield model


async def _read(model: Model, n_deltas: int) -> _Costs:
    """Read one answer; return the processor time of a delta and the first's time."""
    first = 0.0
    began, began_cpu = time.monotonic(), time.process_time()
    async with model.start(_REQUEST) as generation:
        async for event in generation:
            if isinstance(event, Delta) and not first:
                first = time.monotonic() - began
    return _Costs((time.process_time() - began_cpu) / n_deltas, first)


async def _read_bare(client: httpx.AsyncClient, url: str, n_deltas: int) -> _Costs:
    """The same by the least that a client of chat completions does."""
    first = 0.0
    began, began_cpu = time.monotonic(), time.process_time()
    async with client.stream("POST", url, json={"model": "m"}) as response:
        rest = b""
        async for chunk in response.aiter_raw():
            *found, rest = (rest + chunk).split(b"\n\n")
            for event in found:
                if event != b"data: [DONE]":
                    msgspec.json.decode(event[6:])
            first = first or time.monotonic() - began
    return _Costs((time.process_time() - began_cpu) / n_deltas, first)


async def _aborts(server: LineProcess, api: Api, port: int, n: int) -> list[float]:
    """Seconds from a stop to the moment when the server sees it."""
    found = []
    async with _model(api, port, 0) as model:
        for _ in range(n):
            async with model.start(_REQUEST) as generation:
                await anext(aiter(generation))
                began = time.monotonic()
                generation.stop()
                found.append(await server.read() - began)
    return found


def _imports(module: str, n: int) -> list[float]:
    code = _IMPORT_CODE.format(module=module)
    words = [sys.executable, "-c", code]
    return [float(subprocess.check_output(words)) for _ in range(n)]


async def _run(scale: Scale) -> Found:
    n_answers, n_deltas = scale.n(8, 2), scale.n(500, 50)
    figures: list[Figure] = []
    command = (sys.executable, "-m", "benchmarks.format_server")
    async with line_process(command) as server:
        port = await server.read()
        url = f"http://127.0.0.1:{port}/{n_deltas}/v1/chat/completions"
        async with httpx.AsyncClient() as client:
            bare = [await _read_bare(client, url, n_deltas) for _ in range(n_answers)]
        for api in _PATHS:
            async with _model(api, port, n_deltas) as model:
                # The first answer also imports and connects.
                await _read(model, n_deltas)
                ours = [await _read(model, n_deltas) for _ in range(n_answers)]
            aborts = await _aborts(server, api, port, scale.n(30, 3))
            imports = await asyncio.to_thread(_imports, _MODULES[api], scale.n(5, 1))
            figures += _figures(api, ours, bare, aborts, imports)
    return Found(
        figures=tuple(figures),
        notes=("A delta has five characters; the server writes one a millisecond.",),
    )


def _figures(
    api: Api,
    ours: list[_Costs],
    bare: list[_Costs],
    aborts: list[float],
    imports: list[float],
) -> list[Figure]:
    return [
        Figure(
            case=f"{api}: processor time of a delta",
            unit="us",
            ours=samples([one.per_delta_s for one in ours], times=1e6),
            floor=samples([one.per_delta_s for one in bare], times=1e6),
            budget=_COST,
        ),
        Figure(
            case=f"{api}: first delta, kept connection",
            unit="ms",
            ours=samples([one.first_s for one in ours], times=1e3),
            floor=samples([one.first_s for one in bare], times=1e3),
        ),
        Figure(
            case=f"{api}: stop to the server seeing it",
            unit="ms",
            ours=samples(aborts, times=1e3),
            budget=_ABORT,
        ),
        Figure(
            case=f"{api}: import over httpx",
            unit="ms",
            ours=samples(imports, times=1e3),
            budget=_IMPORT,
        ),
    ]


MEASURE = Measure(
    letter="m",
    title="Models over HTTP, by wire format",
    floor="httpx and msgspec, chat completions",
    run=_run,
)
