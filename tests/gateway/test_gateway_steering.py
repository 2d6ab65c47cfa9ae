"""Steering over a real socket: accepted, refused, deferred, lost, and the successor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

import pytest

from redline.gateway.engines.engine import (
    EngineAnswer,
    EngineRequest,
    NextItem,
    Piece,
    TextPiece,
)
from redline.gateway.engines.script import Script, ScriptReply, ServerBehaviour
from redline.gateway.injected_faults import Faults
from redline.prompts.message import ChatMessage

if TYPE_CHECKING:
    from .conftest import Client, Gateway

Start = Callable[..., Awaitable["Gateway"]]


class TwoItems:
    """An engine that waits at the end of its first item."""

    models = ("two-items",)

    def __init__(self, *, n_items: int = 2, on_steer: str = "accept") -> None:
        self.requests: list[EngineRequest] = []
        self.go = asyncio.Event()
        self._n_items = n_items
        self._on_steer = on_steer

    def answer(self, request: EngineRequest) -> EngineAnswer:
        self.requests.append(request)
        pieces = self._pieces(f"answer {len(self.requests)}")
        return EngineAnswer(pieces=pieces, faults=Faults(on_steer=self._on_steer))

    async def _pieces(self, text: str) -> AsyncGenerator[Piece, None]:
        yield TextPiece(text)
        await self.go.wait()
        for _ in range(self._n_items - 1):
            yield NextItem()
            yield TextPiece("more")


async def begin(client: Client, **fields: Any) -> str:
    """Send a request; return its response's id once it is running."""
    await client.create("do it", **fields)
    events = await client.until("response.output_text.delta")
    response_id: str = events[0]["response"]["id"]
    return response_id


async def steer(client: Client, response_id: str, given: Any = "shorter") -> Any:
    await client.send(
        type="response.steer", previous_response_id=response_id, input=given
    )
    return await client.event()


async def test_a_steer_takes_effect_at_an_items_border(start: Start) -> None:
    """The item is finished, the rest is dropped, a successor begins by itself."""
    engine = TwoItems()
    client = await (await start(engine)).client()
    first = await begin(client, stream_id="a", instructions="Be kind.")
    accepted = await steer(client, first)
    assert accepted["type"] == "response.steer.accepted"
    assert accepted["steer"]["previous_response_id"] == first
    assert accepted["stream_id"] == "a"
    assert accepted["sequence_number"] == 5
    engine.go.set()
    ended = (await client.until("response.incomplete"))[-1]["response"]
    assert ended["incomplete_details"] == {"reason": "steered"}
    assert [item["status"] for item in ended["output"]] == ["completed"]
    created = await client.event()
    assert created["type"] == "response.created"
    assert created["stream_id"] == "a"
    assert created["sequence_number"] == 0
    assert created["response"]["previous_response_id"] == first
    assert created["response"]["id"] != first
    last = (await client.until("response.completed"))[-1]["response"]
    assert last["id"] == created["response"]["id"]
    assert engine.requests[1].prompt.chat_messages == (
        ChatMessage(role="user", text="do it"),
        ChatMessage(role="assistant", text="answer 1"),
        ChatMessage(role="user", text="shorter"),
    )
    assert engine.requests[1].prompt.instructions == "Be kind."


async def test_an_answer_of_one_item_is_completed_before_its_successor(
    start: Start,
) -> None:
    engine = TwoItems(n_items=1)
    client = await (await start(engine)).client()
    first = await begin(client)
    await steer(client, first)
    engine.go.set()
    assert (await client.until("response.completed"))[-1]["response"]["id"] == first
    assert (await client.event())["type"] == "response.created"
    await client.until("response.completed")


async def test_several_steers_reach_one_successor_in_order(start: Start) -> None:
    engine = TwoItems()
    client = await (await start(engine)).client()
    first = await begin(client)
    messages = [{"type": "message", "role": "user", "content": "two"}]
    assert (await steer(client, first, "one"))["type"] == "response.steer.accepted"
    assert (await steer(client, first, messages))["type"] == "response.steer.accepted"
    engine.go.set()
    await client.until("response.incomplete")
    await client.until("response.completed")
    assert len(engine.requests) == 2
    said = [each.text for each in engine.requests[1].prompt.chat_messages]
    assert said == ["do it", "answer 1", "one", "two"]


