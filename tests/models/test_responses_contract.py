"""The contract of every model with Responses events, over any carrier."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.models.model_server import (
    Event,
    Reply,
    Script,
    answer_events,
)
from tests.models.reader import (
    Build,
    Reading,
    Serve,
    ask,
    read,
    request_for,
    rotated_key,
    until,
)

from redline.errors import (
    AccessRefusedError,
    AuthenticationError,
    KeyMissingError,
    ModelCutError,
    ModelError,
    ModelRejectedError,
    ModelServerError,
    ModelStalledError,
    ModelUnavailableError,
    RateLimitedError,
)
from redline.models.generations.generation import MAX_ANSWER_CHARS
from redline.models.interface import Delta, Finish, Usage
from redline.prompts.edit import EditTask
from redline.prompts.message import JsonSchema
from redline.prompts.task_data import decode_task
from redline.settings.tree import Api, KeySource

pytestmark = pytest.mark.parametrize("api", ["responses-socket", "responses-http"])

HELLO = answer_events("resp_x", ["Hel", "lo"])
FIRST_DELTA = next(i for i, e in enumerate(HELLO) if e["type"].endswith("text.delta"))


def say(*events: Event) -> Script:
    """Write a script that sends these events to every request."""

    async def script(reply: Reply) -> None:
        reply.send(*events)

    return script


async def _silence(reply: Reply) -> None:
    await reply.gone.wait()


def delta(text: str, *, kind: str = "output_text") -> Event:
    """Write a delta event as tolerant peers send it: nothing but the text."""
    return {"type": f"response.{kind}.delta", "delta": text}


def done(status: str = "completed", **response: Any) -> Event:
    """Write a terminal event."""
    return {"type": f"response.{status}", "response": {"id": "r", **response}}


def message(*parts: Event) -> Event:
    """Write a message item."""
    return {"type": "message", "role": "assistant", "content": list(parts)}


TASK = EditTask(
    instruction="rename", path="a.py", language="python", before="", target="", after=""
)


async def test_the_task_as_data_stays_here(
    serve: Serve, build: Build, api: Api
) -> None:
    """It is for Redline's own rules engine; no other server is sent it."""
    seen: list[Event] = []

    async def script(reply: Reply) -> None:
        seen.append(reply.create)
        reply.answer("ok")

    server = await serve(script)
    request = replace(request_for("hi"), task=TASK)
    for more in ({}, {"task_data": True}):
        async with build(server, api=api, **more).start(request) as generation:
            assert (await read(generation)).text == "ok"
    assert "redline_task" not in seen[0]
    assert decode_task(json.dumps(seen[1]["redline_task"]).encode()) == TASK


# Answers.


async def test_answer_arrives_whole(serve: Serve, build: Build, api: Api) -> None:
    """Deltas add up to the answer, and the finish carries id and usage."""
    server = await serve()
    reading = await ask(build(server, api=api))
    assert reading.text == "Hello"
    assert reading.finish == Finish(
        reason="completed",
        response_id="resp_1",
        usage=Usage(
            input_n_tokens=12,
            cached_n_tokens=8,
            output_n_tokens=3,
            reasoning_n_tokens=1,
        ),
    )


@pytest.mark.parametrize("count", [2**80, 2**64, -1, 1.5, "12", None])
async def test_counts_that_cannot_be_meant_are_left_out(
    serve: Serve, build: Build, api: Api, count: object
) -> None:
    """They cost nothing else of the answer."""

    async def script(reply: Reply) -> None:
        reply.send(delta("a"), done(usage={"input_tokens": 5, "output_tokens": count}))

    reading = await ask(build(await serve(script), api=api))
    assert reading.text == "a"
    assert reading.finish == Finish(reason="completed", response_id="r")


async def test_request_says_what_is_asked(serve: Serve, build: Build, api: Api) -> None:
    """The request is the flat event of the protocol, nothing stored, no padding."""
    server = await serve()
    model = build(
        server, api=api, effort="none", service_tier="ultrafast", max_output_tokens=99
    )
    await ask(model, "one", "two", "three")
    create = dict(server.replies[0].create)
    if api == "responses-socket":
        assert create.pop("type") == "response.create"
        assert create.pop("stream_id")
    else:
        assert create.pop("stream") is True
    assert create == {
        "model": "m",
        "instructions": "Be brief.",
        "input": [
            {"type": "message", "role": "user", "content": "one"},
            {"type": "message", "role": "assistant", "content": "two"},
            {"type": "message", "role": "user", "content": "three"},
        ],
        "store": False,
        "reasoning": {"effort": "none"},
        "max_output_tokens": 99,
        "service_tier": "ultrafast",
        "prompt_cache_key": "workspace",
        "stream_options": {"include_obfuscation": False},
    }


