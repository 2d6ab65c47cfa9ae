"""`python -m benchmarks.team_load`: a gateway with two workers under a team's load.

Each user has one WebSocket with four lanes, which stays open, and a lane sends a
request eight seconds after its last answer. Three other users then do their worst,
each in a process of its own: one sends up to 500 requests a second, one does so and
reads nothing, one sends frames of 20 MB. Printed are the times from a request to its
first delta, without them and with them, the processor time and memory of the workers,
and what the three have sent. Rounds without them and with them take turns. The medians
of their 99th percentiles are compared, since one stall of the machine puts a whole
round out of use; the worst round of each kind is named.

Then one worker is drained while 50 sockets have an answer that runs and 150 have none,
and one is killed in the middle of answers: who lost one, and how long it took to be
connected again.

The answers have 8 deltas, or last five seconds where a worker is ended. All processes
share the machine, which should do nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, create_subprocess_exec
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from benchmarks.figures import samples
from benchmarks.hostile_users import HOSTILE, Deeds, hostile_users
from redline.gateway.limits.accounts import key_sha256

N_LANES = 4
N_ROUNDS = 5
"""How often the times without and with those who misbehave are taken, in turn."""
PAUSE_S = 8.0
"""Between an answer and the next request of its lane."""
ENDS = ("response.completed", "response.incomplete", "response.failed", "error")
TOKEN = "key-of-the-benchmark"
SCRIPT = {
    "rules": [
        {"when": {"contains": "long"}, "reply": {"text": "x" * 400, "tokens_per_s": 20}}
    ],
    "otherwise": {"text": "x" * 32},
}


@dataclass
class Team:
    """A gateway that runs, and its workers."""

    url: str
    pids: list[int]
    times: list[float] = field(default_factory=list)
    """Seconds from each request to its first delta."""
    n_failed: int = 0

    def cpu_s(self) -> float:
        """Return the processor time of all workers so far (Linux)."""
        ticks = 0
        for pid in self.pids:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Return the memory of all workers (Linux)."""
        pages = sum(
            int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in self.pids
        )
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    async def connect(self, user: str) -> ClientConnection:
        """Connect a user."""
        headers = {"Authorization": f"Bearer {user}"}
        return await connect(self.url, additional_headers=headers, compression=None)


@asynccontextmanager
async def team(n_users: int) -> AsyncIterator[Team]:
    """Run a gateway with two workers in front of a model that follows a script."""
    async with model_server() as url, _team(n_users, url) as running:
        yield running


@asynccontextmanager
async def model_server() -> AsyncIterator[str]:
    """Run the server of the model; yield its address over HTTP."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "script.json"
        path.write_text(json.dumps(SCRIPT))
        process = await create_subprocess_exec(
            *(sys.executable, "-m", "redline", "gateway", "--announce"),
            *("--engine", "script", "--script", str(path)),
            *("--requests-per-minute", "0"),
            stdin=DEVNULL,
            stdout=PIPE,
            env=os.environ | {"REDLINE_GATEWAY_TOKEN": TOKEN},
        )
        assert process.stdout is not None
        try:
            url = json.loads(await process.stdout.readline())["url"]
            yield url.replace("ws", "http", 1)
        finally:
            process.send_signal(signal.SIGINT)
            await process.wait()


@asynccontextmanager
async def _team(n_users: int, url: str) -> AsyncIterator[Team]:
    users = [f"user-{number}" for number in range(n_users)]
    limits = "running = 8\nqueued = 8\nrequests_per_minute = 600\n"
    text = (
        '[listen]\nport = 0\n[upstreams.model]\napi = "responses-http"\n'
        f'name = "m"\nurl = "{url}"\nkey = {{ env = "MODEL_KEY" }}\n'
    )
    for name in (*users, *HOSTILE):
        text += f'[[users]]\nname = "{name}"\nkey_sha256 = "{key_sha256(name)}"\n'
        text += limits
    with TemporaryDirectory() as folder:
        path = Path(folder) / "gateway.toml"
        path.write_text(text)
        process = await create_subprocess_exec(
            *(sys.executable, "-m", "redline", "gateway", "--announce"),
            *("--workers", "2", "--config", str(path)),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env=os.environ | {"MODEL_KEY": TOKEN},
        )
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            announced = json.loads(await process.stdout.readline())
            pids: list[int] = []
            while len(pids) < 2:
                line = await process.stderr.readline()
                pids += map(int, re.findall(rb"worker (\d+) accepts", line))
            draining = asyncio.create_task(process.stderr.read())
            yield Team(announced["url"], pids)
        finally:
            process.send_signal(signal.SIGINT)
            await process.wait()
            await draining


async def ask(socket: ClientConnection, lane: str, given: str) -> None:
    """Send a request on a lane."""
    body = {"type": "response.create", "model": "model", "input": given}
    await socket.send(json.dumps(body | {"stream_id": lane}))


async def work(
    gateway: Team, socket: ClientConnection, *, first_s: float, seconds: float
) -> None:
    """Send requests on four lanes, with a pause after each answer."""
    asked: dict[str, float | None] = {}
    end = time.monotonic() + seconds

    async def lane(name: str, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        asked[name] = time.monotonic()
        await ask(socket, name, "short")

    async with asyncio.TaskGroup() as group:
        for number in range(N_LANES):
            group.create_task(
                lane(f"lane-{number}", first_s + number * PAUSE_S / N_LANES)
            )
        n_open = N_LANES
        while n_open:
            event = json.loads(await socket.recv())
            name = event["stream_id"]
            began = asked[name]
            is_delta = event["type"] == "response.output_text.delta"
            if is_delta and began is not None:
                gateway.times.append(time.monotonic() - began)
                asked[name] = None
            if event["type"] in ENDS:
                gateway.n_failed += event["type"] != "response.completed"
                if time.monotonic() < end:
                    group.create_task(lane(name, PAUSE_S))
                else:
                    n_open -= 1


@dataclass
class Load:
    """What the users saw, and what the workers used, in all rounds of one kind."""

    rounds: list[list[float]] = field(default_factory=list)
    """Seconds from each request to its first delta, by round."""
    used_s: float = 0.0
    """The processor time of the workers."""

    def show(self, what: str, gateway: Team) -> float:
        """Print the times; return the median of the rounds' 99th percentiles in ms."""
        n_requests = sum(map(len, self.rounds))
        p50_ms = median(samples(times, times=1e3).p50 for times in self.rounds)
        each_ms = [samples(times, times=1e3).p99 for times in self.rounds]
        print(
            f"{what}: {n_requests} requests, first delta p50 {p50_ms:.1f} ms, p99"
            f" {median(each_ms):.1f} ms ({', '.join(f'{ms:.1f}' for ms in each_ms)};"
            f" the worst is round {each_ms.index(max(each_ms)) + 1});"
            f" failed: {gateway.n_failed}; the workers used {self.used_s:.1f} s of"
            f" processor time and {gateway.memory_mb():.0f} MB"
        )
        return median(each_ms)


