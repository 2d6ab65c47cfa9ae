"""The metrics of a gateway, read by the parser of Prometheus' own client library."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any  # JSON of the metrics.

import httpx
from tests.gateway.team_process import team_process
from tests.outside.conftest import KEY, Scripted
from tests.outside.programs import CLIENTS, program

from redline.gateway.metrics import Metrics


def parsed(text: str) -> Any:
    """Return the families of metrics by their names."""
    words = [program("prometheus", "python"), str(CLIENTS / "read_metrics.py")]
    return json.loads(subprocess.check_output(words, input=text, text=True))


def test_every_label_and_number_arrives() -> None:
    """Also those that must be escaped, large and small ones."""
    metrics = Metrics()
    name = 'a"b\\c\nd é'
    metrics.refused.add(2**40 + 1, name)
    metrics.tokens.add(0.5, name, "m", "input")
    for seconds in (0.003, 0.2, 90.0):
        metrics.queue_seconds.observe(seconds, name, "edit")
    families = parsed(metrics.text())
    (refused,) = families["redline_gateway_refused"]["samples"]
    assert refused == ["redline_gateway_refused_total", {"reason": name}, 2**40 + 1]
    ((_, labels, value),) = families["redline_gateway_tokens"]["samples"]
    assert labels == {"user": name, "model": "m", "direction": "input"}
    assert value == 0.5
    waits = families["redline_gateway_queue_seconds"]
    assert waits["type"] == "histogram"
    buckets = [value for each, _, value in waits["samples"] if each.endswith("_bucket")]
    assert buckets == sorted(buckets)
    assert buckets[-1] == 3
    ends = {each.rpartition("_")[2]: value for each, _, value in waits["samples"]}
    assert ends["count"] == 3
    assert abs(ends["sum"] - 90.203) < 1e-6


async def test_a_gateway_of_two_workers(gateway: Scripted, tmp_path: Path) -> None:
    """Each family is once in the sum of the workers, with its type."""
    behind = await gateway({"otherwise": {"text": "hello"}})
    path, table = tmp_path / "gateway.toml", "[metrics]\nport = 0"
    async with team_process(
        behind, path, "--workers", "2", tables=table, key=KEY
    ) as team:
        port = int((await team.read_until(rb"metrics: port (\d+)"))[1])
        for _ in range(3):
            client = await team.client()
            await client.answer("hi", model="coder")
        async with httpx.AsyncClient(verify=False) as http:
            answer = await http.get(f"http://127.0.0.1:{port}/metrics")
    families = parsed(answer.text)
    types = {name: family["type"] for name, family in families.items()}
    assert types.pop("redline_gateway_sockets") == "gauge"
    assert types.pop("redline_gateway_workers") == "gauge"
    for name in ("queue_seconds", "first_delta_seconds"):
        assert types.pop(f"redline_gateway_{name}") == "histogram"
    assert set(types.values()) == {"counter"}
    ((_, labels, value),) = families["redline_gateway_generations"]["samples"]
    assert (labels["user"], labels["outcome"], value) == ("ada", "completed", 3)