ANSWERS: dict[str, tuple[list[Event], Reading]] = {
    "nothing but deltas": (
        [delta("a"), delta("b"), done()],
        Reading(text="ab"),
    ),
    "no created, output only at the end": (
        [done(output=[message({"type": "output_text", "text": "ab"})])],
        Reading(text="ab"),
    ),
    "done only": (
        [{"type": "response.output_text.done", "text": "ab"}, done()],
        Reading(text="ab"),
    ),
    "the last delta is missing": (
        [*HELLO[: FIRST_DELTA + 1], *HELLO[FIRST_DELTA + 2 :]],
        Reading(text="Hello"),
    ),
    "the end contradicts the deltas": (
        [delta("axx"), done(output=[message({"type": "output_text", "text": "ab"})])],
        Reading(text="ab", n_restarts=1),
    ),
    "events of unknown types, and fields of odd ones": (
        [
            {"type": "ping"},
            delta("a"),
            {"type": "codex.rate_limits", "delta": "x", "response": 7, "text": []},
            {"type": "response.brand_new.delta", "delta": "x"},
            {**delta("b"), "logprobs": None, "sequence_number": None},
            done(usage=None, output=[]),
        ],
        Reading(text="ab"),
    ),
    "reasoning, of both kinds": (
        [
            delta("th", kind="reasoning_text"),
            delta("ink", kind="reasoning_summary_text"),
            delta("a"),
            done(),
        ],
        Reading(text="a", reasoning="think"),
    ),
    "commentary is not part of the answer": (
        [
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": {"type": "message", "phase": "commentary"},
            },
            {**delta("working"), "output_index": 0},
            {**delta("a"), "output_index": 1},
            done(
                output=[
                    {
                        **message({"type": "output_text", "text": "working"}),
                        "phase": "commentary",
                    },
                    message({"type": "output_text", "text": "a"}),
                ]
            ),
        ],
        Reading(text="a", reasoning="working"),
    ),
    "two items, two parts": (
        [
            {**delta("a"), "output_index": 0, "content_index": 0},
            {**delta("b"), "output_index": 0, "content_index": 1},
            {**delta("c"), "output_index": 2, "content_index": 0},
            {
                "type": "response.output_item.done",
                "output_index": 2,
                "item": message({"type": "output_text", "text": "cd"}),
            },
            done(),
        ],
        Reading(text="abcd"),
    ),
    "parts that say nowhere where they belong": (
        [
            delta("a"),
            {
                "type": "response.output_item.done",
                "item": message({"type": "output_text", "text": "ab"}),
            },
            {"type": "response.output_text.done", "text": "something else"},
            done(),
        ],
        Reading(text="ab"),
    ),
    "commentary known only when it is done": (
        [
            {
                "type": "response.output_item.done",
                "output_index": 0,
                "item": {
                    **message({"type": "output_text", "text": "working"}),
                    "phase": "commentary",
                },
            },
            {
                "type": "response.output_item.done",
                "output_index": 1,
                "item": message(
                    {"type": "output_text", "text": "a"},
                    {"type": "brand_new", "text": "x"},
                    {"type": "output_text", "text": "b"},
                ),
            },
            done(),
        ],
        Reading(text="ab"),
    ),
    "an earlier part is corrected late": (
        [
            {**delta("a"), "output_index": 0, "content_index": 0},
            {**delta("b"), "output_index": 1, "content_index": 0},
            {
                "type": "response.output_text.done",
                "output_index": 0,
                "content_index": 0,
                "text": "A",
            },
            done(),
        ],
        Reading(text="Ab", n_restarts=1),
    ),
    "the output limit": (
        [
            delta("a"),
            done("incomplete", incomplete_details={"reason": "max_output_tokens"}),
        ],
        Reading(text="a", finish=Finish(reason="length")),
    ),
    "the content filter": (
        [
            delta("a"),
            done("incomplete", incomplete_details={"reason": "content_filter"}),
        ],
        Reading(text="a", finish=Finish(reason="filtered")),
    ),
    "a refusal": (
        [delta("No", kind="refusal"), delta(".", kind="refusal"), done()],
        Reading(refusal="No.", finish=Finish(reason="filtered")),
    ),
    "a refusal without deltas": (
        [{"type": "response.refusal.done", "refusal": "No."}, done()],
        Reading(refusal="No.", finish=Finish(reason="filtered")),
    ),
    "a refusal in the last event only": (
        [done(output=[message({"type": "refusal", "refusal": "No."})])],
        Reading(refusal="No.", finish=Finish(reason="filtered")),
    ),
}


