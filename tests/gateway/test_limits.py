"""The limits of users and upstreams, over real sockets."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.gateway.conftest import Client, Gateway
from tests.gateway.test_upstream import CHAT, text_of
from tests.gateway.test_users import bearer, upstream
from tests.models.plain_server import Act, serving

from redline.gateway.engines.circuit import N_FAILURES
from redline.gateway.engines.script import ScriptReply
from redline.gateway.engines.upstream import UpstreamEngine
from redline.gateway.limits.accounts import (
    Accounts,
    UserAccount,
    UserSettings,
    key_sha256,
)
from redline.gateway.limits.turns import Turns

Start = Callable[..., Awaitable[Gateway]]

SLOW = ScriptReply(text="x" * 4_000, tokens_per_s=1.0)
"""An answer that does not end by itself while a test runs."""


def unlimited() -> Turns:
    """Return a queue in which only users have limits."""
    return Turns(lambda _: None, queue_s=600.0)


def accounts(**limits: Any) -> Accounts:
    """Ada with limits, and Bob without."""
    return Accounts(
        [
            UserSettings(name="ada", key_sha256=key_sha256("ada"), **limits),
            UserSettings(name="bob", key_sha256=key_sha256("bob")),
        ]
    )


def both(users: Accounts) -> list[UserAccount]:
    """Return the accounts of Ada and Bob."""
    found = [users.find(name) for name in ("ada", "bob")]
    return [account for account in found if account is not None]


class Debt:
    """Counts Ada's refusals by the pause that they cause, whatever the time is."""

    def __init__(self, users: Accounts) -> None:
        self._ada, self._bob = both(users)
        # So many that none is forgotten while a test runs.
        self._ada.count_refusal(time.monotonic(), 10_000)
        self._began = time.monotonic()
        self._pause_s = self._ada.pause_s(self._began)

    def n_refusals(self) -> float:
        """Return how many have come since; nobody else has any."""
        now = time.monotonic()
        assert self._bob.pause_s(now) == 0
        more_s = self._ada.pause_s(now) - self._pause_s + now - self._began
        return more_s * 2


async def hold(client: Client, lane: str) -> None:
    """Begin an answer that goes on."""
    await client.create(stream_id=lane)
    await client.until("response.output_text.delta")


async def test_requests_over_the_limit_wait_and_then_are_refused(start: Start) -> None:
    """On their lane; the socket and another user go on."""
    gateway = await start(
        SLOW, accounts=accounts(running=1, queued=1), turns=unlimited()
    )
    ada, bob = [await gateway.client(**bearer(name)) for name in ("ada", "bob")]
    await hold(ada, "a")
    await ada.create(stream_id="b")
    await ada.create(stream_id="c")
    while (event := await ada.event())["type"] != "error":
        assert event["stream_id"] == "a"
    assert (event["stream_id"], event["status"]) == ("c", 429)
    assert event["error"]["code"] == "rate_limit_exceeded"
    assert "1 of your requests wait already" in event["error"]["message"]
    assert event["error"]["headers"]["retry-after"] == "1"
    await hold(bob, "a")
    assert (await ada.event())["stream_id"] == "a"


async def test_the_next_request_runs_when_one_is_stopped(start: Start) -> None:
    gateway = await start(
        SLOW, accounts=accounts(running=1, queued=1), turns=unlimited()
    )
    first, second = [await gateway.client(**bearer("ada")) for _ in range(2)]
    await hold(first, "a")
    await second.create()
    await gateway.saw("create", n=2)
    first.socket.transport.abort()
    assert (await second.event())["type"] == "response.created"


async def test_a_wait_has_an_end(start: Start) -> None:
    gateway = await start(
        SLOW,
        accounts=accounts(running=1, queued=1),
        turns=Turns(lambda _: None, queue_s=0.05),
    )
    holder, client = [await gateway.client(**bearer("ada")) for _ in range(2)]
    await hold(holder, "a")
    (error,) = await client.answer()
    assert error["status"] == 429
    assert "busy for 0.05 s" in error["error"]["message"]


async def test_requests_and_tokens_have_limits(start: Start) -> None:
    """Each with its own sentence, and the time to wait."""
    gateway = await start(accounts=accounts(requests_per_minute=1), turns=unlimited())
    client = await gateway.client(**bearer("ada"))
    assert (await client.answer())[-1]["type"] == "response.completed"
    (error,) = await client.answer(stream_id="a")
    assert (error["status"], error["stream_id"]) == (429, "a")
    assert "You may send 1 requests a minute" in error["error"]["message"]

    gateway = await start(accounts=accounts(tokens_per_day=3), turns=unlimited())
    client = await gateway.client(**bearer("ada"))
    assert (await client.answer())[-1]["type"] == "response.completed"
    (error,) = await client.answer()
    assert "Your limit of 3 tokens per day is used up" in error["error"]["message"]
    assert int(error["error"]["headers"]["retry-after"]) > 3_600
    async with gateway.http(**bearer("ada")) as http:
        answer = await http.post("/responses", json={"model": "m", "input": "hi"})
    assert answer.status_code == 429
    other = await gateway.client(**bearer("bob"))
    assert (await other.answer())[-1]["type"] == "response.completed"


