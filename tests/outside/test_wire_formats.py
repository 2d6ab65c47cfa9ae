"""Our wire formats against llama.cpp's own server and aimock, which others wrote."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.models.reader import Reading, read, request_for
from tests.outside.conftest import Aimock, Llama, StartLlama, fetched
from tests.outside.programs import CLIENTS

from redline.cli.doctor.diagnosis import diagnose
from redline.errors import (
    ModelServerError,
    PromptTooLongError,
    RateLimitedError,
)
from redline.models.build import build_model
from redline.models.interface import GenerationRequest, Model
from redline.models.offer import list_offered
from redline.prompts.answer_schema import findings_schema
from redline.prompts.message import CodeGap, JsonSchema, NearbyText, Prompt
from redline.settings.tree import LimitSettings, ModelSettings

Build = Callable[..., Model]

ANSWERS = CLIENTS / "llama_answers.json"
SAID = json.loads(ANSWERS.read_text())


@pytest.fixture
async def build() -> AsyncIterator[Build]:
    """Build models; they are closed afterwards."""
    models: list[Model] = []

    def start(**given: Any) -> Model:
        settings = ModelSettings(**{"name": "m", **given})
        model = build_model("judged", settings, LimitSettings(), environ={})
        models.append(model)
        return model

    yield start
    for model in models:
        await model.aclose()


async def ask(model: Model, text: str, **more: Any) -> Reading:
    """Run one generation to its end."""
    request = GenerationRequest(prompt=request_for(text).prompt, **more)
    async with asyncio.timeout(90), model.start(request) as generation:
        return await read(generation)


# The real engine.


@pytest.fixture
async def llama(start_llama: StartLlama) -> Llama:
    """Start llama-server."""
    return await start_llama(ANSWERS)


WIRES: dict[Any, str] = {
    "anthropic": "/v1/messages",
    "chat-completions": "/v1/chat/completions",
}


@pytest.mark.parametrize("api", WIRES)
async def test_llama_server_answers(llama: Llama, build: Build, api: Any) -> None:
    """Word for word, with its counts, and a cut answer is called one."""
    url = llama.address + WIRES[api]
    reading = await ask(build(api=api, url=url), "add a docstring")
    assert reading.text == SAID["texts"][0]["say"]
    assert reading.reason == "completed"
    assert reading.finish is not None
    assert reading.finish.usage is not None
    assert reading.finish.usage.output_n_tokens > 1
    short = build(api=api, url=url, max_output_tokens=16)
    assert (await ask(short, "annotate")).reason == "length"


async def test_llama_servers_cut_response_is_called_cut(
    llama: Llama, build: Build
) -> None:
    """Although the server says `completed`."""
    url = f"{llama.address}/v1/responses"
    short = build(api="responses-http", url=url, max_output_tokens=16)
    assert (await ask(short, "annotate")).reason == "length"


async def test_llama_server_keeps_a_schema(llama: Llama, build: Build) -> None:
    """Over chat completions, which it enforces by a grammar."""
    model = build(api="chat-completions", url=f"{llama.address}/v1/chat/completions")
    schema = JsonSchema(name="number", schema={"type": "integer"})
    reading = await ask(model, "add a docstring", text_format=schema)
    assert reading.text.strip().lstrip("-").isdigit()


async def test_the_doctor_tries_llama_server(llama: Llama, tmp_path: Path) -> None:
    """By the name and with the window that its list has; one real request."""
    url = f"{llama.address}/v1/chat/completions"
    settings = ModelSettings(api="chat-completions", url=url, name="-")
    offered = await list_offered("m", settings, LimitSettings(), environ={})
    assert offered is not None
    (first, *_) = offered.models
    assert first.context_tokens == 16_384
    config = tmp_path / "config.toml"
    config.write_text(
        f"[models.m]\nprovider = 'llama-server'\nurl = '{url}'\nname = '{first.name}'\n"
    )
    report = await diagnose(config=config, workspace=tmp_path, environ={}, tries=True)
    (model,) = report.models
    assert model.tried.startswith("completed: first text after ")
    assert model.provider == "llama-server"


@pytest.mark.parametrize("api", WIRES)
async def test_llama_server_says_that_a_prompt_is_too_long(
    llama: Llama, build: Build, api: Any
) -> None:
    """The sentence has its numbers, and the model has learnt its window."""
    model = build(api=api, url=llama.address + WIRES[api])
    error = (await ask(model, "x " * 10_000)).error
    assert isinstance(error, PromptTooLongError)
    assert "exceeds the available context size" in str(error)
    assert model.describe().context_tokens == 16_384


async def test_llama_server_fills_in_the_middle(llama: Llama, build: Build) -> None:
    """With text of another file before it."""
    gap = CodeGap(
        prefix="def add(left, right):\n    ",
        suffix="\n",
        path="a.py",
        nearby=(NearbyText(path="b.py", text="x = 1\n"),),
    )
    prompt = Prompt(instructions="", chat_messages=(), gap=gap)
    model = build(api="fim", url=f"{llama.address}/infill")
    request = GenerationRequest(prompt=prompt, max_output_tokens=160)
    async with asyncio.timeout(90), model.start(request) as generation:
        reading = await read(generation)
    assert (reading.text, reading.reason) == (SAID["fim"], "completed")
    assert reading.finish is not None
    assert reading.finish.usage is not None
    assert reading.finish.usage.input_n_tokens > len(gap.prefix)


@pytest.mark.parametrize("api", WIRES)
async def test_llama_server_stops_when_we_leave(
    llama: Llama, build: Build, api: Any
) -> None:
    """Its slot is free again, although the answer would go on."""
    model = build(api=api, url=llama.address + WIRES[api])
    request = GenerationRequest(prompt=request_for("docstring").prompt)
    async with asyncio.timeout(90), model.start(request) as generation:
        await anext(aiter(generation))
        generation.stop()
    async with asyncio.timeout(60):
        while await llama.busy_slots():
            await asyncio.to_thread(fetched, f"{llama.address}/health")


# The stand-in of the hosted providers.


FIXTURES: list[dict[str, Any]] = [
    {
        "match": {"userMessage": "think"},
        "response": {
            "content": "def add(a, b):\n    return a + b\n",
            "reasoning": "First consider the types.",
        },
    },
    {
        "match": {"userMessage": "review"},
        "response": {"content": '{"findings": []}'},
    },
    {
        "match": {"userMessage": "overloaded"},
        "response": {
            "error": {"message": "Overloaded", "type": "overloaded_error"},
            "status": 529,
        },
    },
    {
        "match": {"userMessage": "too fast"},
        "response": {
            "error": {"message": "Slow down", "type": "rate_limit_error"},
            "status": 429,
        },
    },
]

PATHS = {
    "anthropic": "/v1/messages",
    "gemini": "/v1beta",
    "ollama": "",
    "chat-completions": "/v1/chat/completions",
}


@pytest.fixture
async def address(aimock: Aimock) -> str:
    """Start aimock; return its address."""
    url = await aimock(FIXTURES)
    return url.replace("ws", "http", 1).removesuffix("/v1/responses")


@pytest.mark.parametrize("api", PATHS)
async def test_aimock_streams_thinking_and_text(
    address: str, build: Build, api: Any
) -> None:
    """Each wire gives the same answer."""
    model = build(api=api, url=address + PATHS[api], name="claude-opus-5-5")
    reading = await ask(model, "think")
    assert reading.text == "def add(a, b):\n    return a + b\n"
    assert reading.reason == "completed"
    if api != "ollama":  # Its thinking has a wrong name here.
        assert reading.reasoning == "First consider the types."


async def test_aimock_answers_an_interaction(address: str, build: Build) -> None:
    """The deep tier of a review with Gemini, with the form of the answer."""
    model = build(
        api="gemini", url=f"{address}/v1beta", name="gemini-4-argon", background=True
    )
    reading = await ask(model, "review", background=True, text_format=findings_schema())
    assert (reading.text, reading.reason) == ('{"findings": []}', "completed")


@pytest.mark.parametrize("api", PATHS)
@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("overloaded", ModelServerError, "Overloaded"),
        ("too fast", RateLimitedError, "Slow down"),
    ],
)
async def test_aimock_refuses_in_the_words_of_each_provider(
    address: str, build: Build, api: Any, text: str, kind: type[Exception], said: str
) -> None:
    """The user reads the provider's sentence."""
    error = (await ask(build(api=api, url=address + PATHS[api]), text)).error
    assert isinstance(error, kind)
    assert said in str(error)
