"""A taker gets what comes while the reader waits; the reader gets everything else."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace
from tests.models.model_server import Reply, Script
from tests.models.reader import Build, Serve, read, request_for, until

from redline.models.generations.delivery import Delivery
from redline.models.generations.delta_buffer import DeltaBuffer
from redline.models.interface import Delta, Finish, GenerationRequest, Restart
from redline.settings.tree import Api

APIS = pytest.mark.parametrize("api", ["responses-socket", "responses-http"])


class Taker:
    """Takes events while the test lets it."""

    def __init__(self, error: Exception | None = None) -> None:
        self.is_ready = True
        self.text = ""
        self.n_taken = 0
        self._error = error

    def take(self, event: Delta | Restart) -> None:
        if self._error is not None:
            raise self._error
        assert isinstance(event, Delta)
        self.text += event.text
        self.n_taken += 1


def taken_by(taker: Taker) -> GenerationRequest:
    return replace(request_for("hi"), taker=taker)


def in_steps(*steps: asyncio.Event) -> Script:
    """Write a script that sends `a`, `b`, `c` and the end, each after its event."""

    async def script(reply: Reply) -> None:
        for text, step in zip("abc", steps, strict=False):
            await step.wait()
            reply.send({"type": "response.output_text.delta", "delta": text})
        await steps[-1].wait()
        reply.send({"type": "response.completed", "response": {"id": "r"}})

    return script


@APIS
async def test_what_comes_while_the_reader_waits(
    serve: Serve, build: Build, api: Api
) -> None:
    """It goes to the taker while that is ready, and the reader learns of the end."""
    steps = first, second, third, last = [asyncio.Event() for _ in range(4)]
    taker = Taker()
    server = await serve(in_steps(*steps))
    async with build(server, api=api).start(taken_by(taker)) as generation:
        reading = asyncio.ensure_future(anext(aiter(generation)))
        first.set()
        await until(lambda: taker.text == "a")
        second.set()
        await until(lambda: taker.text == "ab")
        taker.is_ready = False
        third.set()
        assert await reading == Delta("c")
        last.set()
        finish = await anext(aiter(generation))
        assert isinstance(finish, Finish)
        assert finish.reason == "completed"
        assert generation.timing.n_deltas == 3
    assert taker.text == "ab"


@APIS
async def test_a_reader_that_does_not_wait_loses_nothing(
    serve: Serve, build: Build, api: Api
) -> None:
    """Neither one that does something else, nor one that was cancelled."""
    steps = first, second, _ = [asyncio.Event() for _ in range(3)]
    taker = Taker()
    server = await serve(in_steps(*steps))
    async with build(server, api=api).start(taken_by(taker)) as generation:
        first.set()
        await until(lambda: generation.timing.n_deltas == 1)
        assert await anext(aiter(generation)) == Delta("a")
        reading = asyncio.ensure_future(anext(aiter(generation)))
        await asyncio.sleep(0)
        reading.cancel()
        second.set()
        await until(lambda: generation.timing.n_deltas == 2)
        # Beyond the turn in which the taker would get it.
        for _ in range(3):
            await asyncio.sleep(0)
        assert await anext(aiter(generation)) == Delta("b")
    assert taker.text == ""


@APIS
async def test_an_error_of_the_taker(
    serve: Serve, build: Build, api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    """It ends the generation, whose reader would otherwise wait for the time limit."""
    go_on = asyncio.Event()
    server = await serve(in_steps(go_on, asyncio.Event()))
    request = taken_by(Taker(ValueError("no")))
    async with build(server, api=api).start(request) as generation:
        reading = asyncio.ensure_future(read(generation))
        go_on.set()
        assert (await reading).reason == "failed"
    assert "a delta was not taken" in caplog.text


async def test_what_comes_in_one_read_is_taken_together() -> None:
    """Where the end of the read is known, in the same turn of the event loop."""
    buffer, taker = DeltaBuffer(), Taker()
    errors: list[Exception] = []
    delivery = Delivery(
        buffer, taken_by(taker), on_taken=lambda: None, on_error=errors.append
    )
    reading = asyncio.ensure_future(delivery.wait())
    await asyncio.sleep(0)
    for text in "ab":
        buffer.put(text, "text")
        delivery.deliver_soon()
    assert taker.text == ""
    await asyncio.sleep(0)
    assert (taker.text, taker.n_taken) == ("ab", 1)
    for text in "cd":
        buffer.put(text, "text")
    delivery.deliver()
    assert (taker.text, taker.n_taken) == ("abcd", 2)
    delivery.close()
    await reading
    assert not errors