@pytest.mark.parametrize("case", ANSWERS)
async def test_any_form_of_answer_is_read(
    serve: Serve, build: Build, api: Api, case: str
) -> None:
    """The reader ends with the provider's text, in every form of the events."""
    events, expected = ANSWERS[case]
    server = await serve(say(*events))
    reading = await ask(build(server, api=api))
    wanted = expected.finish.reason if expected.finish else "completed"
    assert reading.reason == wanted
    reading.finish = expected.finish
    # A reader that was busy never sees what a restart voids.
    reading.n_restarts = min(reading.n_restarts, 1)
    assert reading == expected


FORM = JsonSchema(
    name="findings", schema={"type": "object", "additionalProperties": False}
)


async def test_form_of_the_answer(serve: Serve, build: Build, api: Api) -> None:
    """The schema is asked for, strictly."""
    server = await serve()
    request = replace(request_for("hi"), text_format=FORM)
    async with build(server, api=api).start(request) as generation:
        await read(generation)
    assert server.replies[0].create["text"] == {
        "format": {
            "type": "json_schema",
            "name": "findings",
            "schema": {"type": "object", "additionalProperties": False},
            "strict": True,
        }
    }


async def test_form_that_the_server_refuses(
    serve: Serve, build: Build, api: Api
) -> None:
    """A server that does not support it is asked again without it, once."""

    async def script(reply: Reply) -> None:
        if "text" in reply.create:
            error = {"message": "Unknown parameter.", "param": "text.format"}
            reply.send({"type": "error", "status": 400, "error": error})
        else:
            reply.answer("Hel", "lo")

    server = await serve(script)
    request = replace(request_for("hi"), text_format=FORM)
    async with build(server, api=api).start(request) as generation:
        reading = await read(generation)
    assert (reading.text, reading.reason) == ("Hello", "completed")
    assert len(server.replies) == 2


async def test_refusal_of_something_else(serve: Serve, build: Build, api: Api) -> None:
    """Only a refusal of the format is a reason to omit it."""

    async def script(reply: Reply) -> None:
        error = {"message": "Too long.", "param": "input"}
        reply.send({"type": "error", "status": 400, "error": error})

    server = await serve(script)
    request = replace(request_for("hi"), text_format=FORM)
    async with build(server, api=api).start(request) as generation:
        reading = await read(generation)
    assert type(reading.error) is ModelRejectedError
    assert len(server.replies) == 1


async def test_patience_of_one_request(serve: Serve, build: Build, api: Api) -> None:
    """A request may wait for less, or for more, than the settings say."""
    server = await serve(_silence)
    request = replace(request_for("hi"), first_delta_s=0.05)
    async with build(server, api=api).start(request) as generation:
        assert type((await read(generation)).error) is ModelStalledError


# Failures.


FAILURES: dict[str, tuple[Event, type[ModelError], dict[str, Any]]] = {
    "nested, as the socket's": (
        {
            "type": "error",
            "status": 400,
            "error": {
                "type": "invalid_request_error",
                "code": "unsupported_parameter",
                "message": "Unsupported parameter: 'reasoning.summary'.",
                "param": "reasoning.summary",
            },
        },
        ModelRejectedError,
        {"status": 400, "code": "unsupported_parameter"},
    ),
    "flat, as HTTP streaming's": (
        {
            "type": "error",
            "code": "rate_limit_exceeded",
            "message": "Slow down.",
            "param": None,
            "sequence_number": 3,
        },
        RateLimitedError,
        {"code": "rate_limit_exceeded"},
    ),
    "rate limit with headers": (
        {
            "type": "error",
            "status": 429,
            "error": {
                "type": "usage_limit_reached",
                "message": "Later.",
                "headers": {"Retry-After": "7"},
            },
        },
        RateLimitedError,
        {"retry_after_s": 7.0},
    ),
    "the key": (
        {"type": "error", "status_code": 401, "error": {"message": "sk-secret1234"}},
        AuthenticationError,
        {"status": 401},
    ),
    "overload": (
        {"type": "error", "status": 503, "error": {"message": "Overloaded."}},
        ModelServerError,
        {"status": 503},
    ),
    "failed by the server": (
        done("failed", error={"code": "server_error", "message": "Oops."}),
        ModelServerError,
        {"code": "server_error"},
    ),
    "failed by the rate limit": (
        done("failed", error={"code": "rate_limit_exceeded", "message": "Slow."}),
        RateLimitedError,
        {"code": "rate_limit_exceeded"},
    ),
    "failed by the prompt": (
        done("failed", error={"code": "invalid_prompt", "message": "Bad."}),
        ModelRejectedError,
        {"code": "invalid_prompt"},
    ),
    "nothing said": ({"type": "error"}, ModelServerError, {}),
}


