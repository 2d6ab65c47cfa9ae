"""(m) Models over HTTP: the cost of a delta, the first one, a stop, the imports.

Each wire format reads the same text from a server on loopback, one delta every
millisecond, beside a bare client, httpx with msgspec, and beside the official SDKs.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import msgspec

from benchmarks.figures import Budget, Figure, samples
from benchmarks.lines import LineProcess, line_process
from benchmarks.measure import Found, Measure, Scale
from benchmarks.processes import ROOT
from redline.models.build import build_model
from redline.models.interface import Delta, GenerationRequest, Model
from redline.prompts.message import ChatMessage, Prompt
from redline.settings.tree import Api, ModelSettings

PATHS: dict[Api, str] = {
    "responses-http": "/v1/responses",
    "chat-completions": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "",
    "ollama": "",
}
_MODULES: dict[Api, str] = {
    "responses-http": "responses_format",
    "chat-completions": "chat_completions_format",
    "anthropic": "anthropic_format",
    "gemini": "gemini_format",
    "ollama": "ollama_format",
}
_SDKS: dict[Api, str] = {
    "responses-http": "openai-responses",
    "chat-completions": "openai-chat",
    "anthropic": "anthropic",
    "gemini": "gemini",
}
_OUTSIDE = Path(os.environ.get("REDLINE_OUTSIDE") or ROOT / ".outside")
"""What `make test-outside` has filled; it has the SDKs that are not installed here."""

_COST = Budget(most=1.5, of="ratio")
"""120 us where the bare client needs 80; a busy machine doubles both."""
_ABORT = Budget(most=5.0)
_IMPORT = Budget(most=30.0)
_BELOW_SDK = Budget(most=1.0, of="ratio")

_REQUEST = GenerationRequest(
    prompt=Prompt(
        instructions="Be brief.", chat_messages=(ChatMessage(role="user", text="Go."),)
    )
)

_IMPORT_CODE = """
import time, httpx
import redline.models.http.http_client, redline.models.build
began = time.process_time()
import redline.models.formats.{module}
print(time.process_time() - began)
"""


_IMPORT_ALL_CODE = """
import gc, time, redline.lsp.server
# As the server does when it has started: collections pass over what it has loaded.
gc.freeze()
import httpx, anyio
began = time.process_time()
import redline.models.http.http_client, redline.models.build, {modules}
print(time.process_time() - began)
"""


_START_CODE = "import time; print(time.process_time())"


class _SdkCosts(msgspec.Struct, frozen=True):
    """What an official SDK needs, as `sdk_client.py` prints it."""

    version: str
    import_s: float
    per_delta_s: list[float]


@dataclass(frozen=True, slots=True)
class _Costs:
    per_delta_s: float
    first_s: float
    n_deltas: int = 0
    """How many the reader got: those that it reads together are one."""


@asynccontextmanager
async def model_at(api: Api, port: int, n_deltas: int) -> AsyncIterator[Model]:
    url = f"http://127.0.0.1:{port}/{n_deltas}{PATHS[api]}"
    model = build_model("m", ModelSettings(api=api, url=url, name="m"), environ={})
    async with aclosing(model):
        yield model


async def read_answer(model: Model, n_deltas: int) -> _Costs:
    """Read one answer; return the processor time of a delta and the first's time."""
    first = 0.0
    n_read = 0
    began, began_cpu = time.monotonic(), time.process_time()
    async with model.start(_REQUEST) as generation:
        async for event in generation:
            if isinstance(event, Delta):
                n_read += 1
                first = first or time.monotonic() - began
    return _Costs((time.process_time() - began_cpu) / n_deltas, first, n_read)


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
    async with model_at(api, port, 0) as model:
        for _ in range(n):
            async with model.start(_REQUEST) as generation:
                await anext(aiter(generation))
                began = time.monotonic()
                generation.stop()
                found.append(await server.read() - began)
    return found


def _imports(code: str, n: int) -> list[float]:
    words = [sys.executable, "-c", code]
    return [float(subprocess.check_output(words)) for _ in range(n)]


def _import_of_all(n: int) -> Figure:
    names = (*_MODULES.values(), "fim_format")
    modules = ", ".join(f"redline.models.formats.{name}" for name in names)
    starts = _imports(_START_CODE, n)
    return Figure(
        case="import of all wire formats and the client, beside a start of Python",
        unit="ms",
        ours=samples(_imports(_IMPORT_ALL_CODE.format(modules=modules), n), times=1e3),
        floor=samples(starts, times=1e3),
        budget=_IMPORT,
    )


def _sdk_costs(api: Api, url: str, n_answers: int, n_deltas: int) -> _SdkCosts | None:
    """Read the same answers with the official SDK; None: it is not installed."""
    sdk = _SDKS.get(api)
    if sdk is None:
        return None
    is_here = sdk.startswith("openai")
    python = Path(sys.executable) if is_here else _OUTSIDE / "sdks" / "bin" / "python"
    if not python.exists():
        return None
    script = ROOT / "benchmarks" / "sdk_client.py"
    # Without its folder on the path, whose modules have names of the standard library.
    words = [str(python), "-P", str(script), sdk, url, str(n_answers), str(n_deltas)]
    return msgspec.json.decode(subprocess.check_output(words), type=_SdkCosts)


async def _run(scale: Scale) -> Found:
    n_answers, n_deltas = scale.n(8, 2), scale.n(500, 50)
    figures: list[Figure] = []
    notes = ["A delta has five characters; the server writes one a millisecond."]
    command = (sys.executable, "-m", "benchmarks.format_server")
    async with line_process(command) as server:
        port = await server.read()
        url = f"http://127.0.0.1:{port}/{n_deltas}/v1/chat/completions"
        async with httpx.AsyncClient() as client:
            bare = [await _read_bare(client, url, n_deltas) for _ in range(n_answers)]
        for api in PATHS:
            async with model_at(api, port, n_deltas) as model:
                # The first answer also imports and connects.
                await read_answer(model, n_deltas)
                ours = [await read_answer(model, n_deltas) for _ in range(n_answers)]
            aborts = await _aborts(server, api, port, scale.n(30, 3))
            code = _IMPORT_CODE.format(module=_MODULES[api])
            imports = await asyncio.to_thread(_imports, code, scale.n(5, 1))
            figures += _figures(api, ours, bare, aborts, imports)
            base = f"http://127.0.0.1:{port}/{n_deltas}"
            sdk = await asyncio.to_thread(_sdk_costs, api, base, n_answers, n_deltas)
            if sdk is not None:
                figures += _beside_sdk(api, ours, imports, sdk)
            elif api in _SDKS:
                notes.append(f"{api}: the official SDK is missing: make test-outside.")
        figures.append(await asyncio.to_thread(_import_of_all, scale.n(5, 1)))
    return Found(figures=tuple(figures), notes=tuple(notes))


def _beside_sdk(
    api: Api, ours: list[_Costs], imports: list[float], sdk: _SdkCosts
) -> list[Figure]:
    title = f"the SDK {_SDKS[api].partition('-')[0]} {sdk.version}"
    return [
        Figure(
            case=f"{api}: processor time of a delta, beside {title}",
            unit="us",
            ours=samples([one.per_delta_s for one in ours], times=1e6),
            floor=samples(sdk.per_delta_s, times=1e6),
            budget=_BELOW_SDK,
        ),
        Figure(
            case=f"{api}: import over httpx, beside {title}",
            unit="ms",
            ours=samples(imports, times=1e3),
            floor=samples([sdk.import_s], times=1e3),
            budget=_BELOW_SDK,
        ),
    ]


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
