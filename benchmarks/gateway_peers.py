"""`python -m benchmarks.gateway_peers`: the gateway beside LiteLLM's proxy.

Both are in front of the same server, which streams chat completions at one delta a
millisecond, and answer several requests at once: the gateway on lanes of one WebSocket,
the proxy over HTTP, which is how each is used. Printed is the processor time of the
process for each delta, and how many deltas a core passes on in a second.

The proxy is the one that `make test-outside` installs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import socket
import sys
import time
from asyncio.subprocess import DEVNULL, Process, create_subprocess_exec
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import httpx

from benchmarks.lines import line_process
from benchmarks.measures.gateway import (
    ENDS,
    KEY,
    begin,
    connect_user,
    running_gateway,
    until,
)
from benchmarks.processes import ROOT, cpu_s, environment
from redline.gateway.limits.accounts import key_sha256

OUTSIDE = Path(os.environ.get("REDLINE_OUTSIDE") or ROOT / ".outside")
START_S = 120.0
"""Longest start of the proxy."""

LITELLM_VARIABLES = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    # The deltas are alike, which it would take for a model that repeats itself.
    "REPEATED_STREAMING_CHUNK_LIMIT": "1000000",
}

Ask = Callable[[int], Awaitable[None]]
"""Asks for that many answers at once, and reads them to their ends."""


@asynccontextmanager
async def our_gateway(url: str) -> AsyncIterator[tuple[int, Ask]]:
    """Run the gateway; yield its process id and how to ask it."""
    text = (
        f'[listen]\nport = 0\n[upstreams.m]\napi = "chat-completions"\nname = "m"\n'
        f'url = "{url}/chat/completions"\n'
        f'[[users]]\nname = "ada"\nkey_sha256 = "{key_sha256(KEY)}"\nrunning = 64\n'
    )
    async with running_gateway(text) as (address, pid):
        socket = await connect_user(address)

        async def ask(n_at_once: int) -> None:
            for number in range(n_at_once):
                await begin(socket, "m", lane=f"lane-{number}")
            for _ in range(n_at_once):
                await until(socket, *ENDS)

        yield pid, ask
        await socket.close()


@asynccontextmanager
async def litellm_proxy(url: str, n_deltas: int) -> AsyncIterator[tuple[int, Ask]]:
    """Run the proxy; yield its process id and how to ask it.

    Raises:
        SystemExit: If it is not installed.
    """
    program = shutil.which("litellm", path=OUTSIDE / "litellm" / "bin")
    if program is None:
        raise SystemExit(f"There is no LiteLLM in {OUTSIDE}: run make test-outside.")
    parameters = {"model": "hosted_vllm/m", "api_base": url, "api_key": "x"}
    settings = {
        "model_list": [{"model_name": "m", "litellm_params": parameters}],
        "general_settings": {"master_key": KEY},
    }
    with TemporaryDirectory() as folder:
        path = Path(folder) / "config.json"
        path.write_text(json.dumps(settings))
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        process = await create_subprocess_exec(
            *(program, "--config", str(path), "--host", "127.0.0.1"),
            *("--port", str(port)),
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
            env=environment(Path(folder)) | LITELLM_VARIABLES,
        )
        base = f"http://127.0.0.1:{port}"
        try:
            async with httpx.AsyncClient(base_url=base, timeout=60.0) as http:
                await _wait_until_ready(http, process)

                async def ask(n_at_once: int) -> None:
                    await asyncio.gather(
                        *(_read(http, n_deltas) for _ in range(n_at_once))
                    )

                yield process.pid, ask
        finally:
            process.kill()
            await process.wait()


async def _wait_until_ready(http: httpx.AsyncClient, process: Process) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.returncode is None:
        try:
            if (await http.get("/health/liveliness")).is_success:
                return
        except httpx.HTTPError:
            await asyncio.sleep(0.2)
    raise SystemExit("LiteLLM did not start.")


async def _read(http: httpx.AsyncClient, n_deltas: int) -> None:
    body = {
        "model": "m",
        "stream": True,
        "messages": [{"role": "user", "content": "Go."}],
    }
    headers = {"Authorization": f"Bearer {KEY}"}
    path = "/v1/chat/completions"
    async with http.stream("POST", path, json=body, headers=headers) as answer:
        answer.raise_for_status()
        n_read = (await answer.aread()).count(b'"content":"word "')
    if n_read != n_deltas:
        raise RuntimeError(f"LiteLLM passed on {n_read} of {n_deltas} deltas.")


async def cost_s(pid: int, ask: Ask, n_at_once: int, n_deltas: int) -> float:
    """Return the processor time of one delta, in seconds."""
    began = cpu_s(pid)
    await ask(n_at_once)
    return (cpu_s(pid) - began) / (n_at_once * n_deltas)


async def main() -> None:
    """Ask both in turn."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gateway_peers")
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--deltas", type=int, default=500)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    costs: dict[str, list[float]] = {"Redline": [], "LiteLLM": []}
    command = (sys.executable, "-m", "benchmarks.format_server")
    async with line_process(command) as server:
        url = f"http://127.0.0.1:{await server.read()}/{arguments.deltas}/v1"
        async with (
            our_gateway(url) as ours,
            litellm_proxy(url, arguments.deltas) as theirs,
        ):
            for number in range(arguments.runs + 1):
                for name, (pid, ask) in zip(costs, (ours, theirs), strict=True):
                    found = await cost_s(pid, ask, arguments.at_once, arguments.deltas)
                    # The first answers also import and connect.
                    if number:
                        costs[name].append(found)
    for name, found_s in costs.items():
        middle = median(found_s)
        print(
            f"{name}: {middle * 1e6:.0f} us of processor time a delta"
            f" ({min(found_s) * 1e6:.0f} to {max(found_s) * 1e6:.0f}),"
            f" {1 / middle:,.0f} deltas a second and core"
        )
    ratio = median(costs["LiteLLM"]) / median(costs["Redline"])
    print(f"A delta through LiteLLM costs {ratio:.1f} times as much.")


if __name__ == "__main__":
    asyncio.run(main())
