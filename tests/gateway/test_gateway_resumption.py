"""The client and the gateway together: a response outlives its connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING

import pytest
from tests.models.reader import Reading, read, request_for

from redline.errors import ResponseLostError
from redline.gateway.engines.script import ScriptReply
from redline.gateway.injected_faults import Cut, Stall
from redline.models.build import build_model
from redline.models.interface import (
    Delta,
    Generation,
    GenerationRequest,
    Model,
    ResumeRequest,
)
from redline.settings.tree import KeySource, ModelSettings

if TYPE_CHECKING:
    from .conftest import Gateway

Start = Callable[..., Awaitable["Gateway"]]
Build = Callable[["Gateway"], Model]

N_EVENTS = 11
"""Of the answer "abcdefgh" in two deltas, queueing included."""

REQUEST = GenerationRequest(prompt=request_for("hi").prompt, background=True)


@pytest.fixture
async def build(start: Start) -> AsyncIterator[Build]:
    """Build models of gateways; they are closed before the gateways are."""
    models: list[Model] = []

    def build_one(gateway: Gateway) -> Model:
        settings = ModelSettings(
            api="responses-http",
            url=f"{gateway.http_url}/responses",
            name="m",
            key=KeySource(env="TOKEN"),
            background=True,
        )
        model = build_model("deep", settings, environ={"TOKEN": "test-token"})
        models.append(model)
        return model

    yield build_one
    for model in models:
        await model.aclose()


async def go_on(model: Model, response_id: str, *, after: int | None = None) -> Reading:
    async with asyncio.timeout(30):
        request = ResumeRequest(response_id=response_id, starting_after=after)
        async with model.resume(request) as generation:
            return await read(generation)


async def until_text(generation: Generation) -> str:
    event = await anext(aiter(generation))
    assert isinstance(event, Delta)
    return event.text


@pytest.mark.parametrize("at", range(N_EVENTS + 1))
async def test_a_cut_at_any_event_is_not_felt(
    start: Start, build: Build, at: int
) -> None:
    gateway = await start(ScriptReply(text="abcdefgh", faults=(Cut(at=at),)))
    async with asyncio.timeout(30), build(gateway).start(REQUEST) as generation:
        reading = await read(generation)
    assert (reading.text, reading.reason) == ("abcdefgh", "completed")
    assert reading.n_restarts == 0
    assert len(gateway.all("create")) == 1


async def test_a_response_goes_on_in_the_next_process(
    start: Start, build: Build
) -> None:
    gateway = await start(
        ScriptReply(text="abcdefgh", faults=(Stall(at=6, seconds=0.2),))
    )
    first = build(gateway)
    async with first.start(REQUEST) as generation:
        text = await until_text(generation)
        response_id, number = generation.response_id, generation.sequence_number
    await first.aclose()
    assert response_id is not None
    second = build(gateway)
    request = ResumeRequest(response_id=response_id, starting_after=number, text=text)
    async with second.resume(request) as generation:
        rest = await read(generation)
    assert (text + rest.text, rest.reason) == ("abcdefgh", "completed")
    assert (await go_on(second, response_id)).text == "abcdefgh"
    await second.forget(response_id)
    assert type((await go_on(second, response_id)).error) is ResponseLostError


async def test_a_gateway_that_was_killed_has_lost_it(
    start: Start, build: Build
) -> None:
    """A clear error, while the generation runs and when it is resumed."""
    gateway = await start(ScriptReply(text="abcdefgh", faults=(Stall(at=6),)))
    model = build(gateway)
    async with asyncio.timeout(30), model.start(REQUEST) as generation:
        assert await until_text(generation) == "abcd"
        response_id = generation.response_id
        await gateway.close_clients()
        await gateway.end()
        gateway = await start(port=gateway.port)
        reading = await read(generation)
    assert type(reading.error) is ResponseLostError
    assert response_id is not None
    assert type((await go_on(model, response_id)).error) is ResponseLostError
    async with model.start(REQUEST) as generation:
        assert (await read(generation)).text == "hello world"


async def test_a_stop_ends_the_work_there(start: Start, build: Build) -> None:
    """The answer is deleted, too."""
    gateway = await start(ScriptReply(text="abcdefgh", faults=(Stall(at=6),)))
    model = build(gateway)
    async with model.start(REQUEST) as generation:
        await until_text(generation)
        generation.stop()
        response_id = generation.response_id
    assert response_id is not None
    await model.aclose()
    gone = (await go_on(build(gateway), response_id)).error
    assert type(gone) is ResponseLostError


async def test_cancelled_by_its_id(start: Start, build: Build) -> None:
    """Followers are notified; cancelling again is allowed."""
    gateway = await start(ScriptReply(text="abcdefgh", faults=(Stall(at=6),)))
    model = build(gateway)
    async with asyncio.timeout(30), model.start(REQUEST) as generation:
        await until_text(generation)
        assert generation.response_id is not None
        await model.cancel(generation.response_id)
        await model.cancel(generation.response_id)
        assert (await read(generation)).reason == "stopped"
