"""Several processes behind one port: kills, drains, reloads, and their metrics."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.gateway.conftest import Client, Gateway
from tests.gateway.team_process import TeamProcess, team_process
from tests.gateway.test_drain import STEADY, TEXT, closed

from redline.gateway.config_file import load_gateway_file
from redline.gateway.metrics import MetricCounts, Metrics
from redline.gateway.processes.workers import WorkerPool
from redline.gateway.serving.server import Listening

Start = Callable[..., Awaitable[Gateway]]

TWO = ("--workers", "2")

METRICS = "[metrics]\nport = 0"


class Workers:
    """The processes of a gateway that has two."""

    def __init__(self, gateway: TeamProcess, pids: list[int]) -> None:
        self._gateway = gateway
        self.pids = pids

    @classmethod
    async def of(cls, gateway: TeamProcess) -> Workers:
        """Read their numbers from the log."""
        return cls(gateway, [await next_worker(gateway) for _ in range(2)])

    async def clients(self) -> list[Client]:
        """Connect to each of them, in their order."""
        first, second = self.pids
        clients = []
        for other in (second, first):
            with stopped(other):
                clients.append(await self._gateway.client())
        return clients


async def next_worker(gateway: TeamProcess) -> int:
    """Return the number of the next process that accepts connections."""
    return int((await gateway.read_until(rb"worker (\d+) accepts"))[1])


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Stop a process, so that another one accepts what connects meanwhile."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def metrics(port: int) -> str:
    """Read the metrics."""
    async with httpx.AsyncClient(verify=False) as http:
        return (await http.get(f"http://127.0.0.1:{port}/metrics")).text


async def test_a_worker_ends_and_others_feel_nothing(
    start: Start, tmp_path: Path
) -> None:
    """By a kill in mid-answer, then by a drain; each time another one starts."""
    path = tmp_path / "gateway.toml"
    async with team_process(await start(STEADY), path, *TWO, tables=METRICS) as gateway:
        port = int((await gateway.read_until(rb"metrics: port (\d+)"))[1])
        workers = await Workers.of(gateway)
        victim, witness = await workers.clients()
        for client in (victim, witness):
            await client.create(model="coder")
            await client.until("response.output_text.delta")
        os.kill(workers.pids[0], signal.SIGKILL)
        events, code = await closed(victim)
        assert code is None
        assert "response.completed" not in {event["type"] for event in events}
        end = (await witness.until("response.completed"))[-1]
        assert end["response"]["output"][0]["content"][0]["text"] == TEXT
        replacement = await next_worker(gateway)
        assert "redline_gateway_worker_restarts_total 1\n" in await metrics(port)

        # A drain of the other one, as in a rolling restart.
        await witness.create(model="coder")
        await witness.until("response.output_text.delta")
        with stopped(replacement):
            idle = await gateway.client()
        os.kill(workers.pids[1], signal.SIGTERM)
        (error,), code = await closed(idle)
        assert error["error"]["code"] == "websocket_connection_limit_reached"  # type: ignore[index]  # Any JSON.
        assert code == 1001
        again = await gateway.client()
        assert (await again.answer(model="coder"))[-1]["type"] == "response.completed"
        events, code = await closed(witness)
        assert "response.completed" in {event["type"] for event in events}
        assert code == 1001
        await next_worker(gateway)
        text = await metrics(port)
        assert "redline_gateway_worker_restarts_total 2\n" in text
        assert "redline_gateway_workers 2\n" in text
        # That of the killed process was not complete; two were of the drained one.
        (n_completed,) = re.findall(
            r'generations_total{user="ada".*outcome="completed"} (\d+)\n', text
        )
        assert n_completed == "3"

        # The end of all: what runs is completed.
        await again.create(model="coder")
        await again.until("response.output_text.delta")
        gateway.terminate()
        events, code = await closed(again)
        assert "response.completed" in {event["type"] for event in events}
        assert code == 1001
        assert await gateway.ended() == 0


async def test_a_configuration_reaches_all_workers(
    start: Start, tmp_path: Path
) -> None:
    """One with errors none of them, not even one that starts later."""
    path = tmp_path / "gateway.toml"
    async with team_process(await start(), path, *TWO) as gateway:
        workers = await Workers.of(gateway)
        clients = await workers.clients()
        whole = path.read_text()
        path.write_text("[listen]\nport = 'none'\n")
        gateway.signal(signal.SIGHUP)
        await gateway.read_until(b"stays in force")
        os.kill(workers.pids[0], signal.SIGKILL)
        workers.pids[0] = await next_worker(gateway)
        clients[0] = (await workers.clients())[0]
        for client in clients:
            end = (await client.answer(model="coder"))[-1]
            assert end["type"] == "response.completed"

        # The key of the user is of another one now. What needs a restart is not in
        # force, also for a process that starts later.
        other = re.sub('name = "ada"', 'name = "eve"', whole)
        path.write_text(
            other.replace("[listen]", "[listen]\nbehind_proxy = ['10.0.0.0/8']")
        )
        gateway.signal(signal.SIGHUP)
        await gateway.read_until(b"need a restart")
        for client in clients:
            (error,), code = await closed(client)
            assert error["error"]["code"] == "invalid_api_key"  # type: ignore[index]  # Any JSON.
            assert code == 1008
        os.kill(workers.pids[0], signal.SIGKILL)
        await next_worker(gateway)
        with stopped(workers.pids[1]):
            async with gateway.http() as http:
                answer = await http.get("/models", headers={"Host": "a.example"})
        # Only behind a proxy any host is right.
        assert answer.status_code == 403
        gateway.signal(signal.SIGINT)
        assert await gateway.ended() == 0


async def test_a_worker_that_does_not_end_is_killed(
    start: Start, tmp_path: Path
) -> None:
    """A parent that waited for it would stay, too."""
    async with team_process(await start(), tmp_path / "a.toml", *TWO) as gateway:
        workers = await Workers.of(gateway)
        os.kill(workers.pids[0], signal.SIGSTOP)
        gateway.signal(signal.SIGINT)
        await gateway.read_until(rb"worker %d does not end" % workers.pids[0])
        assert await gateway.ended() == 0


def test_counts_of_processes_are_added() -> None:
    """Of one that has ended, what was open is left out."""
    one, other, total = Metrics(), Metrics(), Metrics()
    for n, each in enumerate((one, other), start=1):
        each.sockets.add(n, "ada")
        each.tokens.add(10 * n, "ada", "coder", "input")
        each.queue_seconds.observe(0.2 * n, "coder", "edit")
    assert one.counts() != MetricCounts()
    total.add(one.counts())
    total.add(other.counts(), has_ended=True)
    text = total.text()
    assert 'sockets{user="ada"} 1\n' in text
    assert 'tokens_total{user="ada",model="coder",direction="input"} 30\n' in text
    assert 'queue_seconds_bucket{model="coder",kind="edit",le="0.25"} 1\n' in text
    assert 'queue_seconds_count{model="coder",kind="edit"} 2\n' in text


async def test_limits_count_for_all_workers(start: Start, tmp_path: Path) -> None:
    """What runs in one keeps another from running more, until it ends.

    A worker that replaces another one knows what was used before.
    """
    path = tmp_path / "gateway.toml"
    limits = "running = 1\nrequests_per_minute = 3"
    async with team_process(await start(STEADY), path, *TWO, limits=limits) as gateway:
        workers = await Workers.of(gateway)
        first, second = await workers.clients()
        async with gateway.http() as http:
            with stopped(workers.pids[0]):
                assert (await used(http))["requests_per_minute"] == 0
            await first.create(model="coder")
            await first.until("response.output_text.delta")
            while (await used(http))["running"] != 1:
                continue
            await second.create(model="coder")
            while (await used(http))["queued"] != 1:
                continue
            first.socket.transport.abort()
            assert (await second.event())["type"] == "response.created"
            third, _ = await workers.clients()
            await third.create(model="coder", stream_id="a")
            await third.create(model="coder", stream_id="b")
            error = (await third.until("error"))[-1]
            assert error["stream_id"] == "b"
            assert "You may send 3 requests a minute" in error["error"]["message"]

        os.kill(workers.pids[0], signal.SIGKILL)
        await next_worker(gateway)
        with stopped(workers.pids[1]):
            async with gateway.http() as http:
                assert (await used(http))["requests_per_minute"] > 0


async def used(http: httpx.AsyncClient) -> dict[str, int]:
    """Return what the user has used, as the worker of the connection knows it."""
    amounts: dict[str, int] = (await http.get("/me")).json()["used"]
    return amounts


async def test_workers_that_cannot_start(tmp_path: Path) -> None:
    """They are not started again and again."""
    path = tmp_path / "gateway.toml"
    (tmp_path / "a.pem").write_text("no certificate")
    path.write_text("[listen]\nport = 0\ntls = { cert = 'a.pem', key = 'a.pem' }\n")
    file = load_gateway_file(path)
    with Listening().bind() as listener:
        pool = WorkerPool(file, listener, n_workers=2)
        with pytest.raises(ChildProcessError, match="before it could serve"):
            await pool.start()
    assert "redline_gateway_workers 0\n" in await pool.metrics_text()


async def test_an_end_while_workers_start(tmp_path: Path) -> None:
    """No further one is started, and those that are there end."""
    path = tmp_path / "gateway.toml"
    path.write_text("[listen]\nport = 0\n")
    file = load_gateway_file(path)
    with Listening().bind() as listener:
        pool = WorkerPool(file, listener, n_workers=3)
        starting = asyncio.create_task(pool.start())
        # The first process is being started.
        await asyncio.sleep(0)
        pool.end()
        await starting
        await pool.run()
    assert "redline_gateway_workers 0\n" in await pool.metrics_text()


async def test_what_workers_without_a_store_do_not_share_is_said_at_the_start(
    start: Start, tmp_path: Path
) -> None:
    path = tmp_path / "gateway.toml"
    async with team_process(await start(STEADY), path, *TWO) as gateway:
        said = await gateway.line()
        assert b"there is no [store]" in said
        assert b"known to one of the 2 workers only" in said
