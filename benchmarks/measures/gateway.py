"""(u) A team's gateway in front of a model: the cost of a delta, and of a stop.

The gateway is a process of its own with one user and one upstream, in each wire format
the server of measure (m). The floor is the wire format alone, read in this process.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from websockets.asyncio.client import ClientConnection, connect

from benchmarks.figures import Budget, Figure, samples
from benchmarks.lines import LineProcess, line_process
from benchmarks.measure import Found, Measure, Scale
from benchmarks.measures.wire_formats import PATHS, model_at, read_answer
from benchmarks.processes import cpu_s
from redline.gateway.accounts import key_sha256
from redline.settings.tree import Api

KEY = "a key of the benchmark"

_COST = Budget(most=40.0, of="p50 over floor")

_STOP = Budget(most=10.0)

_N_DELTAS = 500
"""Of an answer. The cost of its request is divided among them, too."""

ENDS = ("response.completed", "response.incomplete", "response.failed", "error")


def _configuration(port: int) -> str:
    upstreams = "".join(
        f'[upstreams.{name}-{api}]\napi = "{api}"\nname = "m"\n'
        f'url = "http://127.0.0.1:{port}/{n}{path}"\n'
        for api, path in PATHS.items()
        for name, n in (("stream", _N_DELTAS), ("hold", 0))
    )
    user = f'[[users]]\nname = "ada"\nkey_sha256 = "{key_sha256(KEY)}"\n'
    return f"[listen]\nport = 0\n{upstreams}{user}"


@asynccontextmanager
async def running_gateway(text: str) -> AsyncIterator[tuple[str, int]]:
    """Run a gateway; yield its address and its process id."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "gateway.toml"
        path.write_text(text)
        words = (sys.executable, "-m", "redline", "gateway", "--announce")
        async with line_process((*words, "--config", str(path))) as process:
            announced = await process.read()
            yield announced["url"], announced["pid"]


async def connect_user(url: str) -> ClientConnection:
    """Connect the user `ada`, whose key is `KEY`."""
    headers = {"Authorization": f"Bearer {KEY}"}
    return await connect(url, additional_headers=headers, compression=None)


async def begin(
    socket: ClientConnection, model: str, *, lane: str | None = None
) -> None:
    """Send a request, whose events have no padding."""
    create = {"type": "response.create", "model": model, "input": "Go."}
    if lane is not None:
        create["stream_id"] = lane
    options = {"stream_options": {"include_obfuscation": False}}
    await socket.send(json.dumps(create | options))


async def until(socket: ClientConnection, *kinds: str) -> None:
    """Receive events up to one of these types."""
    while json.loads(await socket.recv())["type"] not in kinds:
        continue


async def _costs(
    url: str, pid: int, port: int, api: Api, n: int
) -> tuple[list[float], list[float]]:
    """Seconds of processor time for each delta: the gateway's, and the format's alone.

    The answers are read in turn, so that both meet the same machine.
    """
    ours, alone = [], []
    socket = await connect_user(url)
    async with model_at(api, port, _N_DELTAS) as model:
        for _ in range(n + 1):
            began = cpu_s(pid)
            await begin(socket, f"stream-{api}")
            await until(socket, *ENDS)
            ours.append((cpu_s(pid) - began) / _N_DELTAS)
            alone.append((await read_answer(model, _N_DELTAS)).per_delta_s)
    await socket.close()
    # The first answers also connect to the server.
    return ours[1:], alone[1:]


async def _stops(server: LineProcess, url: str, api: Api, n: int) -> list[float]:
    """Seconds from a client that leaves to the moment when the server sees it."""
    found = []
    for _ in range(n):
        socket = await connect_user(url)
        await begin(socket, f"hold-{api}")
        await until(socket, "response.output_text.delta")
        began = time.monotonic()
        socket.transport.abort()
        # The gateway has also connected in advance, which the server reports too.
        while (seen := await server.read()) < began:
            continue
        found.append(seen - began)
    return found


async def _run(scale: Scale) -> Found:
    n_answers = scale.n(8, 4)
    figures: list[Figure] = []
    command = (sys.executable, "-m", "benchmarks.format_server")
    async with line_process(command) as server:
        port = await server.read()
        async with running_gateway(_configuration(port)) as (url, pid):
            for api in PATHS:
                costs, alone = await _costs(url, pid, port, api, n_answers)
                stops = await _stops(server, url, api, scale.n(30, 3))
                figures += [
                    Figure(
                        case=f"{api}: processor time of a delta",
                        unit="us",
                        ours=samples(costs, times=1e6),
                        floor=samples(alone, times=1e6),
                        budget=_COST,
                    ),
                    Figure(
                        case=f"{api}: a client leaves, to the server seeing it",
                        unit="ms",
                        ours=samples(stops, times=1e3),
                        budget=_STOP,
                    ),
                ]
    return Found(
        figures=tuple(figures),
        notes=("A delta has five characters; the server writes one a millisecond.",),
    )


MEASURE = Measure(
    letter="u",
    title="A team's gateway in front of a model",
    floor="the wire format alone",
    run=_run,
)
