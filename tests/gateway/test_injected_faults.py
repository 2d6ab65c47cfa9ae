"""A script's faults, seen from the other end of the socket."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from redline.gateway.engines.script import (
    Script,
    ScriptReply,
    ScriptRule,
    ServerBehaviour,
    When,
)
from redline.gateway.injected_faults import Close, Cut, Refuse, Say, Stall
from redline.gateway.refusals import Refusal
from redline.wire import events

if TYPE_CHECKING:
    from tests.gateway.conftest import Client, Gateway

Start = Callable[..., Awaitable["Gateway"]]

TEXT = "abcdefgh"
N_EVENTS = 10
"""created, in_progress, item and part added, two deltas, three done, completed."""


async def received(client: Client) -> tuple[list[dict[str, Any]], ConnectionClosed]:
    """Return all events up to the end of the connection, and the end."""
    seen: list[dict[str, Any]] = []
    while True:
        try:
            seen.append(await client.event())
        except ConnectionClosed as closed:
            return seen, closed


@pytest.mark.parametrize("index", range(N_EVENTS + 1))
async def test_the_connection_can_be_cut_at_every_event(
    start: Start, index: int
) -> None:
    gateway = await start(ScriptReply(text=TEXT, faults=(Cut(at=index),)))
    client = await gateway.client()
    await client.create()
    seen, closed = await received(client)
    assert len(seen) == index
    assert closed.rcvd is None
    await gateway.saw("stopped")
    await gateway.saw("closed")


@pytest.mark.parametrize("index", [0, 5, N_EVENTS])
async def test_the_connection_can_be_closed_at_any_event(
    start: Start, index: int
) -> None:
    fault = Close(at=index, code=1012, reason="restarting")
    client = await (await start(ScriptReply(text=TEXT, faults=(fault,)))).client()
    await client.create()
    seen, closed = await received(client)
    assert len(seen) == index
    assert closed.rcvd is not None
    assert (closed.rcvd.code, closed.rcvd.reason) == (1012, "restarting")


async def test_something_else_can_be_said_in_between(start: Start) -> None:
    faults = (
        Say(at=1, text="garbage"),
        Say(at=2, text='{"type":"codex.rate_limits"}'),
        Say(at=3, text="x", n_bytes=2_000_000),
    )
    client = await (await start(ScriptReply(text=TEXT, faults=faults))).client()
    await client.create()
    messages = [await client.socket.recv() for _ in range(N_EVENTS + 3)]
    assert messages[1] == "garbage"
    assert json.loads(messages[3])["type"] == "codex.rate_limits"
    assert messages[5] == "x" * 2_000_000


@pytest.mark.parametrize("index", [0, 1, 5])
async def test_an_error_event_can_end_an_answer(start: Start, index: int) -> None:
    error = Refusal(
        message="Slow down.",
        type="rate_limit_error",
        code="rate_limit_exceeded",
        status=429,
        headers={"retry-after": "2"},
    )
    script = Script(
        rules=(
            ScriptRule(
                when=When(nth=1),
                reply=ScriptReply(text=TEXT, faults=(Refuse(at=index, error=error),)),
            ),
        ),
        otherwise=ScriptReply(text="fine"),
    )
    client = await (await start(script)).client()
    seen = await client.answer(stream_id="a")
    assert len(seen) == index + 1
    assert seen[-1] == {
        "type": "error",
        "status": 429,
        "stream_id": "a",
        "error": {
            "type": "rate_limit_error",
            "code": "rate_limit_exceeded",
            "message": "Slow down.",
            "param": None,
            "headers": {"retry-after": "2"},
        },
    }
    assert (await client.answer(stream_id="a"))[-1]["type"] == events.COMPLETED


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            Refusal(message="m", code="c", status=None, is_flat=True),
            {"code": "c", "message": "m", "param": None},
        ),
        (
            Refusal(message="m", is_flat=True, headers={"retry-after": "1"}),
            {
                "code": None,
                "message": "m",
                "param": None,
                "status": 400,
                "headers": {"retry-after": "1"},
            },
        ),
        (
            Refusal(
                message="m",
                type="usage_limit_reached",
                status=429,
                headers={"x": "1"},
                has_outer_headers=True,
            ),
            {
                "status": 429,
                "headers": {"x": "1"},
                "error": {
                    "type": "usage_limit_reached",
                    "code": None,
                    "message": "m",
                    "param": None,
                },
            },
        ),
    ],
)
async def test_an_error_event_has_other_shapes(
    start: Start, error: Refusal, expected: dict[str, Any]
) -> None:
    reply = ScriptReply(text=TEXT, faults=(Refuse(error=error),))
    client = await (await start(reply)).client()
    assert await client.answer() == [{"type": "error"} | expected]


async def test_a_stall_for_ever_ends_with_the_client(start: Start) -> None:
    gateway = await start(ScriptReply(text=TEXT, faults=(Stall(at=5),)))
    client = await gateway.client()
    await client.create()
    await client.until(events.TEXT_DELTA)
    client.socket.transport.abort()
    await gateway.saw("stopped")
    assert len(gateway.all("sent")) == 5


async def test_a_stall_can_end_by_itself(start: Start) -> None:
    reply = ScriptReply(text=TEXT, delay_s=0.001, faults=(Stall(at=4, seconds=0.001),))
    client = await (await start(reply)).client()
    assert len(await client.answer()) == N_EVENTS


async def test_events_can_be_left_out(start: Start) -> None:
    skip = frozenset({events.CREATED, "response.in_progress", events.TEXT_DELTA})
    client = await (await start(ScriptReply(text=TEXT, skip=skip))).client()
    seen = await client.answer()
    assert [each["sequence_number"] for each in seen] == [2, 3, 6, 7, 8, 9]


async def test_a_server_without_lanes_echoes_none_and_runs_one_at_a_time(
    start: Start,
) -> None:
    script = Script(
        otherwise=ScriptReply(text=TEXT), server=ServerBehaviour(lanes=False)
    )
    client = await (await start(script)).client()
    await client.create(stream_id="a")
    await client.create(stream_id="not a name")
    one = await client.until(events.COMPLETED)
    two = await client.until(events.COMPLETED)
    assert len(one) == len(two) == N_EVENTS
    assert len({each["response"]["id"] for each in (one[0], two[0])}) == 2
    assert not any("stream_id" in each for each in one + two)


async def test_the_first_upgrades_can_be_refused(start: Start) -> None:
    upgrades = (
        Refusal(status=426, message="HTTP only."),
        None,
        Refusal(status=429, headers={"retry-after": "7"}),
    )
    script = Script(otherwise=ScriptReply(), server=ServerBehaviour(upgrades=upgrades))
    gateway = await start(script)
    with pytest.raises(InvalidStatus) as refused:
        await gateway.client()
    assert refused.value.response.status_code == 426
    await gateway.client()
    with pytest.raises(InvalidStatus) as refused:
        await gateway.client()
    assert refused.value.response.status_code == 429
    assert refused.value.response.headers["retry-after"] == "7"
    await gateway.client()


async def test_a_pace_is_kept(start: Start) -> None:
    """Pacing loses and reorders nothing; the speed is not tested."""
    reply = ScriptReply(chunks=("a", "b", "c"), repeat=200, tokens_per_s=5_000)
    client = await (await start(reply)).client()
    seen = await client.answer()
    deltas = [each["delta"] for each in seen if each["type"] == events.TEXT_DELTA]
    assert "".join(deltas) == "abc" * 200
