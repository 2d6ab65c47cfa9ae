"""The official SDK as an independent client of the gateway.

It takes a second to import, so the tests import it, not the module: each process of
the test run collects all modules.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any  # Fields of requests, of any type.

import pytest

from redline.gateway.engines.rules import RulesEngine
from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from pydantic import BaseModel

    from .conftest import Gateway

Start = Callable[..., Awaitable["Gateway"]]


@pytest.fixture
async def client(start: Start) -> AsyncIterator[AsyncOpenAI]:
    from openai import AsyncOpenAI

    script = Script(
        rules=(
            ScriptRule(
                when=When(contains="think"), reply=ScriptReply(text="b", reasoning="a")
            ),
            ScriptRule(when=When(contains="refuse"), reply=ScriptReply(refusal="No.")),
            ScriptRule(
                when=When(contains="fail"), reply=ScriptReply(failed="server_error")
            ),
            ScriptRule(
                when=When(contains="slow"), reply=ScriptReply(text="slow " * 20)
            ),
        ),
        otherwise=ScriptReply(text="hello world"),
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
    import openai

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
    import openai

    with pytest.raises(openai.BadRequestError) as refused:
        await client.responses.create(model="m", input="x", previous_response_id="y")
    assert refused.value.code == "previous_response_not_found"
    with pytest.raises(openai.NotFoundError):
        await client.responses.retrieve("resp_nowhere")
    with pytest.raises(openai.AuthenticationError):
        await client.with_options(api_key="wrong").models.list()


async def test_the_models(client: AsyncOpenAI) -> None:
    assert [model.id async for model in client.models.list()] == ["script"]


async def test_one_model(client: AsyncOpenAI) -> None:
    import openai

    assert (await client.models.retrieve("script")).id == "script"
    with pytest.raises(openai.NotFoundError) as refused:
        await client.models.retrieve("nope/none")
    assert refused.value.code == "model_not_found"


async def test_input_tokens(client: AsyncOpenAI) -> None:
    import openai

    counted = await client.responses.input_tokens.count(
        model="m", input="hello!", instructions="Do."
    )
    assert counted.input_tokens == 3
    response = await client.responses.create(model="m", input="hi")
    further = await client.responses.input_tokens.count(
        model="m", input="more", previous_response_id=response.id
    )
    assert further.input_tokens == 5
    with pytest.raises(openai.BadRequestError):
        await client.responses.input_tokens.count(
            model="m", input="x", previous_response_id="nowhere"
        )


async def test_a_compacted_conversation_goes_on(client: AsyncOpenAI) -> None:
    """It stands for the whole conversation; other content is refused."""
    import openai

    response = await client.responses.create(model="m", input="hi")
    compacted = await client.responses.compact(
        model="m", previous_response_id=response.id, input="more"
    )
    assert compacted.usage.input_tokens == 5
    (item,) = compacted.output
    assert item.type == "compaction"
    given: Any = item.model_dump(include={"type", "encrypted_content"})
    further = await client.responses.create(
        model="m", input=[given, {"role": "user", "content": "end"}]
    )
    items = client.responses.input_items.list(further.id, order="asc")
    texts = [text_of(each) async for each in items]
    assert texts == ["hi", "hello world", "more", "end"]
    with pytest.raises(openai.BadRequestError):
        await client.responses.create(
            model="m", input=[{"type": "compaction", "encrypted_content": "%"}]
        )


def text_of(item: BaseModel) -> object:
    return item.model_dump()["content"][0]["text"]


async def test_input_items(client: AsyncOpenAI) -> None:
    """The newest first unless asked otherwise, page by page."""
    import openai

    first = await client.responses.create(model="m", input="hi")
    second = await client.responses.create(
        model="m", input="more", previous_response_id=first.id
    )
    page = await client.responses.input_items.list(second.id, limit=2)
    roles = [item.model_dump()["role"] for item in page.data]
    assert roles == ["user", "assistant"]
    assert page.has_more
    items = client.responses.input_items.list(second.id, limit=1)
    texts = [text_of(item) async for item in items]
    assert texts == ["more", "hello world", "hi"]
    with pytest.raises(openai.NotFoundError):
        await client.responses.input_items.list("resp_nowhere")
    with pytest.raises(openai.BadRequestError):
        await client.responses.input_items.list(second.id, limit=1_000)
    with pytest.raises(openai.BadRequestError):
        await client.responses.input_items.list(second.id, after="msg_nowhere")


async def test_the_request_is_given_back(client: AsyncOpenAI) -> None:
    """Every field that the response shares with the request."""
    tool = {"type": "function", "name": "f", "parameters": {}, "strict": True}
    given: dict[str, Any] = {
        "instructions": "Do.",
        "max_output_tokens": 100,
        "max_tool_calls": 3,
        "metadata": {"a": "b"},
        "parallel_tool_calls": False,
        "prompt_cache_key": "k",
        "prompt_cache_retention": "24h",
        "reasoning": {"effort": "low", "summary": "auto"},
        "safety_identifier": "s",
        "temperature": 0.5,
        "text": {
            "verbosity": "low",
            "format": {
                "type": "json_schema",
                "name": "n",
                "description": "D.",
                "schema": {"type": "object"},
                "strict": False,
            },
        },
        "tool_choice": {"type": "function", "name": "f"},
        "tools": [tool],
        "top_logprobs": 2,
        "top_p": 0.25,
        "truncation": "auto",
        "user": "u",
    }
    response = await client.responses.create(model="m", input="hi", **given)
    assert (
        response.model_dump(by_alias=True, exclude_unset=True).items() >= given.items()
    )
    retrieved = await client.responses.retrieve(response.id)
    assert retrieved == response


async def test_rules_refuse_what_they_cannot_answer_by_a_schema(start: Start) -> None:
    """A typed client can read a refusal, but not a plain sentence."""
    from openai import AsyncOpenAI
    from pydantic import BaseModel

    class Verdict(BaseModel):
        is_right: bool

    engine = RulesEngine()
    gateway = await start(engine)
    async with AsyncOpenAI(
        base_url=gateway.http_url,
        api_key="test-token",
        max_retries=0,
        _strict_response_validation=True,
    ) as client:
        parsed = await client.responses.parse(
            model="rules", text_format=Verdict, input="hi"
        )
        (item,) = parsed.output
        assert item.type == "message"
        (part,) = item.content
        assert part.type == "refusal"
        assert "not a language model" in part.refusal
        assert parsed.output_parsed is None
        said = await client.responses.create(model="rules", input="hi")
        assert "not a language model" in said.output_text


async def test_two_lanes_of_one_socket(client: AsyncOpenAI) -> None:
    from openai.lib.responses_websocket import (
        AsyncResponsesWebSocketSession,
        ResponsesWebSocketLimits,
    )

    limits = ResponsesWebSocketLimits(
        max_lanes=8,
        max_events_per_lane=1_000,
        max_events=4_000,
        max_bytes_per_lane=16 * 1024 * 1024,
        max_bytes=32 * 1024 * 1024,
        max_response_bytes=None,
    )
    async with (
        client.responses.connect() as connection,
        AsyncResponsesWebSocketSession(connection, limits=limits) as session,
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


async def test_a_request_over_the_limit(client: AsyncOpenAI) -> None:
    """It is the API's error, and not a broken connection."""
    import openai

    with pytest.raises(openai.APIStatusError) as raised:
        await client.responses.create(model="m", input="x" * 12_000_000)
    assert raised.value.status_code == 413
    assert raised.value.code == "request_too_large"
