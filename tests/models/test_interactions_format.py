"""Gemini's interactions: a long answer survives cuts, restarts and stops."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from tests.models.interaction_server import INTERACTION_ID, InteractionServer
from tests.models.model_server import Event
from tests.models.reader import Reading, read, request_for

from redline.errors import RemoteProtocolError, ResponseLostError
from redline.models.build import build_model
from redline.models.formats.interactions_format import (
    API_REVISION,
    InteractionEvents,
    read_interaction,
)
from redline.models.interface import (
    FinishReason,
    GenerationRequest,
    Model,
    ResumeRequest,
    Usage,
)
from redline.prompts.answer_schema import verdict_schema
from redline.settings.tree import LimitSettings, ModelSettings

TEXT = "Hello, you"

USAGE = {
    "total_input_tokens": 812,
    "total_cached_tokens": 8,
    "total_output_tokens": 41,
    "total_thought_tokens": 120,
    "total_tokens": 973,
}


def end(status: str, **more: Any) -> Event:
    """Write the last event."""
    interaction = {"id": INTERACTION_ID, "status": status, **more}
    return {"event_type": "interaction.completed", "interaction": interaction}


def said(text: str) -> Event:
    """Write a piece of the answer."""
    delta = {"type": "text", "text": text}
    return {"event_type": "step.delta", "index": 1, "delta": delta}


CREATED: Event = {
    "event_type": "interaction.created",
    "interaction": {"id": INTERACTION_ID, "status": "in_progress"},
}
THOUGHT: Event = {
    "event_type": "step.delta",
    "index": 0,
    "delta": {
        "type": "thought_summary",
        "content": {"type": "text", "text": "First .."},
    },
}
HELLO = [
    CREATED,
    {"event_type": "step.start", "index": 0, "step": {"type": "thought"}},
    THOUGHT,
    {"event_type": "step.stop", "index": 0},
    {"event_type": "step.start", "index": 1, "step": {"type": "model_output"}},
    *(said("Hel"), said("lo"), said(", you")),
    {"event_type": "step.stop", "index": 1},
    end("completed", usage=USAGE),
]

Build = Callable[..., Model]


@pytest.fixture
async def server() -> AsyncIterator[InteractionServer]:
    """A server that stores the whole answer."""
    kept = InteractionServer(events=list(HELLO), status="completed")
    await kept.listen()
    yield kept
    await kept.aclose()
    this = asyncio.current_task()
    assert not {task for task in asyncio.all_tasks() if task is not this}
    gc.collect(1)


@pytest.fixture
async def build(server: InteractionServer) -> AsyncIterator[Build]:
    """Build models of the server: of one process, and of the next."""
    models: list[Model] = []

    def start(**more: Any) -> Model:
        fields: dict[str, Any] = {"api": "gemini", "name": "g", "background": True}
        settings = ModelSettings(**{**fields, "url": server.url, **more})
        model = build_model("deep", settings, LimitSettings(), environ={})
        models.append(model)
        return model

    yield start
    for model in models:
        await model.aclose()


async def ask(model: Model, **more: Any) -> Reading:
    """Run one generation in the background to its end."""
    prompt = request_for("hi").prompt
    request = GenerationRequest(prompt=prompt, background=True, **more)
    async with asyncio.timeout(60), model.start(request) as generation:
        return await read(generation)


async def test_a_review_is_asked_for_in_the_background(
    server: InteractionServer, build: Build
) -> None:
    """The request says so, and names the form of the answer."""
    reading = await ask(build(effort="high"), text_format=verdict_schema())
    assert (reading.text, reading.reasoning) == (TEXT, "First ..")
    assert reading.finish is not None
    assert reading.finish.reason == "completed"
    assert reading.finish.response_id == INTERACTION_ID
    assert reading.finish.usage == Usage(
        input_n_tokens=812,
        cached_n_tokens=8,
        output_n_tokens=161,
        reasoning_n_tokens=120,
    )
    (call,) = server.calls
    assert (call.method, call.path) == ("POST", "/v1beta/interactions")
    assert call.body == {
        "model": "g",
        "input": [{"type": "user_input", "content": [{"type": "text", "text": "hi"}]}],
        "system_instruction": "Be brief.",
        "generation_config": {
            "max_output_tokens": 16_000,
            "thinking_level": "high",
            "thinking_summaries": "auto",
        },
        "response_format": {
            "type": "text",
            "mime_type": "application/json",
            "schema": verdict_schema().schema,
        },
        "stream": True,
        "background": True,
        "store": True,
    }


@pytest.mark.parametrize("n_events", range(1, len(HELLO)))
async def test_a_cut_stream_is_resumed_after_its_last_event(
    server: InteractionServer, build: Build, n_events: int
) -> None:
    """At every event: nothing is lost or doubled, and it is not asked for twice."""
    server.cuts = [n_events]
    server.status = "in_progress"
    model = build()
    request = GenerationRequest(prompt=request_for("hi").prompt, background=True)
    async with asyncio.timeout(60), model.start(request) as generation:
        reading = await read(generation)
    assert (reading.text, reading.n_restarts) == (TEXT, 0)
    assert [call.name for call in server.calls] == ["create", "poll", "stream"]
    assert {call.headers.get("api-revision") for call in server.calls} == {API_REVISION}
    after = server.named("stream")[0].query.get("last_event_id")
    translated = [i for i in range(n_events) if HELLO[i] in (CREATED, THOUGHT)]
    texts = [i for i in range(n_events) if HELLO[i].get("delta", {}).get("text")]
    assert after == f"e{max([*translated, *texts])}"


async def test_an_answer_that_ended_meanwhile_is_fetched(
    server: InteractionServer, build: Build
) -> None:
    """Its steps hold the rest of the text."""
    server.cuts = [6]
    reading = await ask(build())
    assert (reading.text, reading.reason) == (TEXT, "completed")
    assert [call.name for call in server.calls] == ["create", "poll"]


async def test_a_later_process_reads_the_answer_again(
    server: InteractionServer, build: Build
) -> None:
    """Ids of events are not stored, so what the reader has is void."""
    server.status = "in_progress"
    request = ResumeRequest(response_id=INTERACTION_ID, starting_after=5, text="Hel")
    async with asyncio.timeout(60), build().resume(request) as generation:
        reading = await read(generation)
    assert (reading.text, reading.reason) == (TEXT, "completed")
    assert reading.n_restarts == 1
    assert server.named("stream")[0].query == {"stream": "true"}


async def test_a_stop_cancels_the_interaction(
    server: InteractionServer, build: Build
) -> None:
    """Else it would go on, and be paid for."""
    server.events = HELLO[:6]
    server.status = "in_progress"
    request = GenerationRequest(prompt=request_for("hi").prompt, background=True)
    async with build().start(request) as generation:
        events = aiter(generation)
        await anext(events)
        generation.stop()
        await server.until(lambda each: bool(each.named("cancel")))
    (call,) = server.named("cancel")
    assert call.headers["api-revision"] == API_REVISION
    assert call.path == f"/v1beta/interactions/{INTERACTION_ID}/cancel"


async def test_a_cancelled_interaction_is_stopped(
    server: InteractionServer, build: Build
) -> None:
    """By another program, or another window."""
    server.events = [*HELLO[:6], end("cancelled")]
    server.status = "cancelled"
    reading = await ask(build())
    assert reading.reason == "stopped"


async def test_a_lost_interaction_is_reported(
    server: InteractionServer, build: Build
) -> None:
    """The caller must ask again."""
    server.refusals["poll"] = [(404, {}, b'{"error": {"code": 404}}')]
    request = ResumeRequest(response_id=INTERACTION_ID)
    async with asyncio.timeout(60), build().resume(request) as generation:
        reading = await read(generation)
    assert isinstance(reading.error, ResponseLostError)


async def test_an_ended_interaction_is_deleted(
    server: InteractionServer, build: Build
) -> None:
    """It holds the code of the user."""
    await build().forget(INTERACTION_ID)
    (call,) = server.named("delete")
    assert call.headers["api-revision"] == API_REVISION
    assert call.path == f"/v1beta/interactions/{INTERACTION_ID}"


@pytest.mark.parametrize(
    ("status", "finish"),
    [
        ("completed", "completed"),
        ("incomplete", "length"),
        ("budget_exceeded", "length"),
        ("requires_continuation", "length"),
        ("a_new_status", "length"),
        ("failed", "failed"),
    ],
)
async def test_only_completed_is_a_whole_answer(
    server: InteractionServer, build: Build, status: str, finish: FinishReason
) -> None:
    """One event ends them all; its status decides."""
    fault = {"code": "internal", "message": "It broke."}
    server.events[-1] = end(status, errors=[fault])
    reading = await ask(build())
    assert reading.reason == finish
    if finish == "failed":
        assert "It broke." in str(reading.error)


async def test_a_model_of_another_api_has_no_stored_answer(build: Build) -> None:
    """As after a change of the settings while a review runs."""
    model = build(api="anthropic", url="http://127.0.0.1:1/v1/messages")
    assert not model.describe().keeps_background
    request = ResumeRequest(response_id=INTERACTION_ID)
    async with asyncio.timeout(60), model.resume(request) as generation:
        reading = await read(generation)
    assert isinstance(reading.error, ResponseLostError)


@pytest.mark.parametrize("data", [b"[]", b"{", b'{"event_type": 5}'])
def test_what_is_no_event_is_refused(data: bytes) -> None:
    """So is what is no interaction."""
    with pytest.raises(RemoteProtocolError):
        InteractionEvents().decode(data)
    with pytest.raises(RemoteProtocolError):
        read_interaction(data)


def test_an_event_that_comes_again_has_its_number() -> None:
    """By which a reader skips it."""
    decoder = InteractionEvents()
    data = [json.dumps({**said("a"), "event_id": each}).encode() for each in "xyx"]
    numbers = [decoder.decode(each)[0].sequence_number for each in data]
    assert numbers == [1, 2, 1]
    assert decoder.id_of(2) == "y"
    assert decoder.id_of(3) is None


def test_the_end_mark_is_no_event() -> None:
    """Some servers add it."""
    assert InteractionEvents().decode(b"[DONE]") == ()
