"""Redline's own client of a team's gateway: what a user of an editor gets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from msgspec.structs import replace
from tests.gateway.conftest import Gateway
from tests.gateway.test_upstream import CHAT, PNG
from tests.gateway.test_users import bearer, upstream
from tests.models.plain_server import Act, PlainServer, serving
from tests.models.reader import ask, request_for

from redline.errors import (
    AuthenticationError,
    ModelError,
    ModelRejectedError,
    ModelServerError,
    PromptTooLongError,
    RateLimitedError,
)
from redline.gateway.engines.upstream import UpstreamEngine
from redline.gateway.limits.accounts import Accounts, UserSettings, key_sha256
from redline.gateway.limits.turns import Turns
from redline.models.build import build_model
from redline.models.interface import Finish, GenerationRequest, Model
from redline.prompts.message import ChatMessage, JsonSchema, Prompt, PromptImage
from redline.settings.providers import provider_named
from redline.wire.events import TaskKind

Start = Callable[..., Awaitable[Gateway]]


def client_of(gateway: Gateway, *, key: str = "ada") -> Model:
    """Build a user's model of a gateway from its address alone."""
    provider = provider_named("redline-gateway")
    assert provider is not None
    settings = provider.settings(
        "coder", env=None, url=f"http://127.0.0.1:{gateway.port}", vision=True
    )
    return build_model("team", settings, environ={"REDLINE_GATEWAY_KEY": key})


@pytest.fixture
async def connect(start: Start) -> AsyncIterator[Callable[..., Awaitable[Model]]]:
    """Build a client's model of a gateway in front of a server."""
    engines: list[UpstreamEngine] = []
    models: list[Model] = []

    async def connect_one(
        server: PlainServer, *, key: str = "ada", **limits: Any
    ) -> Model:
        ada = UserSettings(name="ada", key_sha256=key_sha256("ada"), **limits)
        engines.append(UpstreamEngine([upstream("coder", server)]))
        gateway = await start(engines[-1], accounts=Accounts([ada]), can_steer=False)
        models.append(client_of(gateway, key=key))
        return models[-1]

    yield connect_one
    for model in models:
        await model.aclose()
    for engine in engines:
        await engine.aclose()


async def test_answers_and_their_usage(connect: Any) -> None:
    """Several at once, on the lanes of one socket."""
    async with serving(Act(pieces=CHAT.answer)) as server:
        model = await connect(server)
        readings = await asyncio.gather(*(ask(model) for _ in range(4)))
    assert [reading.text for reading in readings] == ["Hello"] * 4
    assert {reading.reason for reading in readings} == {"completed"}


async def test_a_schema_reaches_the_model(connect: Any) -> None:
    form = JsonSchema(name="findings", schema={"type": "object"})
    request = GenerationRequest(prompt=request_for("hi").prompt, text_format=form)
    async with serving(Act(pieces=CHAT.answer)) as server:
        model = await connect(server)
        async with model.start(request) as generation:
            async for _ in generation:
                continue
    (asked,) = server.asked
    sent = json.loads(asked.body)["response_format"]["json_schema"]
    assert (sent["name"], sent["schema"]) == ("findings", {"type": "object"})


async def test_a_stop_reaches_the_model(connect: Any) -> None:
    async with serving(Act(pieces=CHAT.answer[:1], then="hold")) as server:
        model = await connect(server)
        async with model.start(request_for("hi")) as generation:
            async for _ in generation:
                break
            generation.stop()
        async with asyncio.timeout(60):
            await server.gone.wait()


FAILURES = [
    (Act(status=500), ModelServerError, "coder"),
    (Act(status=401), ModelServerError, "refused the key"),
    (Act(pieces=(CHAT.error,)), ModelServerError, "Out of luck."),
    (
        Act(status=429, pieces=(b'{"error":{"message":"Slow down."}}',)),
        RateLimitedError,
        "Slow down.",
    ),
    (
        Act(status=400, pieces=(b'{"error":{"message":"Out of luck."}}',)),
        ModelRejectedError,
        "Out of luck.",
    ),
    (
        Act(
            status=400,
            pieces=(
                b'{"error":{"message":"This model\'s maximum context length is 8192'
                b' tokens.","code":"context_length_exceeded"}}',
            ),
        ),
        PromptTooLongError,
        "8192",
    ),
]


@pytest.mark.parametrize(("act", "kind", "words"), FAILURES)
async def test_failures_of_the_upstream(
    connect: Any, act: Act, kind: type[ModelError], words: str
) -> None:
    """Each with the upstream's own words, and as what it is."""
    async with serving(act) as server:
        reading = await ask(await connect(server))
    assert type(reading.error) is kind
    assert words in str(reading.error)


async def test_a_limit_of_the_user(connect: Any) -> None:
    async with serving(Act(pieces=CHAT.answer)) as server:
        model = await connect(server, tokens_per_day=1)
        assert (await ask(model)).text == "Hello"
        reading = await ask(model)
    assert type(reading.error) is RateLimitedError
    assert "Your limit of 1 tokens per day is used up" in str(reading.error)


async def test_a_wrong_key(connect: Any) -> None:
    async with serving(Act(pieces=CHAT.answer)) as server:
        reading = await ask(await connect(server, key="eve"))
        assert not server.asked
    assert type(reading.error) is AuthenticationError


async def test_an_image_for_a_model_that_reads_none(connect: Any) -> None:
    """The gateway knows it, and says what to do."""
    image = PromptImage(media_type="image/png", data=PNG)
    message = ChatMessage(role="user", text="this", images=(image,))
    request = GenerationRequest(
        prompt=Prompt(instructions="", chat_messages=(message,))
    )
    async with serving(Act(pieces=CHAT.answer)) as server:
        model = await connect(server)
        async with model.start(request) as generation:
            events = [event async for event in generation]
    assert "does not read images" in str(events[-1].error)


async def test_edits_come_before_completions_before_reviews(start: Start) -> None:
    """By what the client says of each request, in whatever order they came."""
    kinds: list[TaskKind] = ["review", "completion", "edit"]
    held = Act(pieces=CHAT.answer[:1], then="hold")
    async with serving(held, Act(pieces=CHAT.answer)) as server:
        engine = UpstreamEngine([upstream("coder", server)])
        ada = UserSettings(name="ada", key_sha256=key_sha256("ada"))
        gateway = await start(
            engine,
            accounts=Accounts([ada]),
            turns=Turns(lambda _: 1, queue_s=600.0),
            can_steer=False,
        )
        model = client_of(gateway)
        blocker = await gateway.client(**bearer("ada"))
        await blocker.create(model="coder")
        await blocker.until("response.output_text.delta")
        async with AsyncExitStack() as stack:
            generations = []
            for n_before, kind in enumerate(kinds, start=1):
                request = replace(request_for(f"This is: {kind}."), kind=kind)
                generations.append(
                    await stack.enter_async_context(model.start(request))
                )
                await gateway.saw("create", n=n_before + 1)
            blocker.socket.transport.abort()
            for generation in generations:
                events = [event async for event in generation]
                assert isinstance(events[-1], Finish)
                assert events[-1].reason == "completed"
        await model.aclose()
        await engine.aclose()
    asked = [
        next(kind for kind in kinds if f"This is: {kind}.".encode() in asked.body)
        for asked in server.asked[1:]
    ]
    assert asked == ["edit", "completion", "review"]