async def test_a_successor_can_be_continued(start: Start) -> None:
    engine = TwoItems()
    client = await (await start(engine)).client()
    first = await begin(client, store=False)
    await steer(client, first)
    engine.go.set()
    await client.until("response.incomplete")
    successor = (await client.until("response.completed"))[-1]["response"]["id"]
    events = await client.answer("next", previous_response_id=successor)
    assert events[-1]["type"] == "response.completed"
    said = [each.text for each in engine.requests[2].prompt.chat_messages]
    assert said == ["do it", "answer 1", "shorter", "answer 2more", "next"]


@pytest.mark.parametrize(
    "given",
    [
        "",
        [],
        [{"type": "message", "role": "assistant", "content": "x"}],
        [{"type": "function_call_output", "call_id": "c", "output": "x"}],
    ],
)
async def test_a_steer_that_is_no_users_text_is_refused(
    start: Start, given: Any
) -> None:
    engine = TwoItems()
    client = await (await start(engine)).client()
    failed = await steer(client, await begin(client), given)
    assert failed["type"] == "response.steer.failed"
    assert failed["error"]["code"] == "invalid_input"
    assert "id" not in failed["steer"]
    engine.go.set()
    await client.until("response.completed")
    assert len(engine.requests) == 1


async def test_a_refused_steer_gives_its_input_back(start: Start) -> None:
    engine = TwoItems(on_steer="teapot")
    client = await (await start(engine)).client()
    failed = await steer(client, await begin(client), "shorter")
    assert failed["steer"]["input"] == "shorter"
    assert failed["error"]["code"] == "teapot"
    engine.go.set()
    await client.until("response.completed")


async def test_only_so_many_steers_wait(start: Start) -> None:
    engine = TwoItems()
    client = await (await start(engine)).client()
    first = await begin(client)
    answers = [await steer(client, first) for _ in range(9)]
    assert answers[-2]["type"] == "response.steer.accepted"
    assert answers[-1]["error"]["code"] == "too_many_pending_steers"
    engine.go.set()
    await client.until("response.incomplete")
    await client.until("response.completed")


async def test_an_unknown_response_cannot_be_steered(start: Start) -> None:
    client = await (await start()).client()
    failed = await steer(client, "resp_nowhere")
    assert failed["error"]["code"] == "response_not_found"


@pytest.mark.parametrize("store", [True, False])
async def test_an_ended_response_cannot_be_steered(start: Start, store: bool) -> None:
    client = await (await start()).client()
    events = await client.answer(stream_id="a", store=store)
    failed = await steer(client, events[-1]["response"]["id"])
    assert failed["error"]["code"] == "response_already_completed"
    assert failed["stream_id"] == "a"


async def test_a_server_may_not_steer_at_all(start: Start) -> None:
    script = Script(
        otherwise=ScriptReply(text="long", repeat=100, tokens_per_s=50),
        server=ServerBehaviour(steering=False),
    )
    client = await (await start(script)).client()
    await client.create()
    created = await client.event()
    await client.send(
        type="response.steer",
        previous_response_id=created["response"]["id"],
        input="x",
    )
    failed = (await client.until("response.steer.failed"))[-1]
    assert failed["error"]["code"] == "steering_not_supported"


async def test_a_steer_can_stay_unanswered(start: Start) -> None:
    engine = TwoItems(on_steer="ignore")
    client = await (await start(engine)).client()
    first = await begin(client)
    await client.send(
        type="response.steer", previous_response_id=first, input="shorter"
    )
    engine.go.set()
    events = await client.until("response.completed")
    assert not any("steer" in each["type"] for each in events)
    assert len(engine.requests) == 1


async def test_a_steer_can_wait_for_the_clients_input(start: Start) -> None:
    engine = TwoItems(n_items=1, on_steer="pending")
    client = await (await start(engine)).client()
    first = await begin(client, store=False)
    accepted = await steer(client, first)
    engine.go.set()
    await client.until("response.completed")
    pending = await client.event()
    assert pending["type"] == "response.steer.pending"
    assert pending["steer"] == accepted["steer"]
    await client.answer("the input", previous_response_id=first)
    said = [each.text for each in engine.requests[1].prompt.chat_messages]
    assert said == ["do it", "answer 1", "shorter", "the input"]
