"""The gateway in front of vllm-router, which is in front of two real engines."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import httpx
from tests.gateway.team_process import team_process
from tests.outside.conftest import Llama, Spawn, StartLlama
from tests.outside.programs import ROOT, program
from tests.outside.provider_session import ANNOTATED, RECITED
from tests.outside.test_proxies import listens
from tests.outside.test_shared_store import free_port

KEYS = [f"workspace-{number}" for number in range(8)]


@dataclass(frozen=True)
class Router:
    """Where the router listens."""

    http_url: str


async def start_router(spawn: Spawn, engines: list[Llama]) -> Router:
    """Start it as kubernetes.yaml does."""
    port = free_port()
    sample = (ROOT / "publishing" / "deploy" / "kubernetes.yaml").read_text()
    (policy,) = re.findall(r"--policy=\w+", sample)
    process = await spawn(
        *(program("router", "vllm-router"), "--host=127.0.0.1", f"--port={port}"),
        *(policy, "--worker-urls", *(each.address for each in engines)),
    )
    await listens(process, port)
    return Router(f"http://127.0.0.1:{port}/v1")


async def n_written(engine: Llama) -> int:
    """Return how many tokens an engine has written."""
    async with httpx.AsyncClient() as http:
        text = (await http.get(f"{engine.address}/metrics")).text
    return int(
        float(re.findall(r"^llamacpp:tokens_predicted_total (\S+)", text, re.M)[0])
    )


async def test_a_router_between_gateway_and_engines(
    spawn: Spawn, start_llama: StartLlama, tmp_path: Path
) -> None:
    """A workspace stays on one engine, and a stop is felt there."""
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps(RECITED))
    engines = [await start_llama(answers) for _ in range(2)]
    router = await start_router(spawn, engines)
    async with team_process(router, tmp_path / "gateway.toml") as gateway:
        client = await gateway.client()
        reached = set()
        for key in KEYS:
            places = []
            for _ in range(2):
                before = [await n_written(engine) for engine in engines]
                end = (
                    await client.answer(
                        "annotate it", model="coder", prompt_cache_key=key
                    )
                )[-1]
                said = end["response"]["output"][0]["content"][0]["text"]
                assert said == ANNOTATED
                after = [await n_written(engine) for engine in engines]
                places += [n for n in range(2) if after[n] > before[n]]
            assert len(places) == 2
            assert places[0] == places[1]
            reached.add(places[0])
        assert reached == {0, 1}

        await client.create("write values", model="coder", prompt_cache_key="a")
        await client.until("response.output_text.delta")
        assert sum([await engine.busy_slots() for engine in engines]) == 1
        client.socket.transport.abort()
        while sum([await engine.busy_slots() for engine in engines]):
            continue