@pytest.mark.parametrize("n_chars", [1, 100_000])
async def test_closed_connections_count_as_refusals(start: Start, n_chars: int) -> None:
    """Those of a user with too many waiting requests, or with too large messages."""
    users = accounts()
    gateway = await start(
        SLOW,
        accounts=users,
        turns=unlimited(),
        max_queued=1,
        max_message_bytes=1_000,
    )
    debt = Debt(users)
    for number in range(1, 4):
        ada = await gateway.client(**bearer("ada"))
        await ada.create("x" * n_chars)
        await ada.create("x" * n_chars)
        await gateway.saw("closed", n=number)
    assert debt.n_refusals() == pytest.approx(30, abs=0.5)


@pytest.mark.parametrize("how", ["limit", "lane", "event", "http"])
async def test_refused_requests_count(start: Start, how: str) -> None:
    users = accounts(requests_per_minute=1)
    gateway = await start(accounts=users)
    client = await gateway.client(**bearer("ada"))
    await client.answer()
    debt = Debt(users)
    async with gateway.http(**bearer("ada")) as http:
        for _ in range(10):
            match how:
                case "limit":
                    await client.answer()
                case "lane":
                    await client.answer(stream_id="not a lane")
                case "event":
                    await client.socket.send("{")
                    await client.until("error")
                case _:
                    await http.post("/responses", json={"model": "m", "input": "hi"})
    assert debt.n_refusals() == pytest.approx(10, abs=0.5)


async def test_a_user_with_many_refusals_is_read_slowly(start: Start) -> None:
    """Over a socket and over HTTP; nobody else waits."""
    users = accounts()
    gateway = await start(SLOW, accounts=users, max_pause_s=600.0)
    client = await gateway.client(**bearer("ada"))
    ada, _ = both(users)
    ada.count_refusal(time.monotonic(), 10_000)
    async with gateway.http(**bearer("ada")) as http:
        waiting = {
            asyncio.create_task(gateway.client(**bearer("ada"))),
            asyncio.create_task(http.get("/me")),
        }
        await client.create(stream_id="a")
        await client.create(stream_id="b")
        await hold(await gateway.client(**bearer("bob")), "a")
        assert len(gateway.all("create")) == 2
        assert not any(task.done() for task in waiting)
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)


async def test_what_was_written_before_a_stop_counts(start: Start) -> None:
    users = accounts(tokens_per_day=2)
    gateway = await start(SLOW, accounts=users, turns=unlimited())
    client = await gateway.client(**bearer("ada"))
    await client.create("a prompt of some words")
    await client.until("response.output_text.delta")
    client.socket.transport.abort()
    await gateway.saw("stopped")
    client = await gateway.client(**bearer("ada"))
    (error,) = await client.answer()
    assert "tokens per day is used up" in error["error"]["message"]


async def test_an_upstream_is_not_asked_more_than_it_takes(start: Start) -> None:
    held = Act(pieces=CHAT.answer[:1], then="hold")
    async with serving(held) as server:
        engine = UpstreamEngine([upstream("coder", server)])
        gateway = await start(engine, turns=Turns(lambda _: 1, queue_s=600.0))
        first, second = [await gateway.client() for _ in range(2)]
        await first.create(model="coder")
        await first.until("response.output_text.delta")
        await second.create(model="coder")
        await gateway.saw("create", n=2)
        assert len(server.asked) == 1
        first.socket.transport.abort()
        await second.until("response.output_text.delta")
        assert len(server.asked) == 2
        second.socket.transport.abort()
        await engine.aclose()


async def test_an_upstream_that_fails_is_given_up(start: Start) -> None:
    """Its fallback answers without a delay; without one, the error says so."""
    failing = Act(pieces=(CHAT.error,))
    async with serving(failing) as bad, serving(Act(pieces=CHAT.answer)) as good:
        engine = UpstreamEngine(
            [
                upstream("coder", bad),
                upstream("with-second", bad, fallback="second"),
                upstream("second", good),
            ]
        )
        client = await (await start(engine)).client()
        for name in ("coder", "with-second"):
            for _ in range(N_FAILURES):
                await client.answer(model=name)
        n_asked = len(bad.asked)
        error = (await client.answer(model="coder"))[-1]
        assert text_of(await client.answer(model="with-second")) == "Hello"
        assert len(bad.asked) == n_asked
        await engine.aclose()
    assert error["status"] == 503
    assert "failed 5 times in a row" in error["error"]["message"]


async def test_a_user_who_floods_does_not_delay_another(start: Start) -> None:
    """The edit of another is next after what runs."""
    async with serving(Act(pieces=CHAT.answer[:1], then="hold")) as server:
        engine = UpstreamEngine([upstream("coder", server)])
        gateway = await start(
            engine,
            accounts=accounts(),
            turns=Turns(lambda _: 1, queue_s=600.0),
        )
        ada = [await gateway.client(**bearer("ada")) for _ in range(4)]
        review = {"model": "coder", "metadata": {"kind": "review"}}
        await ada[0].create(**review)
        await ada[0].until("response.output_text.delta")
        for client in ada[1:]:
            await client.create(**review)
        bob = await gateway.client(**bearer("bob"))
        await bob.create(model="coder")
        await gateway.saw("create", n=5)
        ada[0].socket.transport.abort()
        async with asyncio.timeout(60):
            await bob.until("response.output_text.delta")
        assert len(server.asked) == 2
        for client in (*ada, bob):
            client.socket.transport.abort()
        await engine.aclose()
