"""The official SDK, in strict mode, judges our chat completions.

What our test server answers must be an answer to it, and what we send must be what it
sends for the same request.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.models.formats import FORMATS
from tests.models.plain_server import Act, PlainServer, serving
from tests.models.reader import request_for

from redline.models.build import build_model
from redline.models.interface import GenerationRequest
from redline.prompts.message import JsonSchema
from redline.settings.tree import KeySource, LimitSettings, ModelSettings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

CHAT = FORMATS["chat-completions"]
ANSWER = Act(pieces=CHAT.answer, headers=(("Content-Type", "text/event-stream"),))
SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}


def client(server: PlainServer) -> AsyncOpenAI:
    """The SDK, which validates every field of an answer."""
    # It takes a second to import, and each process collects this module.
    from openai import AsyncOpenAI

    return AsyncOpenAI(
        base_url=f"{server.base}/v1",
        api_key="secret-key-1234",
        max_retries=0,
        _strict_response_validation=True,
    )


async def test_our_servers_answers_pass() -> None:
    async with serving(ANSWER) as server, client(server) as sdk:
        stream = await sdk.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "hi"}], stream=True
        )
        chunks = [chunk async for chunk in stream]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert text == "Hello"
    assert chunks[-1].choices[0].finish_reason == "stop"


async def test_we_send_what_the_sdk_sends() -> None:
    """The same path, key and body, for all that an edit or a review asks."""
    async with serving(ANSWER) as server:
        async with client(server) as sdk:
            stream = await sdk.chat.completions.create(
                model="m",
                messages=[
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "hi"},
                ],
                stream=True,
                stream_options={"include_usage": True},
                max_completion_tokens=16_000,
                reasoning_effort="low",
                prompt_cache_key="workspace",
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": "f", "strict": True, "schema": SCHEMA},
                },
            )
            assert [chunk async for chunk in stream]
        settings = ModelSettings(
            provider="openai",
            api="chat-completions",
            url=f"{server.base}/v1/chat/completions",
            name="m",
            effort="low",
            key=KeySource(env="KEY"),
        )
        environ = {"KEY": "secret-key-1234"}
        model = build_model("m", settings, LimitSettings(), environ=environ)
        request = GenerationRequest(
            prompt=request_for("hi").prompt,
            cache_key="workspace",
            text_format=JsonSchema(name="f", schema=SCHEMA),
        )
        async with model.start(request) as generation:
            _ = [event async for event in generation]
        await model.aclose()
    theirs, ours = (seen(server, number) for number in (0, 1))
    assert ours == theirs


def seen(server: PlainServer, number: int) -> tuple[str, str, Any]:
    """What a request asked: line, key, body."""
    asked = server.asked[number]
    return asked.line, asked.headers["authorization"], json.loads(asked.body)