@pytest.mark.parametrize("case", FAILURES)
async def test_error_event_fails_the_generation(
    serve: Serve, build: Build, api: Api, case: str
) -> None:
    """Both shapes of the error event become our errors; what was written stands."""
    event, kind, fields = FAILURES[case]
    server = await serve(say(delta("a"), event))
    reading = await ask(build(server, api=api))
    assert reading.text == "a"
    assert type(reading.error) is kind
    assert {name: getattr(reading.error, name) for name in fields} == fields
    assert "sk-secret" not in str(reading.error)
    assert len(server.replies) == 1


@pytest.mark.parametrize(
    ("refusal", "kind", "fields"),
    [
        ((401, {}, b""), AuthenticationError, {"status": 401}),
        ((403, {}, b'{"detail": "no"}'), AccessRefusedError, {"status": 403}),
        (
            (429, {"Retry-After": "3"}, b'{"error": {"message": "slow", "code": "x"}}'),
            RateLimitedError,
            {"status": 429, "retry_after_s": 3.0, "code": "x"},
        ),
        (
            (429, {"retry-after-ms": "2500"}, b""),
            RateLimitedError,
            {"retry_after_s": 2.5},
        ),
        ((400, {}, b'{"error": "bad model"}'), ModelRejectedError, {"status": 400}),
        ((500, {}, b"<html>"), ModelServerError, {"status": 500}),
        ((503, {}, b""), ModelServerError, {"status": 503}),
    ],
    ids=lambda value: str(value[0]) if isinstance(value, tuple) else "",
)
async def test_refused_before_the_stream(
    serve: Serve,
    build: Build,
    api: Api,
    refusal: tuple[int, dict[str, str], bytes],
    kind: type[ModelError],
    fields: dict[str, Any],
) -> None:
    """An HTTP status instead of a stream becomes our error, and is not insisted on."""
    server = await serve(refusal=refusal)
    reading = await ask(build(server, api=api))
    assert type(reading.error) is kind
    assert {name: getattr(reading.error, name) for name in fields} == fields
    assert isinstance(reading.error, ModelError)
    assert reading.error.remedy
    assert not server.replies
    if kind in (AuthenticationError, RateLimitedError, ModelRejectedError):
        assert server.n_upgrades + server.n_posts == 1


async def test_missing_key(serve: Serve, build: Build, api: Api) -> None:
    """Without the key nothing is even connected, and the error says what to set."""
    server = await serve(key="right")
    model = build(server, api=api, key=KeySource(env="THE_KEY"))
    reading = await ask(model)
    assert isinstance(reading.error, KeyMissingError)
    assert "THE_KEY" in str(reading.error)
    assert server.n_upgrades + server.n_posts == 0


