"""A reader that asks for a gap gets deltas less often, and everything else at once."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace
from tests.models.model_server import Reply, Script
from tests.models.reader import Build, Reading, Serve, read, request_for, until

from redline.models.generations.reader_pace import ReaderPace
from redline.models.interface import Delta, Finish, GenerationRequest
from redline.settings.tree import Api

APIS = pytest.mark.parametrize("api", ["responses-socket", "responses-http"])

FOR_EVER_S = 3_600.0
"""A gap that no test can wait for."""


def paced(gap_s: float = FOR_EVER_S) -> GenerationRequest:
    """Ask for a gap."""
    return replace(request_for("hi"), gap_s=gap_s)


def one_by_one(go_on: asyncio.Event) -> Script:
    """Write a script that sends `a`, and `b`, `c` and the end when the test says so."""

    async def script(reply: Reply) -> None:
        reply.send({"type": "response.output_text.delta", "delta": "a"})
        await go_on.wait()
        for text in ("b", "c"):
            reply.send({"type": "response.output_text.delta", "delta": text})
        reply.send({"type": "response.completed", "response": {"id": "r"}})

    return script


@APIS
async def test_what_comes_in_the_gap_is_merged(
    serve: Serve, build: Build, api: Api
) -> None:
    """The first delta comes at once, the others as one, the finish without waiting."""
    go_on = asyncio.Event()
    server = await serve(one_by_one(go_on))
    async with build(server, api=api).start(paced()) as generation:
        events = aiter(generation)
        assert await anext(events) == Delta("a")
        go_on.set()
        assert await anext(events) == Delta("bc")
        finish = await anext(events)
        assert isinstance(finish, Finish)
        assert finish.reason == "completed"
        assert generation.timing.n_deltas == 3


@APIS
async def test_stop_does_not_wait_for_the_gap(
    serve: Serve, build: Build, api: Api
) -> None:
    """A reader that waits for the gap to end learns of a stop at once."""
    server = await serve(one_by_one(asyncio.Event()))
    async with build(server, api=api).start(paced()) as generation:
        assert await anext(aiter(generation)) == Delta("a")
        reading = asyncio.ensure_future(read(generation))
        await until(lambda: len(server.replies) == 1)
        generation.stop()
        assert (await reading).reason == "stopped"


@APIS
async def test_gap_ends_by_itself(serve: Serve, build: Build, api: Api) -> None:
    """What came in the gap is delivered after it, though nothing else comes."""

    async def script(reply: Reply) -> None:
        for text in ("a", "b"):
            reply.send({"type": "response.output_text.delta", "delta": text})
            await asyncio.sleep(0)
        await reply.gone.wait()

    server = await serve(script)
    async with build(server, api=api).start(paced(0.001)) as generation:
        reading = Reading()
        async for event in generation:
            reading.take(event)
            if reading.text == "ab":
                break


async def test_without_a_gap_every_delta_wakes() -> None:
    """Zero is no gap at all."""
    woken: list[int] = []
    pace = ReaderPace(0.0)
    for _ in range(3):
        pace.took()
        assert pace.is_due
        pace.wake_when_due(lambda: woken.append(1))
    assert len(woken) == 3


async def test_in_the_gap_nobody_is_woken() -> None:
    """The first is due at once; in the gap one timer stands for any number of deltas,
    and none is left once the pace is closed."""
    woken: list[int] = []
    pace = ReaderPace(FOR_EVER_S)
    pace.wake_when_due(lambda: woken.append(1))
    assert len(woken) == 1
    pace.took()
    for _ in range(3):
        assert not pace.is_due
        pace.wake_when_due(lambda: woken.append(1))
    assert len(woken) == 1
    pace.close()
    pace.close()


async def test_the_gap_wakes_once() -> None:
    """Deltas in one gap wake the reader once, at its end."""
    woken = asyncio.Queue[int]()
    pace = ReaderPace(0.001)
    pace.took()
    pace.wake_when_due(lambda: woken.put_nowait(1))
    pace.wake_when_due(lambda: woken.put_nowait(1))
    await woken.get()
    assert woken.empty()
