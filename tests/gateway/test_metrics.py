"""What the gateway counts, and how Prometheus reads it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
from tests.gateway.conftest import Gateway
from tests.gateway.team_process import team_process

from redline.gateway.metrics import Family, Histogram

Start = Callable[..., Awaitable[Gateway]]

SECRET = "a prompt that nobody may read"


def test_a_histogram_counts_what_is_below() -> None:
    histogram = Histogram("x_seconds", "Times.", ("model",))
    for seconds in (0.003, 0.005, 0.2, 90.0):
        histogram.observe(seconds, "m")
    name = "redline_gateway_x_seconds"
    lines = list(histogram.lines())
    assert lines[:2] == [f"# HELP {name} Times.", f"# TYPE {name} histogram"]
    assert f'{name}_bucket{{model="m",le="0.005"}} 2' in lines
    assert f'{name}_bucket{{model="m",le="0.25"}} 3' in lines
    assert f'{name}_bucket{{model="m",le="60"}} 3' in lines
    assert f'{name}_bucket{{model="m",le="+Inf"}} 4' in lines
    assert f'{name}_count{{model="m"}} 4' in lines


def test_a_label_cannot_break_a_line() -> None:
    family = Family("x_total", "counter", "Things.", ("name",))
    family.add(1, 'a"b\\c\nd')
    assert list(family.lines())[-1].endswith('{name="a\\"b\\\\c\\nd"} 1')


async def test_a_gateway_serves_what_it_counts(start: Start, tmp_path: Path) -> None:
    """On a port of its own; with no word of a request, and no model of a client.

    Nor has the log a word of it.
    """
    path = tmp_path / "gateway.toml"
    metrics = "[metrics]\nport = 0"
    async with team_process(await start(), path, tables=metrics) as gateway:
        port = None
        while port is None:
            port = re.search(rb"metrics: port (\d+)", await gateway.line())
        client = await gateway.client()
        await client.answer(SECRET, model="coder", metadata={"kind": "review"})
        await client.answer(SECRET, model="../etc/passwd")
        async with httpx.AsyncClient(verify=False) as http:
            answer = await http.get(f"http://127.0.0.1:{int(port[1])}/metrics")
            refused = await http.get(gateway.url.replace("ws", "http", 1))
        client.socket.transport.abort()
        gateway.terminate()
        log = await gateway.rest_of_log()
        assert await gateway.ended() == 0
    assert refused.status_code == 401
    text = answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    labels = 'user="ada",model="coder",kind="review"'
    name = "redline_gateway_generations_total"
    assert f'{name}{{{labels},outcome="completed"}} 1' in text
    assert 'model="other",kind="edit",outcome="refused"} 1' in text
    assert 'redline_gateway_sockets{user="ada"} 1' in text
    assert 'refused_total{reason="model_not_found"} 1' in text
    assert 'first_delta_seconds_count{model="coder",kind="review"} 1' in text
    for word in (SECRET, "passwd"):
        assert word not in text
        assert word.encode() not in log
    assert b"draining" in log