async def load(
    gateway: Team, users: list[ClientConnection], seconds: float, seen: Load
) -> None:
    """Let all users work, beginning one after the other."""
    gateway.times.clear()
    before_s = gateway.cpu_s()
    async with asyncio.TaskGroup() as group:
        for number, socket in enumerate(users):
            first_s = PAUSE_S / N_LANES * number / len(users)
            group.create_task(work(gateway, socket, first_s=first_s, seconds=seconds))
    seen.rounds.append(gateway.times.copy())
    seen.used_s += gateway.cpu_s() - before_s


async def measure_load(gateway: Team, n_users: int, seconds: float) -> None:
    """Compare the times without and with those who misbehave, in turn."""
    alone, beside = Load(), Load()
    deeds = {kind: Deeds() for kind in HOSTILE}
    users = [await gateway.connect(f"user-{number}") for number in range(n_users)]
    for _ in range(N_ROUNDS):
        await load(gateway, users, seconds, alone)
        async with hostile_users(gateway.url, deeds):
            await load(gateway, users, seconds, beside)
    for socket in users:
        await socket.close()
    alone_ms = alone.show(f"{n_users} users", gateway)
    beside_ms = beside.show(f"{n_users} users and {len(HOSTILE)} hostile ones", gateway)
    for kind, done in deeds.items():
        print(
            f"{kind}: {done.n_messages} messages, {done.cpu_s:.1f} s of processor time"
        )
    ratio = beside_ms / alone_ms
    print(f"p99 beside them is {ratio:.2f} times that without (aim: 1.5)")


async def until_end(socket: ClientConnection) -> str:
    """Return the type of the last event of an answer; empty if it was lost."""
    with suppress(ConnectionClosed):
        while True:
            event = json.loads(await socket.recv())
            if event["type"] in ENDS:
                return str(event["type"])
    return ""


async def reconnect(gateway: Team, socket: ClientConnection) -> float:
    """Wait until a socket is closed; return the seconds until another one is open."""
    with suppress(ConnectionClosed):
        while True:
            await socket.recv()
    began = time.monotonic()
    await (await gateway.connect("user-0")).close()
    return time.monotonic() - began


async def measure_end(gateway: Team, number: int, n_busy: int, n_idle: int) -> None:
    """End one worker under running answers, and count what is lost."""
    busy = [await gateway.connect(f"user-{n}") for n in range(n_busy)]
    idle = [await gateway.connect(f"user-{n}") for n in range(n_idle)]
    for socket in busy:
        await ask(socket, "a", "long")
    for socket in busy:
        await socket.recv()
    waiting = [asyncio.create_task(reconnect(gateway, socket)) for socket in idle]
    began = time.monotonic()
    os.kill(gateway.pids[0], number)
    ends = await asyncio.gather(*map(until_end, busy))
    took_s = time.monotonic() - began
    done = [task.result() for task in waiting if task.done()]
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    n_lost = sum(end != "response.completed" for end in ends)
    moved = samples(done or [0.0], times=1e3)
    print(
        f"{signal.Signals(number).name} to one of two workers: {n_busy} answers run,"
        f" {n_lost} lost, all ended after {took_s:.1f} s; {len(done)} of {n_idle} idle"
        f" sockets moved, connected again after p50 {moved.p50:.1f} ms,"
        f" at most {max(moved.values):.1f} ms"
    )
    for socket in (*busy, *idle):
        socket.transport.abort()


async def main() -> None:
    """Run all parts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.team_load")
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    async with team(arguments.users) as gateway:
        await measure_load(gateway, arguments.users, arguments.seconds)
    for number in (signal.SIGTERM, signal.SIGKILL):
        async with team(max(arguments.users, 150)) as gateway:
            await measure_end(gateway, number, 50, 150)


if __name__ == "__main__":
    asyncio.run(main())
