"""`previous_response_id`: what a socket remembers and what is stored."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from redline.gateway.engines.engine import (
    End,
    EngineAnswer,
    EngineRequest,
    Piece,
    TextPiece,
)

if TYPE_CHECKING:
    from .conftest import Client, Gateway

Start = Callable[..., Awaitable["Gateway"]]


class Echo:
    """An engine that repeats the conversation, and fails on request."""

    models = ("echo",)

    def answer(self, request: EngineRequest) -> EngineAnswer:
        return EngineAnswer(pieces=self._pieces(request))

    async def _pieces(self, request: EngineRequest) -> AsyncGenerator[Piece, None]:
        said = [each.text for each in request.prompt.chat_messages]
        if said[-1] == "fail":
            yield End(error_code="server_error")
        yield TextPiece("+".join(said))


async def ask(client: Client, given: Any, **fields: Any) -> tuple[str, str]:
    """Return an answer's id and text; for an error the text is its code."""
    last = (await client.answer(given, **fields))[-1]
    if last["type"] == "error":
        return "", last["error"]["code"]
    response = last["response"]
    if response["status"] == "failed":
        return response["id"], response["error"]["code"]
    return response["id"], response["output"][0]["content"][0]["text"]


NOT_FOUND = "previous_response_not_found"


async def test_a_conversation_goes_on_without_being_sent_again(start: Start) -> None:
    client = await (await start(Echo())).client()
    first, _ = await ask(client, "a", store=False)
    second, text = await ask(client, "b", store=False, previous_response_id=first)
    assert text == "a+a+b"
    _, text = await ask(client, "c", store=False, previous_response_id=second)
    assert text == "a+a+b+a+a+b+c"


async def test_without_a_previous_response_a_conversation_is_new(start: Start) -> None:
    client = await (await start(Echo())).client()
    await ask(client, "a")
    assert (await ask(client, "b"))[1] == "b"


async def test_the_frame_that_says_not_found(start: Start) -> None:
    client = await (await start()).client()
    (error,) = await client.answer(previous_response_id="resp_abc", stream_id="edit-1")
    assert error == {
        "type": "error",
        "status": 400,
        "stream_id": "edit-1",
        "error": {
            "type": "invalid_request_error",
            "code": NOT_FOUND,
            "message": "Previous response with id 'resp_abc' not found.",
            "param": "previous_response_id",
        },
    }


async def test_a_lane_keeps_only_its_latest(start: Start) -> None:
    client = await (await start(Echo())).client()
    first, _ = await ask(client, "a", store=False)
    await ask(client, "b", store=False, previous_response_id=first)
    again = await ask(client, "c", store=False, previous_response_id=first)
    assert again[1] == NOT_FOUND


async def test_a_fork_on_another_lane_keeps_its_parent(start: Start) -> None:
    client = await (await start(Echo())).client()
    parent, _ = await ask(client, "a", store=False)
    for lane in ("x", "y"):
        fork = await ask(
            client, lane, store=False, previous_response_id=parent, stream_id=lane
        )
        assert fork[1] == f"a+a+{lane}"
    assert (await ask(client, "b", store=False, previous_response_id=parent))[1] == (
        "a+a+b"
    )


async def test_a_failed_continuation_evicts_its_parent(start: Start) -> None:
    client = await (await start(Echo())).client()
    parent, _ = await ask(client, "a", store=False)
    failed = await ask(client, "fail", store=False, previous_response_id=parent)
    assert failed[1] == "server_error"
    again = await ask(client, "b", store=False, previous_response_id=parent)
    assert again[1] == NOT_FOUND


async def test_a_refused_continuation_evicts_its_parent(start: Start) -> None:
    client = await (await start(Echo())).client()
    parent, _ = await ask(client, "a", store=False)
    await ask(client, "b", previous_response_id=parent, max_output_tokens=0)
    again = await ask(client, "b", store=False, previous_response_id=parent)
    assert again[1] == NOT_FOUND


async def test_a_failed_fork_keeps_its_parent(start: Start) -> None:
    client = await (await start(Echo())).client()
    parent, _ = await ask(client, "a", store=False)
    await ask(client, "fail", previous_response_id=parent, stream_id="x")
    assert (await ask(client, "b", store=False, previous_response_id=parent))[1] == (
        "a+a+b"
    )


async def test_a_new_socket_knows_nothing_that_was_not_stored(start: Start) -> None:
    gateway = await start(Echo())
    one, two = await gateway.client(), await gateway.client()
    local, _ = await ask(one, "a", store=False)
    stored, _ = await ask(one, "a", stream_id="s")
    assert (await ask(two, "b", previous_response_id=local))[1] == NOT_FOUND
    assert (await ask(two, "b", previous_response_id=stored))[1] == "a+a+b"


async def test_a_queued_continuation_finds_what_ran_before_it(start: Start) -> None:
    """The parent is looked up when the request begins, not when it comes."""
    client = await (await start(Echo())).client()
    await client.create("a", store=False)
    created = await client.event()
    parent = created["response"]["id"]
    await client.create("b", store=False, previous_response_id=parent)
    await client.until("response.completed")
    last = (await client.until("response.completed"))[-1]["response"]
    assert last["output"][0]["content"][0]["text"] == "a+a+b"


async def test_the_store_lets_the_oldest_go(start: Start) -> None:
    gateway = await start(Echo(), max_stored=2)
    client = await gateway.client()
    ids = [(await ask(client, str(index)))[0] for index in range(3)]
    async with gateway.http() as http:
        found = [(await http.get(f"/responses/{each}")).status_code for each in ids]
    assert found == [404, 200, 200]


async def test_the_store_has_a_size(start: Start) -> None:
    gateway = await start(Echo(), max_stored_chars=5_000)
    client = await gateway.client()
    first, _ = await ask(client, "a")
    await ask(client, "b" * 2_000)
    async with gateway.http() as http:
        assert (await http.get(f"/responses/{first}")).status_code == 404


async def test_a_conversation_has_a_greatest_length(start: Start) -> None:
    client = await (await start(Echo(), max_context_chars=10)).client()
    first, _ = await ask(client, "abcd")
    assert (await ask(client, "abc", previous_response_id=first))[1] == (
        "context_length_exceeded"
    )


async def test_items_of_all_kinds_are_taken(start: Start) -> None:
    client = await (await start(Echo())).client()
    given = [
        {"type": "message", "role": "developer", "content": "a"},
        {"type": "reasoning", "id": "r", "summary": [], "content": None},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "b", "annotations": []}],
        },
        {"type": "function_call_output", "call_id": "c", "output": "o"},
        {"role": "user", "content": [{"type": "input_text", "text": "c"}]},
    ]
    assert (await ask(client, given))[1] == "a+b+c"