async def test_key_is_sent_and_never_shown(
    serve: Serve, build: Build, api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    """The key is in the header, and in no message, repr or log."""
    caplog.set_level("DEBUG")
    server = await serve(key="right")
    environ = {"THE_KEY": "wrong-secret"}
    model = build(server, api=api, key=KeySource(env="THE_KEY"), environ=environ)
    reading = await ask(model)
    assert isinstance(reading.error, AuthenticationError)
    assert "wrong-secret" not in str(reading.error) + repr(model) + str(model.status())
    environ["THE_KEY"] = "right"
    reading = await ask(model)
    assert reading.text == "Hello"
    records = [record for record in caplog.records if record.name.startswith("redline")]
    assert "wrong-secret" not in "".join(record.getMessage() for record in records)


async def test_key_with_a_line_break_is_refused(
    serve: Serve, build: Build, api: Api
) -> None:
    """A key cannot smuggle a header in."""
    server = await serve()
    environ = {"THE_KEY": "x\r\nEvil: 1"}
    model = build(server, api=api, key=KeySource(env="THE_KEY"), environ=environ)
    assert isinstance((await ask(model)).error, KeyMissingError)


@pytest.mark.parametrize("index", range(len(HELLO) + 1))
async def test_cut_at_every_event(
    serve: Serve, build: Build, api: Api, index: int
) -> None:
    """Before the first delta a cut is recovered silently; after it, it is reported."""

    async def script(reply: Reply) -> None:
        if reply.response_id == "resp_1":
            reply.send(*HELLO[:index])
            reply.close(1011)
        else:
            reply.answer("Hel", "lo")

    server = await serve(script)
    reading = await ask(build(server, api=api))
    if index == len(HELLO):
        assert (reading.text, reading.reason) == ("Hello", "completed")
        assert len(server.replies) == 1
    elif index <= FIRST_DELTA:
        assert (reading.text, reading.reason) == ("Hello", "completed")
        assert len(server.replies) == 2
    else:
        assert type(reading.error) is ModelCutError
        assert "Hello".startswith(reading.text)
        assert reading.text
        assert len(server.replies) == 1


async def test_abrupt_cut_mid_stream(serve: Serve, build: Build, api: Api) -> None:
    """A connection that is simply gone is a cut like one that was closed."""

    async def script(reply: Reply) -> None:
        reply.delta("a")
        await may_cut.wait()
        reply.cut()

    may_cut = asyncio.Event()
    server = await serve(script)
    async with build(server, api=api).start(request_for("hi")) as generation:
        assert await anext(aiter(generation)) == Delta("a")
        may_cut.set()
        reading = await read(generation)
    assert type(reading.error) is ModelCutError


async def test_third_cut_is_not_hidden(serve: Serve, build: Build, api: Api) -> None:
    """A server that always cuts is reported, and not retried for ever."""

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.close(1011)

    server = await serve(script)
    reading = await ask(build(server, api=api))
    assert type(reading.error) is ModelCutError
    assert len(server.replies) == 3


@pytest.mark.parametrize("has_begun", [False, True])
async def test_stall(serve: Serve, build: Build, api: Api, has_begun: bool) -> None:
    """Silence has an end, before the first delta and after it."""

    async def script(reply: Reply) -> None:
        reply.begin()
        if has_begun:
            reply.delta("a")
        await reply.gone.wait()

    server = await serve(script)
    reading = await ask(build(server, api=api, first_delta_s=0.05, stall_s=0.05))
    assert type(reading.error) is ModelStalledError
    assert reading.text == ("a" if has_begun else "")
    await server.until(lambda server: server.replies[0].gone.is_set())
    assert len(server.replies) == 1


async def test_keepalive_events_do_not_hide_a_stall(
    serve: Serve, build: Build, api: Api
) -> None:
    """Only what belongs to the answer is a sign of it."""

    async def script(reply: Reply) -> None:
        reply.begin()
        while not reply.gone.is_set():
            reply.send({"type": "ping"})
            await asyncio.sleep(0)

    server = await serve(script)
    reading = await ask(build(server, api=api, first_delta_s=0.05))
    assert type(reading.error) is ModelStalledError


_IDLE = [
    {"type": "ping"},
    {"type": "response.in_progress"},
    {"type": "response.output_text.delta", "delta": ""},
    {"type": "response.reasoning_text.delta", "delta": ""},
]


@pytest.mark.parametrize("event", _IDLE)
async def test_events_without_text_do_not_hide_a_stall(
    serve: Serve, build: Build, api: Api, event: Event
) -> None:
    """The limit counts from the last text, also after the first."""

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta("a")
        while not reply.gone.is_set():
            reply.send(event)
            with suppress(TimeoutError):
                await asyncio.wait_for(reply.gone.wait(), 0.01)

    server = await serve(script)
    reading = await ask(build(server, api=api, stall_s=0.1))
    assert type(reading.error) is ModelStalledError
    assert reading.text == "a"


@pytest.mark.parametrize("event", _IDLE)
async def test_events_without_text_are_limited(
    serve: Serve, build: Build, api: Api, event: Event
) -> None:
    """Long before a time limit: each one costs time that typing needs."""

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta("a")
        while not reply.gone.is_set():
            reply.send(*([event] * 500))
            await asyncio.sleep(0)

    server = await serve(script)
    reading = await ask(build(server, api=api))
    assert type(reading.error) is ModelServerError
    assert reading.text == "a"
    await server.until(lambda server: server.replies[0].gone.is_set())


async def test_restarts_are_limited(serve: Serve, build: Build, api: Api) -> None:
    """A server can correct its text; not without end."""

    async def script(reply: Reply) -> None:
        reply.begin()
        about = {"output_index": 0, "content_index": 0}
        pair = [
            {"type": "response.output_text.done", "text": text, **about}
            for text in ("a", "b")
        ]
        while not reply.gone.is_set():
            reply.send(*(pair * 250))
            await asyncio.sleep(0)

    reading = await ask(build(await serve(script), api=api))
    assert type(reading.error) is ModelServerError
    assert "sends without end" in str(reading.error)


async def test_answer_without_end_in_time(serve: Serve, build: Build, api: Api) -> None:
    """A little text now and then passes every limit but that of the whole."""

    async def script(reply: Reply) -> None:
        reply.begin()
        while not reply.gone.is_set():
            reply.delta("a")
            with suppress(TimeoutError):
                await asyncio.wait_for(reply.gone.wait(), 0.01)

    server = await serve(script)
    reading = await ask(build(server, api=api, generation_s=0.3))
    assert type(reading.error) is ModelStalledError
    assert (
        str(reading.error)
        == "Model spark (m at 127.0.0.1) did not finish within 0.3 s."
    )
    assert "limits.generation_s" in reading.error.remedy
    assert set(reading.text) == {"a"}
    await server.until(lambda server: server.replies[0].gone.is_set())
    assert len(server.replies) == 1


async def test_answer_without_end_in_size(serve: Serve, build: Build, api: Api) -> None:
    """It is not taken into memory for as long as it comes."""

    async def script(reply: Reply) -> None:
        reply.begin()
        while not reply.gone.is_set():
            reply.delta("a" * 100_000)
            await asyncio.sleep(0)

    server = await serve(script)
    reading = await ask(build(server, api=api))
    assert type(reading.error) is ModelServerError
    assert "sends without end" in str(reading.error)
    assert len(reading.text) <= MAX_ANSWER_CHARS + 100_000
    await server.until(lambda server: server.replies[0].gone.is_set())


async def test_single_bytes_are_no_events(serve: Serve, build: Build, api: Api) -> None:
    """A drip of bytes that completes no event does not put off the stall limit."""

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta("a")
        is_socket = api == "responses-socket"
        if is_socket:
            reply.peer.write_frame(b"\x81\x7e\xff\xff")
        while not reply.gone.is_set():
            reply.peer.transport.write(b"x" if is_socket else b"1\r\nx\r\n")
            with suppress(TimeoutError):
                await asyncio.wait_for(reply.gone.wait(), 0.01)

    server = await serve(script)
    reading = await ask(build(server, api=api, stall_s=0.1))
    assert type(reading.error) is ModelStalledError


@pytest.mark.parametrize(
    "garbage",
    [
        b"certainly!",
        b"[1]",
        b'{"no": "type"}',
        b'{"type": 7}',
        b"\xff\xfe",
        b"{" * 9_000,
    ],
)
async def test_garbage(serve: Serve, build: Build, api: Api, garbage: bytes) -> None:
    """What is no event ends the generation and the connection."""

    async def script(reply: Reply) -> None:
        reply.delta("a")
        reply.send_raw(garbage)
        await reply.gone.wait()

    server = await serve(script)
    reading = await ask(build(server, api=api))
    assert reading.text == "a"
    assert type(reading.error) is ModelServerError
    await server.until(lambda server: server.replies[0].gone.is_set())


async def test_huge_event(serve: Serve, build: Build, api: Api) -> None:
    """An event over the bound is not taken into memory."""

    async def script(reply: Reply) -> None:
        reply.send_raw(json.dumps(delta("x" * (17 << 20))).encode())
        await reply.gone.wait()

    server = await serve(script)
    reading = await ask(build(server, api=api))
    assert type(reading.error) is ModelServerError
    await server.until(lambda server: server.replies[0].gone.is_set())


# Stopping.


async def test_stop_before_anything_came(serve: Serve, build: Build, api: Api) -> None:
    """A stop ends a generation of which the server has said nothing, and tells it."""
    server = await serve(_silence)
    async with build(server, api=api).start(request_for("hi")) as generation:
        await server.until(lambda server: len(server.replies) == 1)
        generation.stop()
        reading = await read(generation)
    assert (reading.text, reading.reason) == ("", "stopped")
    await server.until(lambda server: server.replies[0].gone.is_set())


async def test_stop_before_the_request_is_out(
    serve: Serve, build: Build, api: Api
) -> None:
    """A stop while there is no connection yet leaves nothing behind."""
    server = await serve()
    async with build(server, api=api).start(request_for("hi")) as generation:
        generation.stop()
        reading = await read(generation)
    assert reading.reason == "stopped"
    assert not server.replies


async def test_stop_mid_stream(serve: Serve, build: Build, api: Api) -> None:
    """After a stop no delta is delivered, and the server sees the connection end."""

    async def script(reply: Reply) -> None:
        reply.begin()
        while not reply.gone.is_set():
            reply.delta("x")
            await asyncio.sleep(0)

    server = await serve(script)
    model = build(server, api=api)
    async with model.start(request_for("hi")) as generation:
        events = aiter(generation)
        assert isinstance(await anext(events), Delta)
        generation.stop()
        generation.stop()
        rest = [event async for event in events]
    assert rest == [Finish(reason="stopped", response_id="resp_1")]
    await server.until(lambda server: server.replies[0].gone.is_set())


async def test_stop_after_the_finish(serve: Serve, build: Build, api: Api) -> None:
    """A stop that comes too late changes nothing, and the connection is kept."""
    server = await serve()
    model = build(server, api=api)
    async with model.start(request_for("hi")) as generation:
        reading = await read(generation)
        generation.stop()
        assert [event async for event in generation] == []
    assert reading.reason == "completed"
    await ask(model)
    assert len(server.replies) == 2
    assert server.replies[0].peer is server.replies[1].peer


async def test_leaving_early_stops(serve: Serve, build: Build, api: Api) -> None:
    """Leaving the context is a stop; the reader's own error comes through."""
    server = await serve(_silence)
    model = build(server, api=api)

    async def leave() -> None:
        async with model.start(request_for("hi")):
            await server.until(lambda server: len(server.replies) == 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await leave()
    await server.until(lambda server: server.replies[0].gone.is_set())


async def test_cancelled_reader(serve: Serve, build: Build, api: Api) -> None:
    """Cancelling a waiting reader is safe: the stream can be read on."""

    async def script(reply: Reply) -> None:
        await may_answer.wait()
        reply.answer("Hel", "lo")

    may_answer = asyncio.Event()
    server = await serve(script)
    async with build(server, api=api).start(request_for("hi")) as generation:
        reader = asyncio.ensure_future(anext(aiter(generation)))
        await server.until(lambda server: len(server.replies) == 1)
        reader.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reader
        may_answer.set()
        assert (await read(generation)).text == "Hello"


async def test_next_after_a_stop(serve: Serve, build: Build, api: Api) -> None:
    """A stopped generation does not block the next one."""

    async def script(reply: Reply) -> None:
        if reply.input_texts == ["endless"]:
            reply.delta("x")
            await reply.gone.wait()
        else:
            reply.answer("Hel", "lo")

    server = await serve(script)
    model = build(server, api=api)
    async with model.start(request_for("endless")) as generation:
        await anext(aiter(generation))
    assert (await ask(model)).text == "Hello"
    assert model.status().state == "ready"


# Many at once, and nobody there.


async def test_twenty_at_once(serve: Serve, build: Build, api: Api) -> None:
    """Twenty generations run at once, each with its own answer."""

    async def script(reply: Reply) -> None:
        reply.begin()
        await server.until(lambda server: len(server.replies) >= 16)
        for word in (*reply.input_texts, "!"):
            reply.delta(word)
            await asyncio.sleep(0)
        reply.send(done())

    server = await serve(script)
    model = build(server, api=api)
    texts = [f"number {index}" for index in range(20)]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(model, text)) for text in texts]
    assert [task.result().text for task in tasks] == [f"{text}!" for text in texts]


