"""The engine `upstream`: models of every wire format, through the gateway."""

from __future__ import annotations

import asyncio
import base64
import gc
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import pytest
from tests.gateway.conftest import ENDS, Event, Gateway
from tests.models.formats import FORMATS, Format, sse
from tests.models.plain_server import Act, PlainServer, serving
from tests.models.reader import until

from redline.gateway.answers.run import Run
from redline.gateway.engines.upstream import Upstream, UpstreamEngine
from redline.models.build import build_model
from redline.settings.tree import KeySource, LimitSettings, ModelSettings

CHAT = FORMATS["chat-completions"]

Start = Callable[..., Awaitable[Gateway]]

TRACE = f"00-{'a' * 32}-{'b' * 16}-01"

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
async def start_for(start: Start) -> AsyncIterator[Callable[..., Awaitable[Gateway]]]:
    """Start a gateway in front of one server, whose model is `coder`."""
    engines: list[UpstreamEngine] = []

    async def start_one(
        server: PlainServer,
        wire: Format = CHAT,
        *,
        limits: Mapping[str, float] | None = None,
        environ: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> Gateway:
        model = build_model(
            "coder",
            ModelSettings(
                api=wire.api, url=server.base + wire.path, name="m", **settings
            ),
            LimitSettings(**(limits or {})),
            environ=environ or {},
        )
        engines.append(UpstreamEngine([Upstream(name="coder", model=model)]))
        return await start(engines[-1], can_steer=False)

    yield start_one
    for engine in engines:
        await engine.aclose()


def text_of(events: list[Event], *, kind: str = "output_text") -> str:
    """Join the deltas of the text, or of another kind."""
    return "".join(
        event["delta"] for event in events if event["type"] == f"response.{kind}.delta"
    )


@pytest.mark.parametrize("wire", FORMATS.values(), ids=FORMATS)
async def test_an_answer_needs_no_garbage_collection(
    start_for: Start, wire: Format
) -> None:
    """Its objects are freed when it ends."""

    def has_run() -> bool:
        return any(isinstance(each, Run) for each in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        async with serving(Act(pieces=wire.answer)) as server:
            client = await (await start_for(server, wire)).client()
            await client.answer("hi", model="coder")
            await until(lambda: not has_run())
    finally:
        gc.enable()


@pytest.mark.parametrize("wire", FORMATS.values(), ids=FORMATS)
async def test_every_wire_format(start_for: Start, wire: Format) -> None:
    """Its answer, refusal, reasoning, limit and failure, each on a lane."""
    answers = [wire.answer, wire.length, wire.thinking, wire.refusal, (wire.error,)]
    acts = [Act(pieces=pieces) for pieces in answers if pieces is not None]
    async with serving(*acts) as server:
        gateway = await start_for(server, wire)
        client = await gateway.client()
        ends = [
            await client.answer("hi", model="coder", stream_id=f"lane-{number}")
            for number in range(len(acts))
        ]
    assert text_of(ends[0]) == "Hello"
    assert ends[0][-1]["response"]["status"] == "completed"
    assert text_of(ends[1]) == "Hel"
    assert ends[1][-1]["response"]["incomplete_details"] == {
        "reason": "max_output_tokens"
    }
    # In one delta or in two: an end that could begin a known key is held back.
    assert "Hm" in text_of(ends[2], kind="reasoning_text")
    if wire.refusal is not None:
        assert ends[3][-1]["type"] == "response.incomplete"
        assert ends[3][-1]["response"]["incomplete_details"] == {
            "reason": "content_filter"
        }
    failure = ends[-1][-1]
    assert failure["type"] == "error"
    assert failure["stream_id"] == f"lane-{len(acts) - 1}"
    assert "Out of luck." in failure["error"]["message"]


@pytest.mark.parametrize("wire", FORMATS.values(), ids=FORMATS)
async def test_a_stop_is_felt_upstream(start_for: Start, wire: Format) -> None:
    held = Act(pieces=wire.answer[: wire.n_before_end], then="hold")
    async with serving(held) as server:
        gateway = await start_for(server, wire)
        client = await gateway.client()
        await client.create(model="coder", stream_id="a")
        await client.until("response.output_text.delta")
        client.socket.transport.abort()
        async with asyncio.timeout(60):
            await server.gone.wait()


@pytest.mark.parametrize(
    ("field", "kind"),
    [
        ("content", "output_text"),
        ("refusal", "refusal"),
        ("reasoning_content", "reasoning_text"),
    ],
)
async def test_no_answer_has_the_key_of_a_model(
    start_for: Start, field: str, kind: str
) -> None:
    """The server repeats it, one character at a time; a user has another key."""
    key = "key-of-the-provider-0123456789"
    pieces = [
        sse({"choices": [{"index": 0, "delta": {field: char}}]})
        for char in f"It is {key}."
    ]
    answer = Act(pieces=(*pieces, *CHAT.answer[-2:]))
    async with serving(answer) as server:
        gateway = await start_for(
            server, key=KeySource(env="UPSTREAM_KEY"), environ={"UPSTREAM_KEY": key}
        )
        client = await gateway.client()
        events = await client.answer(model="coder")
        assert server.asked[0].headers["authorization"] == f"Bearer {key}"
        async with gateway.http() as http:
            body = {"model": "coder", "input": "hi", "background": True}
            stored = (await http.post("/responses", json=body)).json()
            async with asyncio.timeout(60):
                while stored["status"] in ("queued", "in_progress"):
                    stored = (await http.get(f"/responses/{stored['id']}")).json()
    deltas = [e["delta"] for e in events if e["type"] == f"response.{kind}.delta"]
    assert "".join(deltas).startswith("It is [redacted].")
    assert key not in json.dumps(events)
    assert "It is [redacted]." in json.dumps(stored)
    assert key not in json.dumps(stored)


REFUSALS = [
    (429, "rate_limit_exceeded", 429),
    (400, "invalid_request_error", 400),
    (401, "server_error", 502),
    (404, "invalid_request_error", 400),
    (500, "server_error", 502),
]


@pytest.mark.parametrize(("status", "code", "expected"), REFUSALS)
async def test_a_refusal_before_any_text(
    start_for: Start, status: int, code: str, expected: int
) -> None:
    """An error on the lane, with the words of the upstream; the socket lives."""
    body = json.dumps({"error": {"message": "Out of luck."}}).encode()
    no = Act(pieces=(body,), status=status, headers=(("Retry-After", "7"),))
    async with serving(no, no, Act(pieces=CHAT.answer)) as server:
        server.acts = [no]
        gateway = await start_for(server)
        client = await gateway.client()
        error = (await client.answer(model="coder", stream_id="a"))[-1]
        server.acts = [Act(pieces=CHAT.answer)]
        assert text_of(await client.answer(model="coder", stream_id="a")) == "Hello"
        server.acts = [no]
        async with gateway.http() as http:
            answer = await http.post(
                "/responses", json={"model": "coder", "input": "hi"}
            )
    assert (error["type"], error["stream_id"]) == ("error", "a")
    assert error["status"] == answer.status_code == expected
    assert error["error"]["code"] == answer.json()["error"]["code"] == code
    # A key that the upstream refuses is the gateway's, and nothing of it is quoted.
    words = "refused the key" if status == 401 else "Out of luck."
    assert words in error["error"]["message"]
    if status == 429:
        assert error["error"]["headers"]["retry-after"] == "7"
        assert answer.headers["retry-after"] == "7"


async def test_a_page_instead_of_an_answer(start_for: Start) -> None:
    page = b"<!doctype html><html><body>Sign in</body></html>"
    html = Act(pieces=(page,), headers=(("Content-Type", "text/html"),))
    async with serving(html) as server:
        client = await (await start_for(server)).client()
        error = (await client.answer(model="coder"))[-1]
    assert error["type"] == "error"
    assert error["status"] == 502


async def test_an_upstream_that_is_dead_or_silent(start_for: Start) -> None:
    async with serving(Act(then="hold")) as server:
        gateway = await start_for(server, limits={"first_delta_s": 0.1})
        client = await gateway.client()
        assert (await client.answer(model="coder"))[-1]["status"] == 504
    assert (await client.answer(model="coder"))[-1]["status"] == 503


async def test_a_cut_in_the_middle_fails_the_response(start_for: Start) -> None:
    """What came is in the response that failed."""
    async with serving(Act(pieces=CHAT.answer[:1], then="abort")) as server:
        client = await (await start_for(server)).client()
        events = await client.answer(model="coder")
    assert text_of(events) == "Hel"
    assert events[-1]["type"] == "response.failed"
    assert events[-1]["response"]["error"]["code"] == "server_error"


async def test_an_unknown_model(start_for: Start) -> None:
    async with serving(Act(pieces=CHAT.answer)) as server:
        client = await (await start_for(server)).client()
        error = (await client.answer(model="other"))[-1]
        assert not server.asked
    assert (error["status"], error["error"]["code"]) == (404, "model_not_found")
    assert "coder" in error["error"]["message"]


async def test_the_request_reaches_the_upstream_whole(start_for: Start) -> None:
    """Instructions, history, an image, the schema, the limit and the cache key."""
    url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    content = [
        {"type": "input_image", "image_url": url},
        {"type": "input_text", "text": "What is it?"},
    ]
    text_format = {
        "type": "json_schema",
        "name": "answer",
        "schema": {"type": "object", "properties": {}},
    }
    async with serving(Act(pieces=CHAT.answer)) as server:
        client = await (await start_for(server, vision=True)).client()
        first = await client.answer(
            [{"role": "user", "content": content}],
            model="coder",
            instructions="Be brief.",
            text={"format": text_format},
            max_output_tokens=50,
            prompt_cache_key="workspace-1",
            metadata={"traceparent": TRACE},
        )
        await client.answer(
            "And now?", model="coder", previous_response_id=first[-1]["response"]["id"]
        )
        sent, again = (json.loads(asked.body) for asked in server.asked)
        headers = server.asked[0].headers
    # What routers in front of the model read.
    assert (headers["x-session-id"], headers["traceparent"]) == ("workspace-1", TRACE)
    assert sent["model"] == "m"
    assert sent["messages"][0]["content"] == "Be brief."
    assert {"type": "image_url", "image_url": {"url": url}} in (
        sent["messages"][1]["content"]
    )
    assert sent["response_format"]["json_schema"]["name"] == "answer"
    assert 50 in (sent.get("max_tokens"), sent.get("max_completion_tokens"))
    assert [each["role"] for each in again["messages"]] == ["user", "assistant", "user"]
    assert again["messages"][1]["content"] == "Hello"


async def test_a_header_cannot_be_smuggled_in(start_for: Start) -> None:
    async with serving(Act(pieces=CHAT.answer)) as server:
        client = await (await start_for(server)).client()
        await client.answer(
            model="coder",
            prompt_cache_key="a\r\nauthorization: b",
            metadata={"traceparent": TRACE + "\r\nx-other: b"},
        )
    assert not {"x-session-id", "traceparent", "x-other", "authorization"} & (
        server.asked[0].headers.keys()
    )


@pytest.mark.parametrize(
    "url", ["https://example.com/a.png", "data:image/png;base64,!", "data:text/html,x"]
)
async def test_an_image_that_cannot_be_passed_on(start_for: Start, url: str) -> None:
    content = [{"type": "input_image", "image_url": url}]
    async with serving(Act(pieces=CHAT.answer)) as server:
        client = await (await start_for(server, vision=True)).client()
        message = {"role": "user", "content": content}
        error = (await client.answer([message], model="coder"))[-1]
        assert not server.asked
    assert error["error"]["param"] == "input"


async def test_an_image_for_a_model_that_reads_none(start_for: Start) -> None:
    url = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    content = [{"type": "input_image", "image_url": url}]
    async with serving(Act(pieces=CHAT.answer)) as server:
        client = await (await start_for(server, vision=False)).client()
        message = {"role": "user", "content": content}
        error = (await client.answer([message], model="coder"))[-1]
    assert "does not read images" in error["error"]["message"]


async def test_usage_is_that_of_the_upstream(start_for: Start) -> None:
    usage = {
        "prompt_tokens": 12,
        "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 8},
    }
    pieces = (*CHAT.answer[:-1], sse({"choices": [], "usage": usage}), CHAT.answer[-1])
    async with serving(Act(pieces=pieces)) as server:
        client = await (await start_for(server)).client()
        counts = (await client.answer(model="coder"))[-1]["response"]["usage"]
    assert (counts["input_tokens"], counts["output_tokens"]) == (12, 3)
    assert counts["input_tokens_details"]["cached_tokens"] == 8


async def test_an_upstream_that_names_another_model(start_for: Start) -> None:
    """Clients see the name that they asked for, and not what answers behind it."""
    first = {"model": "another", "choices": [{"index": 0, "delta": {"content": "x"}}]}
    async with serving(Act(pieces=(sse(first), *CHAT.answer))) as server:
        client = await (await start_for(server)).client()
        events = await client.answer(model="coder")
    assert text_of(events) == "xHello"
    assert events[-1]["response"]["model"] == "coder"
    assert "another" not in json.dumps(events)


async def test_a_long_answer_is_limited_by_the_model_alone(start_for: Start) -> None:
    """The gateway cannot count the tokens of another's model."""
    async with serving(Act(pieces=CHAT.answer)) as server:
        client = await (await start_for(server)).client()
        events = await client.answer(model="coder", max_output_tokens=16)
        assert text_of(events) == "Hello"


async def test_a_client_that_reads_late(start_for: Start) -> None:
    """It gets all of an answer that is larger than every buffer on the way."""
    texts = [f"{number:03}" * 20_000 for number in range(150)]
    deltas = [
        sse({"choices": [{"index": 0, "delta": {"content": text}}]}) for text in texts
    ]
    async with serving(Act(pieces=(*deltas, *CHAT.answer[-2:]))) as server:
        gateway = await start_for(server)
        client = await gateway.client()
        client.socket.transport.pause_reading()
        await client.create(model="coder")
        await gateway.saw("sent", n=5)
        client.socket.transport.resume_reading()
        events = await client.until(*ENDS)
    assert text_of(events) == "".join(texts)
    assert [event["sequence_number"] for event in events] == list(range(len(events)))


async def test_a_final_text_that_contradicts_the_stream(start_for: Start) -> None:
    """Every event that repeats the text has the final one."""
    wire = FORMATS["responses-http"]
    place = {"output_index": 0, "content_index": 0}
    pieces = (
        wire.answer[0],
        sse({"type": "response.output_text.delta", **place, "delta": "Hullo"}),
        sse({"type": "response.output_text.done", **place, "text": "Hello"}),
        wire.answer[-1],
    )
    async with serving(Act(pieces=pieces)) as server:
        client = await (await start_for(server, wire)).client()
        events = await client.answer(model="coder")
    done = next(e for e in events if e["type"] == "response.output_text.done")
    assert done["text"] == "Hello"
    (item,) = events[-1]["response"]["output"]
    assert item["content"][0]["text"] == "Hello"


async def test_a_background_answer_outlives_its_client(start_for: Start) -> None:
    async with serving(Act(pieces=CHAT.answer)) as server:
        gateway = await start_for(server)
        body = {"model": "coder", "input": "hi", "background": True, "stream": True}
        async with gateway.http() as http:
            async with http.stream("POST", "/responses", json=body) as stream:
                lines = stream.aiter_lines()
                async for line in lines:
                    if line.startswith("data:"):
                        break
                response_id = json.loads(line[5:])["response"]["id"]
            events = []
            address = f"/responses/{response_id}?stream=true&starting_after=0"
            async with http.stream("GET", address) as stream:
                async for line in stream.aiter_lines():
                    if line.startswith("data:"):
                        events.append(json.loads(line[5:]))
    assert events[-1]["type"] in ENDS
    assert text_of(events) == "Hello"
