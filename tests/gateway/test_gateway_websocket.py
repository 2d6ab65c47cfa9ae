"""The WebSocket as its clients see it: the order of events, lanes, limits."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode

from redline.gateway.engines.engine import (
    EngineAnswer,
    EngineRequest,
    Piece,
    PieceTaker,
    TextPiece,
)
from redline.gateway.engines.script import (
    Script,
    ScriptReply,
    ScriptRule,
    ScriptUsage,
    When,
)
from redline.gateway.serving.server import GatewayWebSocket, text_frame

if TYPE_CHECKING:
    from .conftest import Gateway

Start = Callable[..., Awaitable["Gateway"]]


class Slow:
    """An engine that sends one piece and then waits for the test."""

    models = ("slow",)

    def __init__(self) -> None:
        self.n_begun = 0
        self.n_closed = 0
        self.go = asyncio.Event()
        self.closed = asyncio.Event()

    def answer(self, request: EngineRequest) -> EngineAnswer:
        return EngineAnswer(pieces=self._pieces())

    async def _pieces(self) -> AsyncGenerator[Piece, None]:
        self.n_begun += 1
        try:
            yield TextPiece("a")
            await self.go.wait()
            yield TextPiece("b")
        finally:
            self.n_closed += 1
            self.closed.set()


class Pushing:
    """An engine that gives the second piece to the taker, if that is ready."""

    models = ("pushing",)

    def __init__(self) -> None:
        self.were_ready: list[bool] = []
        self.pushed = asyncio.Event()

    def answer(self, request: EngineRequest) -> EngineAnswer:
        return EngineAnswer(
            pieces=self._pieces(request), counts_tokens=True, has_own_pace=True
        )

    async def _pieces(self, request: EngineRequest) -> AsyncGenerator[Piece, None]:
        taker = request.taker
        assert taker is not None
        self.were_ready.append(taker.is_ready)
        yield TextPiece("a")
        self.were_ready.append(taker.is_ready)
        asyncio.get_running_loop().call_soon(self._push, taker)
        await self.pushed.wait()
        yield TextPiece("d")

    def _push(self, taker: PieceTaker) -> None:
        if taker.is_ready:
            taker.take(TextPiece("b"))
            taker.take(TextPiece("c", "reasoning"))
        self.pushed.set()


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"].removeprefix("response.") for event in events]


async def test_pieces_that_the_engine_pushes(start: Start) -> None:
    """They are events like the others, in their order, and part of the answer."""
    engine = Pushing()
    client = await (await start(engine)).client()
    events = await client.answer()
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert [event["delta"] for event in events if "delta" in event] == [*"abcd"]
    assert [
        [part["text"] for part in item["content"]]
        for item in events[-1]["response"]["output"]
    ] == [["ab"], ["c"], ["d"]]
    assert engine.were_ready == [False, True]


async def test_an_engine_does_not_push_what_has_to_wait(start: Start) -> None:
    """A stream over HTTP waits for its client, and a pace for its time."""
    streamed, paced = Pushing(), Pushing()
    gateway = await start(streamed)
    async with gateway.http() as http:
        body = {"model": "pushing", "input": "hi", "stream": True}
        await http.post("/responses", json=body)
    gateway = await start(paced, tokens_per_s=1_000.0)
    await (await gateway.client()).answer()
    assert streamed.were_ready == paced.were_ready == [False, False]


async def test_an_engine_does_not_push_to_a_client_that_is_behind(
    start: Start,
) -> None:
    class Flooding(Pushing):
        def _push(self, taker: PieceTaker) -> None:
            taker.take(TextPiece("x" * 20_000_000))
            self.were_ready.append(taker.is_ready)
            self.pushed.set()

    engine = Flooding()
    client = await (await start(engine)).client()
    client.socket.transport.pause_reading()
    await client.create()
    async with asyncio.timeout(60):
        await engine.pushed.wait()
    client.socket.transport.resume_reading()
    events = await client.until("response.completed")
    assert [event["delta"][-1:] for event in events if "delta" in event] == [*"axd"]
    assert engine.were_ready == [False, True, False]


async def test_the_events_of_a_text_answer(start: Start) -> None:
    """All events arrive, in order, numbered from 0, and are consistent."""
    client = await (
        await start(ScriptReply(text="def f(): ...", chunk_chars=4))
    ).client()
    events = await client.answer(stream_id="edit-1", instructions="Be brief.")
    assert kinds(events) == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        *["output_text.delta"] * 3,
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert [each["sequence_number"] for each in events] == list(range(len(events)))
    assert {each["stream_id"] for each in events} == {"edit-1"}
    assert "".join(each["delta"] for each in events[4:7]) == "def f(): ..."
    item = events[2]["item"]
    assert (item["status"], item["content"]) == ("in_progress", [])
    places = {
        (each["item_id"], each["output_index"], each["content_index"])
        for each in events[3:9]
    }
    assert places == {(item["id"], 0, 0)}
    part = {
        "type": "output_text",
        "text": "def f(): ...",
        "annotations": [],
        "logprobs": [],
    }
    assert events[8]["part"] == part
    finished = {
        "id": item["id"],
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "phase": "final_answer",
        "content": [part],
    }
    assert events[9]["item"] == finished
    first, last = events[0]["response"], events[-1]["response"]
    assert (first["status"], first["output"]) == ("in_progress", [])
    assert (last["status"], last["output"]) == ("completed", [finished])
    assert last["id"] == first["id"]
    assert last["instructions"] == "Be brief."
    assert last["usage"] == {
        "input_tokens": 3,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 6,
    }


async def test_the_default_lane_is_not_named(start: Start) -> None:
    client = await (await start()).client()
    assert all("stream_id" not in each for each in await client.answer())


async def test_deltas_are_filled_up_unless_asked_not_to(start: Start) -> None:
    client = await (await start()).client()
    padded = await client.answer()
    plain = await client.answer(stream_options={"include_obfuscation": False})
    deltas = [each for each in padded if "delta" in each]
    assert all(each["obfuscation"] for each in deltas)
    assert len({len(each["delta"]) + len(each["obfuscation"]) for each in deltas}) == 1
    assert not any("obfuscation" in each for each in plain)


async def test_an_empty_answer_is_completed_without_items(start: Start) -> None:
    client = await (await start(ScriptReply(text=""))).client()
    events = await client.answer()
    assert kinds(events) == ["created", "in_progress", "completed"]
    assert events[-1]["response"]["output"] == []


async def test_reasoning_comes_before_the_answer(start: Start) -> None:
    client = await (await start(ScriptReply(text="yes", reasoning="hmmm"))).client()
    events = await client.answer()
    assert kinds(events)[2:10] == [
        "output_item.added",
        "content_part.added",
        "reasoning_text.delta",
        "reasoning_text.done",
        "content_part.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
    ]
    thought, message = events[-1]["response"]["output"]
    assert (thought["type"], message["type"]) == ("reasoning", "message")
    assert events[10]["output_index"] == 1
    usage = events[-1]["response"]["usage"]
    assert usage["output_tokens"] == 2
    assert usage["output_tokens_details"] == {"reasoning_tokens": 1}


async def test_a_refusal_is_a_part_of_the_message(start: Start) -> None:
    client = await (
        await start(ScriptReply(text="Well.", refusal="I cannot."))
    ).client()
    events = await client.answer()
    assert "refusal.delta" in kinds(events)
    (message,) = events[-1]["response"]["output"]
    assert [part["type"] for part in message["content"]] == ["output_text", "refusal"]
    assert message["content"][1]["refusal"] == "I cannot."


async def test_an_incomplete_answer_says_why(start: Start) -> None:
    reply = ScriptReply(text="begun", incomplete="content_filter")
    client = await (await start(reply)).client()
    events = await client.answer()
    response = events[-1]["response"]
    assert events[-1]["type"] == "response.incomplete"
    assert response["incomplete_details"] == {"reason": "content_filter"}
    assert response["output"][0]["status"] == "incomplete"


@pytest.mark.parametrize(("limit", "text"), [(1, "abcd"), (2, "abcdefgh")])
async def test_an_answer_is_cut_at_its_limit(
    start: Start, limit: int, text: str
) -> None:
    client = await (
        await start(ScriptReply(text="abcdefghijkl", chunk_chars=3))
    ).client()
    events = await client.answer(max_output_tokens=limit)
    response = events[-1]["response"]
    assert response["incomplete_details"] == {"reason": "max_output_tokens"}
    assert response["output"][0]["content"][0]["text"] == text
    assert response["usage"]["output_tokens"] == limit


async def test_a_limit_must_leave_something(start: Start) -> None:
    client = await (await start()).client()
    (error,) = await client.answer(max_output_tokens=0)
    assert error["error"]["param"] == "max_output_tokens"


async def test_a_failed_answer_says_why(start: Start) -> None:
    client = await (
        await start(ScriptReply(text="begun", failed="server_error"))
    ).client()
    events = await client.answer()
    assert events[-1]["type"] == "response.failed"
    assert events[-1]["response"]["error"]["code"] == "server_error"


async def test_a_broken_engine_is_a_failed_answer(
    start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        models = ()

        def answer(self, request: EngineRequest) -> EngineAnswer:
            return EngineAnswer(pieces=self._pieces())

        async def _pieces(self) -> AsyncGenerator[Piece, None]:
            yield TextPiece("a")
            raise ZeroDivisionError

    client = await (await start(Broken())).client()
    events = await client.answer()
    assert events[-1]["response"]["error"]["code"] == "server_error"
    assert "ZeroDivisionError" in caplog.text
    assert kinds(await client.answer())[0] == "created"


async def test_the_scripts_usage_is_reported(start: Start) -> None:
    usage = ScriptUsage(input=812, output=41, cached=768, reasoning=5)
    client = await (await start(ScriptReply(text="x", usage=usage))).client()
    reported = (await client.answer())[-1]["response"]["usage"]
    assert reported["input_tokens_details"]["cached_tokens"] == 768
    assert (reported["output_tokens"], reported["total_tokens"]) == (41, 853)


async def test_a_warm_up_has_an_id_and_no_output(start: Start) -> None:
    client = await (await start()).client()
    events = await client.answer("the file", generate=False, stream_id="a")
    assert kinds(events) == ["created", "in_progress", "completed"]
    response = events[-1]["response"]
    assert (response["status"], response["output"]) == ("completed", [])
    follow_up = await client.answer(
        "and now", previous_response_id=response["id"], stream_id="a"
    )
    assert follow_up[0]["response"]["previous_response_id"] == response["id"]


async def test_what_clients_add_is_tolerated(start: Start) -> None:
    client = await (await start()).client()
    events = await client.answer(
        stream=True, client_metadata={"a": 1}, tools=[], include=[], store=False
    )
    assert events[-1]["type"] == "response.completed"


async def test_a_nested_create_is_tolerated(start: Start) -> None:
    client = await (await start()).client()
    await client.send(
        type="response.create", response={"model": "nested", "input": "hi"}
    )
    events = await client.until("response.completed")
    assert events[0]["response"]["model"] == "nested"


@pytest.mark.parametrize(
    "data", ["{", "[]", '{"type":"response.cancel"}', b"\xff\x00", "[" * 100_000]
)
async def test_what_is_no_event_is_answered_by_an_error(
    start: Start, data: str | bytes
) -> None:
    """The connection survives it."""
    client = await (await start()).client()
    await client.socket.send(data)
    error = await client.event()
    assert (error["type"], error["status"]) == ("error", 400)
    assert error["error"]["code"] == "invalid_event"
    assert kinds(await client.answer())[-1] == "completed"


async def test_a_create_in_a_binary_message_is_read(start: Start) -> None:
    client = await (await start()).client()
    data = {"type": "response.create", "model": "m", "input": "hi"}
    await client.socket.send(json.dumps(data).encode())
    assert (await client.until("response.completed"))[0]["type"] == "response.created"


async def test_background_is_refused(start: Start) -> None:
    client = await (await start()).client()
    (error,) = await client.answer(background=True, stream_id="a")
    assert error["stream_id"] == "a"
    assert error["error"]["code"] == "unsupported_parameter"
    assert error["error"]["param"] == "background"


async def test_lanes_run_side_by_side_and_one_lane_in_order(start: Start) -> None:
    engine = Slow()
    client = await (await start(engine)).client()
    for lane in ("a", "b", "a"):
        await client.create(stream_id=lane)
    begun = [await client.event() for _ in range(10)]
    assert {each["stream_id"] for each in begun} == {"a", "b"}
    assert engine.n_begun == 2
    engine.go.set()
    ended: list[str] = []
    while len(ended) < 3:
        event = await client.event()
        if event["type"] == "response.completed":
            ended.append(event["stream_id"])
    assert sorted(ended) == ["a", "a", "b"]
    assert engine.n_begun == 3


async def test_sixteen_run_at_once_and_the_rest_waits(start: Start) -> None:
    engine = Slow()
    client = await (await start(engine)).client()
    for index in range(20):
        await client.create(stream_id=f"lane{index}")
    seen = [await client.event() for _ in range(16 * 5)]
    assert len({each["stream_id"] for each in seen}) == 16
    assert engine.n_begun == 16
    engine.go.set()
    n_ended = 0
    while n_ended < 20:
        n_ended += (await client.event())["type"] == "response.completed"
    assert engine.n_begun == 20


async def test_a_bad_lane_name_is_refused(start: Start) -> None:
    client = await (await start()).client()
    (error,) = await client.answer(stream_id="two words")
    assert error["error"]["code"] == "invalid_stream_id"
    assert "stream_id" not in error


async def test_the_thirty_third_lane_is_refused(start: Start) -> None:
    client = await (await start(ScriptReply(text=""))).client()
    for index in range(32):
        await client.answer(stream_id=f"lane{index}")
    (error,) = await client.answer(stream_id="one-more")
    assert error["error"]["code"] == "websocket_stream_limit_reached"
    assert error["stream_id"] == "one-more"
    assert kinds(await client.answer(stream_id="lane7"))[-1] == "completed"


async def test_too_many_requests_a_minute_are_refused_in_their_turn(
    start: Start,
) -> None:
    """The error of a waiting request does not end the one that runs on its lane."""
    engine = Slow()
    client = await (await start(engine, requests_per_minute=1)).client()
    await client.create()
    await client.create()
    await client.until("response.output_text.delta")
    engine.go.set()
    await client.until("response.completed")
    error = await client.event()
    assert (error["status"], error["error"]["code"]) == (429, "rate_limit_exceeded")
    assert 0 < int(error["error"]["headers"]["retry-after"]) <= 60


async def test_too_many_waiting_requests_end_the_connection(start: Start) -> None:
    gateway = await start(Slow(), max_queued=3)
    client = await gateway.client()
    for _ in range(4):
        await client.create()
    await client.until("error")
    with pytest.raises(ConnectionClosed) as closed:
        await client.event()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008


@pytest.mark.parametrize("n_chars", [1_000, 1_024 * 1_024])
async def test_a_message_over_the_limit_is_answered_and_ends_the_connection(
    start: Start, n_chars: int
) -> None:
    client = await (await start(max_message_bytes=1_000)).client()
    await client.create("x" * n_chars)
    error = await client.event()
    assert error["error"]["code"] == "request_too_large"
    with pytest.raises(ConnectionClosed) as closed:
        await client.event()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


@pytest.mark.parametrize("n_frames", [1, 2])
async def test_text_that_is_not_utf_8_ends_the_connection(
    start: Start, caplog: pytest.LogCaptureFixture, n_frames: int
) -> None:
    """The log has one line, and no traceback."""
    client = await (await start()).client()
    frames = [b"{\xff}"] if n_frames == 1 else [b"{\xc3", b"}"]
    await client.socket.send(frames, text=True)
    with pytest.raises(ConnectionClosed) as closed:
        await client.event()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1007
    (record,) = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert (record.name, record.exc_info) == ("redline.gateway.serving.server", None)


async def test_a_socket_ends_at_its_age_limit(start: Start) -> None:
    engine = Slow()
    client = await (await start(engine, max_age_s=0.05)).client()
    await client.create()
    error = (await client.until("error"))[-1]
    assert error["error"]["code"] == "websocket_connection_limit_reached"
    assert "Create a new websocket connection" in error["error"]["message"]
    with pytest.raises(ConnectionClosed) as closed:
        await client.event()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1000
    if engine.n_begun:
        # On a busy machine the limit may come before the request.
        await engine.closed.wait()


@pytest.mark.parametrize("how", ["abort", "close"])
async def test_when_the_client_goes_all_its_answers_stop(
    start: Start, how: str
) -> None:
    engine = Slow()
    gateway = await start(engine)
    client = await gateway.client()
    for lane in ("a", "b"):
        await client.create(stream_id=lane)
    await client.until("response.output_text.delta")
    await client.until("response.output_text.delta")
    if how == "abort":
        client.socket.transport.abort()
    else:
        await client.socket.close()
    stopped = await gateway.saw("stopped", n=2)
    assert {entry.lane for entry in stopped} == {"a", "b"}
    await gateway.saw("closed")
    assert engine.n_closed == 2
    assert not gateway.all("ended")


async def test_a_client_that_never_reads_is_dropped(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine is paused meanwhile, and closed at the end."""

    class Endless(Slow):
        async def _pieces(self) -> AsyncGenerator[Piece, None]:
            try:
                while True:
                    yield TextPiece("x" * 10_000)
            finally:
                self.closed.set()

    monkeypatch.setattr(GatewayWebSocket, "patience_s", 0.05)
    engine = Endless()
    gateway = await start(engine)
    client = await gateway.client()
    client.socket.transport.pause_reading()
    await client.create()
    await engine.closed.wait()
    await gateway.saw("closed")


