"""The official SDK as an independent client of the gateway."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING

import openai
import pytest
from openai import AsyncOpenAI
from openai.lib.responses_websocket import (
    AsyncResponsesWebSocketSession,
    ResponsesWebSocketLimits,
)

from redline.gateway.engines.script import Reply, Rule, Script, When

if TYPE_CHECKING:
    from .conftest import Gateway

Start = Callable[..., Awaitable["Gateway"]]

LIMITS = ResponsesWebSocketLimits(
    max_lanes=8,
    max_events_per_lane=1_000,
    max_events=4_000,
    max_bytes_per_lane=16 * 1024 * 1024,
    max_bytes=32 * 1024 * 1024,
    max_response_bytes=None,
)


@pytest.fixture
async def client(start: Start) -> AsyncIterator[AsyncOpenAI]:
    script = Script(
        rules=(
            Rule(when=When(contains="think"), reply=Reply(text="b", reasoning="a")),
            Rule(when=When(contains="refuse"), reply=Reply(refusal="No.")),
            Rule(when=When(contains="fail"), reply=Reply(failed="server_error")),
            Rule(when=When(contains="slow"), reply=Reply(text="slow " * 20)),
        ),
        otherwise=Reply(text="hello world"),
    )
    gateway = await start(script)
    async with AsyncOpenAI(
        base_url=gateway.http_url,
        api_key="test-token",
        max_retries=0,
        # Every object is checked against its type, not only taken for one.
        _strict_response_validation=True,
    ) as made:
        yield made


async def test_background(client: AsyncOpenAI) -> None:
    """It is polled, streamed again from any event, cancelled and deleted."""
    events = await client.responses.create(
        model="m", input="hi", background=True, stream=True
    )
    response_id = ""
    async for event in events:
        if event.type == "response.queued":
            response_id = event.response.id
            break
    await events.close()
    rest = await client.responses.retrieve(response_id, stream=True, starting_after=1)
    seen = [each async for each in rest]
    assert seen[0].type == "response.in_progress"
    assert seen[-1].type == "response.completed"
    assert seen[-1].response.output_text == "hello world"
    response = await client.responses.retrieve(response_id)
    assert response.status == "completed"
    assert response.background
    assert (await client.responses.cancel(response_id)).status == "completed"
    await client.responses.delete(response_id)
    with pytest.raises(openai.NotFoundError):
        await client.responses.retrieve(response_id)


async def test_create_and_retrieve(client: AsyncOpenAI) -> None:
    response = await client.responses.create(model="m", input="hi")
    assert response.output_text == "hello world"
    assert response.status == "completed"
    assert response.usage is not None
    assert response.usage.total_tokens == 4
    again = await client.responses.retrieve(response.id)
    assert again == response
    follow_up = await client.responses.create(
        model="m", input="more", previous_response_id=response.id
    )
    assert follow_up.previous_response_id == response.id


async def test_a_stream(client: AsyncOpenAI) -> None:
    text = ""
    async with await client.responses.create(
        model="m", input="hi", stream=True
    ) as events:
        async for event in events:
            if event.type == "response.output_text.delta":
                text += event.delta
    assert text == "hello world"
    assert event.type == "response.completed"


async def test_the_stream_helper_accumulates_the_same(client: AsyncOpenAI) -> None:
    async with client.responses.stream(model="m", input="think") as stream:
        async for _ in stream:
            continue
        response = await stream.get_final_response()
    assert response.output_text == "b"
    assert [item.type for item in response.output] == ["reasoning", "message"]


async def test_refusals_and_failures(client: AsyncOpenAI) -> None:
    refused = await client.responses.create(model="m", input="refuse")
    assert refused.output[0].type == "message"
    assert refused.output[0].content[0].type == "refusal"
    failed = await client.responses.create(model="m", input="fail")
    assert failed.error is not None
    assert failed.error.code == "server_error"


async def test_errors_are_those_of_the_api(client: AsyncOpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        await client.responses.create(model="m", input="x", previous_response_id="y")
    assert refused.value.code == "previous_response_not_found"
    with pytest.raises(openai.NotFoundError):
        await client.responses.retrieve("resp_nowhere")
    with pytest.raises(openai.AuthenticationError):
        await client.with_options(api_key="wrong").models.list()


async def test_the_models(client: AsyncOpenAI) -> None:
    assert [model.id async for model in client.models.list()] == ["script"]


async def test_two_lanes_of_one_socket(client: AsyncOpenAI) -> None:
    async with (
        client.responses.connect() as connection,
        AsyncResponsesWebSocketSession(connection, limits=LIMITS) as session,
    ):
        one, two = session.lane("one"), session.lane("two")
        await one.send({"type": "response.create", "model": "m", "input": "slow"})
        await two.send({"type": "response.create", "model": "m", "input": "hi"})
        second = await two.get_final_response()
        first = await one.get_final_response()
        assert second.output_text == "hello world"
        assert first.output_text == "slow " * 20
        await two.send(
            {
                "type": "response.create",
                "model": "m",
                "input": "more",
                "previous_response_id": second.id,
            }
        )
        assert (await two.get_final_response()).previous_response_id == second.id
