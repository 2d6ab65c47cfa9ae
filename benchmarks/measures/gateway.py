"""(u) A team's gateway in front of a model: the cost of a delta, and of a stop.

The gateway is a process of its own with one user and one upstream, in each wire format
the server of measure (m). The floor is the wire format alone, read in this process, on
asyncio's own event loop as in an editor's server; the gateway runs on uvloop.

On a busy machine deltas wait and are read together, which costs less. The gateway
shares the processors with its server and its client, so it reads more of them together
than the format alone does. So only pairs of answers count whose deltas came one by one
on both sides, and the budget is for the difference within a pair: the speed of a
machine may change from one pair to the next. Each upstream has a key, as most have,
which the gateway looks for in the deltas.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from websockets.asyncio.client import ClientConnection, connect

from benchmarks.figures import Budget, Figure, NotRunError, samples
from benchmarks.lines import LineProcess, line_process
from benchmarks.measure import Found, Measure, Scale
from benchmarks.measures.wire_formats import PATHS, model_at, read_answer
from benchmarks.processes import cpu_s
from redline.gateway.limits.accounts import key_sha256
from redline.settings.tree import Api

KEY = "a key of the benchmark"

_COST = Budget(most=40.0)

_STOP = Budget(most=10.0)

_N_DELTAS = 500
"""Of an answer. The cost of its request is divided among them, too."""

_FEWEST_DELTAS = 490
"""Of an answer that counts; the others were read together with their neighbours."""

_PAIRS_TRIED = 4
"""How many pairs are read for one that counts before the measure is given up."""

_UPSTREAM_KEY = "REDLINE_BENCHMARK_UPSTREAM_KEY"

ENDS = ("response.completed", "response.incomplete", "response.failed", "error")


def _configuration(port: int) -> str:
    upstreams = "".join(
        f'[upstreams.{name}-{api}]\napi = "{api}"\nname = "m"\n'
        f'url = "http://127.0.0.1:{port}/{n}{path}"\n'
        f'key = {{ env = "{_UPSTREAM_KEY}" }}\n'
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
        environ = {
            **os.environ,
            _UPSTREAM_KEY: "sk-" + sha256(KEY.encode()).hexdigest(),
        }
        command = (*words, "--config", str(path))
        async with line_process(command, environ) as process:
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


async def until(socket: ClientConnection, *kinds: str) -> int:
    """Receive events up to one of these types; return the number of deltas."""
    n_deltas = 0
    while (kind := json.loads(await socket.recv())["type"]) not in kinds:
        n_deltas += kind == "response.output_text.delta"
    return n_deltas


async def _costs(
    url: str, pid: int, port: int, api: Api, n: int
) -> list[tuple[float, float]]:
    """Seconds of processor time for each delta: the gateway's, and the format's alone.

    The answers are read in turn, so that both meet the same machine.

    Raises:
        NotRunError: If the machine is too busy to read deltas one by one.
    """
    pairs: list[tuple[float, float]] = []
    socket = await connect_user(url)
    async with model_at(api, port, _N_DELTAS) as model:
        for number in range(n * _PAIRS_TRIED + 1):
            began = cpu_s(pid)
            await begin(socket, f"stream-{api}")
            n_deltas = await until(socket, *ENDS)
            ours = (cpu_s(pid) - began) / _N_DELTAS
            alone = await read_answer(model, _N_DELTAS)
            # The first answers also connect to the server.
            if number and min(n_deltas, alone.n_deltas) >= _FEWEST_DELTAS:
                pairs.append((ours, alone.per_delta_s))
            if len(pairs) == n:
                break
    await socket.close()
    if len(pairs) < n:
        raise NotRunError("The machine is too busy: deltas are read several at a time.")
    return pairs


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
    n_answers = scale.n(16, 6)
    figures: list[Figure] = []
    command = (sys.executable, "-m", "benchmarks.format_server")
    async with line_process(command) as server:
        port = await server.read()
        async with running_gateway(_configuration(port)) as (url, pid):
            for api in PATHS:
                pairs = await _costs(url, pid, port, api, n_answers)
                stops = await _stops(server, url, api, scale.n(30, 3))
                figures += [
                    Figure(
                        case=f"{api}: processor time of a delta",
                        unit="us",
                        ours=samples([ours for ours, _ in pairs], times=1e6),
                        floor=samples([alone for _, alone in pairs], times=1e6),
                    ),
                    Figure(
                        case=f"{api}: the gateway's own part of it",
                        unit="us",
                        ours=samples([one - other for one, other in pairs], times=1e6),
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