async def test_a_client_that_never_reads_its_close_is_dropped(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sooner than one that reads slowly: its place is free for others."""

    class Endless(Slow):
        async def _pieces(self) -> AsyncGenerator[Piece, None]:
            while True:
                yield TextPiece("x" * 10_000)

    monkeypatch.setattr(GatewayWebSocket, "patience_s", 3_600.0)
    monkeypatch.setattr(GatewayWebSocket, "close_s", 0.05)
    gateway = await start(Endless(), max_age_s=1.0)
    client = await gateway.client()
    client.socket.transport.pause_reading()
    await client.create()
    await gateway.saw("closed")
    client.socket.transport.abort()


async def test_a_client_that_reads_late_gets_everything_in_order(start: Start) -> None:
    """Lanes that wait for it neither lose events nor mix them up."""

    class Long(Slow):
        async def _pieces(self) -> AsyncGenerator[Piece, None]:
            for number in range(20):
                yield TextPiece(str(number % 10) * 200_000)

    gateway = await start(Long())
    client = await gateway.client()
    client.socket.transport.pause_reading()
    for lane in ("a", "b"):
        await client.create(stream_id=lane)
    await gateway.saw("create", n=2)
    client.socket.transport.resume_reading()
    events = await client.until("response.completed")
    events += await client.until("response.completed")
    for lane in ("a", "b"):
        numbers = [
            each["sequence_number"] for each in events if each["stream_id"] == lane
        ]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) > 20


@pytest.mark.parametrize("n_bytes", [0, 1, 125, 126, 65_535, 65_536, 200_000])
def test_a_message_is_one_frame_of_any_length(n_bytes: int) -> None:
    data = b"x" * n_bytes
    expected = Frame(Opcode.TEXT, data).serialize(mask=False)
    assert text_frame(data) == expected


async def test_a_refused_upgrade_has_a_status_and_a_reason(start: Start) -> None:
    gateway = await start()
    with pytest.raises(InvalidStatus) as refused:
        await gateway.client(Authorization="Bearer wrong")
    assert refused.value.response.status_code == 401
    body = json.loads(refused.value.response.body or b"")
    assert body["error"]["code"] == "invalid_api_key"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "file://"])
async def test_a_web_page_may_not_connect(start: Start, origin: str) -> None:
    """Not even with the token: browsers send the origin, and pages cannot change it."""
    gateway = await start()
    with pytest.raises(InvalidStatus) as refused:
        await gateway.client(Origin=origin)
    assert refused.value.response.status_code == 403
    body = json.loads(refused.value.response.body or b"")
    assert body["error"]["code"] == "invalid_origin"


async def test_only_so_many_connections_are_let_in(start: Start) -> None:
    gateway = await start(max_connections=1)
    first = await gateway.client()
    with pytest.raises(InvalidStatus) as refused:
        await gateway.client()
    assert refused.value.response.status_code == 503
    await first.socket.close()
    await gateway.saw("closed")
    assert kinds(await (await gateway.client()).answer())[-1] == "completed"


async def test_what_was_seen_is_recorded(start: Start) -> None:
    gateway = await start()
    client = await gateway.client()
    events = await client.answer(stream_id="a")
    await gateway.saw("ended")
    opened, create, *sent, ended = gateway.entries
    assert (opened.kind, create.kind, ended.kind) == ("opened", "create", "ended")
    assert json.loads(create.body or "")["stream_id"] == "a"
    assert create.n_chars == len(create.body or "")
    assert [entry.event for entry in sent] == [each["type"] for each in events]
    times = [entry.at for entry in gateway.entries]
    assert times == sorted(times)


async def test_rules_of_a_script_are_tried_in_order(start: Start) -> None:
    script = Script(
        rules=(
            ScriptRule(when=When(nth=1), reply=ScriptReply(text="first")),
            ScriptRule(when=When(model="other"), reply=ScriptReply(text="model")),
            ScriptRule(
                when=When(instruction="rename"), reply=ScriptReply(text="instruction")
            ),
            ScriptRule(
                when=When(contains="system"), reply=ScriptReply(text="contains")
            ),
        ),
        otherwise=ScriptReply(text="otherwise"),
    )
    client = await (await start(script)).client()

    async def text(given: str, **fields: Any) -> str:
        last = (await client.answer(given, **fields))[-1]
        answer: str = last["response"]["output"][0]["content"][0]["text"]
        return answer

    assert await text("x") == "first"
    assert await text("please rename it") == "instruction"
    assert await text("x", instructions="a system text") == "contains"
    assert await text("x") == "otherwise"
    await client.send(type="response.create", model="other", input="x")
    last = (await client.until("response.completed"))[-1]
    assert last["response"]["output"][0]["content"][0]["text"] == "model"