async def test_not_there_and_then_up(serve: Serve, build: Build, api: Api) -> None:
    """Without a server a generation fails at once; with one, it works."""
    server = await serve(listens=False)
    model = build(server, api=api)
    reading = await ask(model)
    assert type(reading.error) is ModelUnavailableError
    assert "Nothing is listening" in str(reading.error)
    assert model.status().state == "down"
    await server.listen()
    assert (await ask(model)).text == "Hello"
    assert model.status().state == "ready"


async def test_name_that_does_not_resolve(
    serve: Serve, build: Build, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host name that is not there is said to be not there."""
    server = await serve()
    scheme = "wss" if api == "responses-socket" else "https"
    model = build(server, api=api, url=f"{scheme}://model.invalid/v1/responses")

    async def no_such_name(*args: object, **kwargs: object) -> object:
        import socket

        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", no_such_name)
    reading = await ask(model)
    assert type(reading.error) is ModelUnavailableError
    assert str(reading.error) == "The name of model.invalid cannot be resolved."


async def test_never_connects(serve: Serve, build: Build, api: Api) -> None:
    """A server that takes connections and says nothing meets the connection limit."""
    listener = await asyncio.start_server(_hold, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    server = await serve()
    server.port, own_port = port, server.port
    model = build(server, api=api, connect_s=0.05, first_delta_s=0.05)
    reading = await ask(model)
    server.port = own_port
    assert isinstance(reading.error, ModelUnavailableError | ModelStalledError)
    listener.close()
    await model.aclose()


async def _hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


async def test_closed_with_work_in_flight(serve: Serve, build: Build, api: Api) -> None:
    """Closing the model ends its generations with a reason; closing twice is fine."""
    server = await serve(_silence)
    model = build(server, api=api)
    async with model.start(request_for("hi")) as generation:
        await server.until(lambda server: len(server.replies) == 1)
        await model.aclose()
        await model.aclose()
        reading = await read(generation)
    assert reading.reason == "failed"
    late = await ask(model)
    assert type(late.error) is ModelUnavailableError


async def test_probe(serve: Serve, build: Build, api: Api) -> None:
    """A probe says whether the server is there and takes the key."""
    server = await serve(key="right")
    environ = {"KEY": "right"}
    model = build(server, api=api, key=KeySource(env="KEY"), environ=environ)
    probe = await model.probe()
    assert probe.reachable
    assert probe.error is None
    assert probe.handshake_s is not None
    wrong = build(server, api=api, key=KeySource(env="KEY"), environ={"KEY": "wrong"})
    assert type((await wrong.probe()).error) is AuthenticationError
    absent = await serve(listens=False)
    probe = await build(absent, api=api).probe()
    assert not probe.reachable
    assert type(probe.error) is ModelUnavailableError


async def test_timing(serve: Serve, build: Build, api: Api) -> None:
    """Times are in order, on the loop's clock."""
    server = await serve()
    async with build(server, api=api).start(request_for("hi")) as generation:
        await read(generation)
        timing = generation.timing
    assert timing.sent is not None
    assert timing.first_delta is not None
    assert timing.last_delta is not None
    assert timing.n_deltas == 2
    times = [timing.started, timing.sent, timing.first_delta, timing.last_delta]
    assert times == sorted(times)


async def test_slow_reader_is_not_drowned(serve: Serve, build: Build, api: Api) -> None:
    """While nobody reads, the client stops reading too; it is no stall, nor a loss."""
    loop = asyncio.get_running_loop()
    n_sent = 0

    async def script(reply: Reply) -> None:
        nonlocal n_sent
        transport = reply.peer.transport
        # Ends only if the client stops reading: over a hundred times its bound else.
        while transport.get_write_buffer_size() < 4 << 20 and n_sent < 2_000:
            reply.delta("x" * 65_536)
            n_sent += 1
            await asyncio.sleep(0)
        is_full.set()
        reply.send(done())

    is_full = asyncio.Event()
    server = await serve(script)
    model = build(server, api=api, stall_s=0.2)
    async with model.start(request_for("hi")) as generation:
        await is_full.wait()
        assert n_sent < 2_000
        longer_than_a_stall = loop.time() + 0.3
        await until(lambda: loop.time() > longer_than_a_stall)
        reading = await read(generation)
    assert len(reading.text) == n_sent * 65_536
    assert reading.reason == "completed"


async def test_a_rotated_key_is_read_again_before_anything_fails(
    serve: Serve, build: Build, api: Api, tmp_path: Path
) -> None:
    """The request is repeated once, with what the command prints now."""
    server = await serve(key="new-secret")
    key = rotated_key(tmp_path, "old-secret", "new-secret")
    reading = await ask(build(server, api=api, key=key))
    assert (reading.text, reading.error) == ("Hello", None)
    assert (tmp_path / "uses").read_text() == "xx"


async def test_a_key_that_its_command_prints_again_is_not_insisted_on(
    serve: Serve, build: Build, api: Api, tmp_path: Path
) -> None:
    server = await serve(key="new-secret")
    reading = await ask(build(server, api=api, key=rotated_key(tmp_path, "old-secret")))
    assert isinstance(reading.error, AuthenticationError)
    assert (tmp_path / "uses").read_text() == "xx"
    assert server.n_upgrades + server.n_posts == 1
