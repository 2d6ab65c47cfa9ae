"""Background responses continue without their client, and are stored for a while."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from redline.gateway.config import GatewayConfig
from redline.gateway.engines.engine import EngineAnswer, EngineRequest, Piece, TextPiece
from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When
from redline.gateway.injected_faults import Close, Cut, Refuse, Say, Stall
from redline.gateway.outlet import Sent
from redline.gateway.refusals import Refusal
from redline.gateway.stored.background import BackgroundResponse, BackgroundResponses

if TYPE_CHECKING:
    from .conftest import Event, Gateway

Start = Callable[..., Awaitable["Gateway"]]

REQUEST = {"model": "m", "input": "hi", "background": True}

N_EVENTS = 11
"""Of the answer "abcdefgh" in two deltas: 0 created, 1 queued, 2 in progress …"""


class Tap:
    """An engine that sends a letter whenever the test says so."""

    models = ("tap",)

    def __init__(self) -> None:
        self.n_begun = 0
        self._letters: asyncio.Queue[str | None] = asyncio.Queue()

    def say(self, *letters: str) -> None:
        """Say letters."""
        for letter in letters:
            self._letters.put_nowait(letter)

    def end(self) -> None:
        """End the answer."""
        self._letters.put_nowait(None)

    def answer(self, request: EngineRequest) -> EngineAnswer:
        """Begin an answer."""
        return EngineAnswer(pieces=self._pieces())

    async def _pieces(self) -> AsyncGenerator[Piece, None]:
        self.n_begun += 1
        while (letter := await self._letters.get()) is not None:
            yield TextPiece(letter)


@asynccontextmanager
async def stream(
    http: httpx.AsyncClient, method: str, path: str, **more: Any
) -> AsyncIterator[AsyncIterator[Event]]:
    """Stream events."""
    async with http.stream(method, path, **more) as answer:
        assert answer.status_code == 200
        yield _events(answer)


async def _events(answer: httpx.Response) -> AsyncIterator[Event]:
    async for line in answer.aiter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


async def create(http: httpx.AsyncClient, **fields: Any) -> Event:
    """Create a background response without a stream; return its object."""
    answer = await http.post("/responses", json=REQUEST | fields)
    assert answer.status_code == 200
    body: Event = answer.json()
    return body


async def created_id(http: httpx.AsyncClient) -> str:
    """Create one with a stream, and disconnect at once."""
    body = REQUEST | {"stream": True}
    async with stream(http, "POST", "/responses", json=body) as events:
        return str((await anext(events))["response"]["id"])


async def fetched(http: httpx.AsyncClient, response_id: str) -> Event:
    """Fetch a response."""
    answer = await http.get(f"/responses/{response_id}")
    assert answer.status_code == 200
    body: Event = answer.json()
    return body


async def all_events(
    http: httpx.AsyncClient, response_id: str, **params: Any
) -> list[Event]:
    """Stream a response again, to its end."""
    params = {"stream": "true", **params}
    path = f"/responses/{response_id}"
    async with stream(http, "GET", path, params=params) as events:
        return [event async for event in events]


async def until_status(http: httpx.AsyncClient, response_id: str, status: str) -> Event:
    """Poll a response until it has a status."""
    async with asyncio.timeout(10):
        while (body := await fetched(http, response_id))["status"] != status:
            continue
    return body


async def test_the_stream_of_a_background_response(start: Start) -> None:
    gateway = await start(ScriptReply(text="abcdefgh"))
    async with gateway.http() as http:
        body = REQUEST | {"stream": True}
        async with stream(http, "POST", "/responses", json=body) as events:
            seen = [event async for event in events]
        again = await all_events(http, seen[0]["response"]["id"])
    assert [event["sequence_number"] for event in seen] == list(range(N_EVENTS))
    assert [event["type"] for event in seen[:3]] == [
        "response.created",
        "response.queued",
        "response.in_progress",
    ]
    statuses = [event["response"]["status"] for event in (*seen[:3], seen[-1])]
    assert statuses == ["queued", "queued", "in_progress", "completed"]
    assert seen[0]["response"]["background"] is True
    assert again == seen


async def test_it_is_queued_worked_on_and_completed(start: Start) -> None:
    tap = Tap()
    gateway = await start(tap, max_background_running=1)
    async with gateway.http() as http:
        first = (await create(http))["id"]
        second = await create(http)
        assert second["status"] == "queued"
        await until_status(http, first, "in_progress")
        assert (await fetched(http, second["id"]))["status"] == "queued"
        assert tap.n_begun == 1
        tap.say("a")
        tap.end()
        body = await until_status(http, first, "completed")
        assert body["output"][0]["content"][0]["text"] == "a"
        await until_status(http, second["id"], "in_progress")


async def test_it_goes_on_while_the_client_is_gone(start: Start) -> None:
    tap = Tap()
    gateway = await start(tap)
    async with gateway.http() as http:
        response_id = await created_id(http)
        await gateway.saw("stopped")
        tap.say("a", "b")
        tap.end()
        body = await until_status(http, response_id, "completed")
    assert body["output"][0]["content"][0]["text"] == "ab"


@pytest.mark.parametrize("after", range(-1, N_EVENTS))
async def test_a_stream_is_taken_up_anywhere(start: Start, after: int) -> None:
    gateway = await start(ScriptReply(text="abcdefgh"))
    async with gateway.http() as http:
        response_id = await created_id(http)
        params = {} if after < 0 else {"starting_after": after}
        seen = await all_events(http, response_id, **params)
    numbers = [event["sequence_number"] for event in seen]
    assert numbers == list(range(after + 1, N_EVENTS))


async def test_what_was_no_stream_does_not_become_one(start: Start) -> None:
    gateway = await start()
    async with gateway.http() as http:
        response_id = (await create(http))["id"]
        answer = await http.get(f"/responses/{response_id}?stream=true")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "unsupported_parameter"


async def test_two_follow_while_it_runs(start: Start) -> None:
    tap = Tap()
    gateway = await start(tap)
    async with gateway.http() as http:
        response_id = await created_id(http)
        # The client that created it has left, and is sent nothing further.
        await gateway.saw("stopped")
        n_before = len(gateway.all("sent"))
        async with asyncio.TaskGroup() as group:
            tap.say("a")
            one = group.create_task(all_events(http, response_id))
            two = group.create_task(all_events(http, response_id, starting_after=3))
            await gateway.saw("sent", n=n_before + 6 + 2)
            tap.say("b")
            tap.end()
    assert one.result()[4:] == two.result()
    assert two.result()[-1]["type"] == "response.completed"


async def test_a_stream_may_be_silent_from_its_beginning(start: Start) -> None:
    """The head of the answer does not wait for an event."""
    tap = Tap()
    gateway = await start(tap)
    async with gateway.http() as http:
        response_id = await created_id(http)
        await until_status(http, response_id, "in_progress")
        params = {"stream": "true", "starting_after": "2"}
        path = f"/responses/{response_id}"
        async with stream(http, "GET", path, params=params) as events:
            tap.say("a")
            assert (await anext(events))["sequence_number"] == 3


async def test_cancelled_while_it_runs(start: Start) -> None:
    tap = Tap()
    gateway = await start(tap)
    async with gateway.http() as http:
        response_id = await created_id(http)
        await until_status(http, response_id, "in_progress")
        async with asyncio.TaskGroup() as group:
            following = group.create_task(all_events(http, response_id))
            await gateway.saw("sent", n=4)
            answer = await http.post(f"/responses/{response_id}/cancel")
        assert answer.json()["status"] == "cancelled"
        assert following.result()[-1]["type"] == "response.in_progress"
        again = await http.post(f"/responses/{response_id}/cancel")
        assert again.json() == answer.json() == await fetched(http, response_id)


async def test_cancelled_before_its_turn(start: Start) -> None:
    tap = Tap()
    gateway = await start(tap, max_background_running=1)
    async with gateway.http() as http:
        await create(http)
        second = (await create(http))["id"]
        answer = await http.post(f"/responses/{second}/cancel")
        assert answer.json()["status"] == "cancelled"
        third = (await create(http))["id"]
        tap.end()
        await until_status(http, third, "in_progress")


async def test_cancelling_what_has_ended_changes_nothing(start: Start) -> None:
    gateway = await start()
    async with gateway.http() as http:
        response_id = (await create(http))["id"]
        body = await until_status(http, response_id, "completed")
        answer = await http.post(f"/responses/{response_id}/cancel")
        assert answer.json() == body
        foreground = (await http.post("/responses", json={"input": "hi"})).json()["id"]
        answer = await http.post(f"/responses/{foreground}/cancel")
        assert answer.status_code == 400
        answer = await http.post("/responses/resp_unknown/cancel")
        assert answer.status_code == 404


async def test_deleted(start: Start) -> None:
    tap = Tap()
    gateway = await start(tap)
    async with gateway.http() as http:
        running = await created_id(http)
        answer = await http.delete(f"/responses/{running}")
        assert answer.json() == {
            "id": running,
            "object": "response",
            "deleted": True,
        }
        ended = (await create(http))["id"]
        tap.end()
        await until_status(http, ended, "completed")
        await http.delete(f"/responses/{ended}")
        for path in (running, ended, f"{ended}?stream=true"):
            assert (await http.get(f"/responses/{path}")).status_code == 404
        assert (await http.delete(f"/responses/{ended}")).status_code == 404


async def test_the_events_go_after_a_while(start: Start) -> None:
    """The response itself stays as long as any that was stored."""
    gateway = await start(background_kept_s=0.0)
    async with gateway.http() as http:
        response_id = await created_id(http)
        body = await until_status(http, response_id, "completed")
        assert body["output"]
        answer = await http.get(f"/responses/{response_id}?stream=true")
        assert answer.json()["error"]["code"] == "unsupported_parameter"


async def test_the_oldest_go_to_make_room(start: Start) -> None:
    gateway = await start(max_background=2)
    async with gateway.http() as http:
        ids = []
        for _ in range(3):
            ids.append(await created_id(http))
            await until_status(http, ids[-1], "completed")
        statuses = [
            (await http.get(f"/responses/{each}?stream=true")).status_code
            for each in ids
        ]
    assert statuses == [400, 200, 200]


@pytest.mark.parametrize(
    ("owners", "kept"),
    [
        (["ada"] * 4, [0, 0, 1, 1]),
        # Those of a user with fewer stay.
        (["ada", "bob", "bob", "bob"], [1, 0, 0, 1]),
    ],
)
async def test_many_large_ones_are_not_kept_together(
    owners: list[str], kept: list[int]
) -> None:
    """The oldest go when one ends, although nobody asks for any."""
    registry = BackgroundResponses(GatewayConfig(max_stored_chars=1_000), now=float)
    ids = [f"resp_{number}" for number in range(4)]
    for response_id, owner in zip(ids, owners, strict=True):
        response = registry.new(response_id, owner=owner, is_streamed=True)
        data = json.dumps({"sequence_number": 0, "text": "x" * 400})

        async def answer(
            response: BackgroundResponse = response, data: str = data
        ) -> None:
            await response.send([Sent("", data.encode())])

        await registry.start(response, answer)
        assert response.task is not None
        await response.task
    assert [registry.by_id(each) is not None for each in ids] == kept
    await registry.aclose()


async def test_one_that_fails_inside_has_failed(start: Start) -> None:
    """It is not queued for ever."""

    class Broken(Tap):
        def answer(self, request: EngineRequest) -> EngineAnswer:
            raise RuntimeError

    gateway = await start(Broken())
    async with gateway.http() as http:
        response_id = (await create(http))["id"]
        await until_status(http, response_id, "failed")


async def test_no_room_while_all_are_under_way(start: Start) -> None:
    gateway = await start(Tap(), max_background=1)
    async with gateway.http() as http:
        await create(http)
        answer = await http.post("/responses", json=REQUEST)
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "5"


async def test_an_answer_without_end_is_ended(start: Start) -> None:
    gateway = await start(
        ScriptReply(text="ab", repeat=10_000), max_background_bytes=2_000
    )
    async with gateway.http() as http:
        response_id = (await create(http))["id"]
        body = await until_status(http, response_id, "failed")
    assert body["error"]["code"] == "response_too_long"


@pytest.mark.parametrize("at", range(N_EVENTS + 1))
@pytest.mark.parametrize("fault", [Cut, Close])
async def test_a_break_is_felt_by_the_follower_alone(
    start: Start, fault: type[Cut | Close], at: int
) -> None:
    gateway = await start(
        ScriptReply(text="abcdefgh", tokens_per_s=2_000, faults=(fault(at=at),))
    )
    seen: list[Event] = []
    async with gateway.http() as http:
        body = REQUEST | {"stream": True}
        try:
            async with stream(http, "POST", "/responses", json=body) as events:
                async for event in events:
                    seen.append(event)
        except httpx.TransportError:
            assert len(seen) <= at + 2
        if seen:
            response_id = seen[0]["response"]["id"]
            after = seen[-1]["sequence_number"]
            seen += await all_events(http, response_id, starting_after=after)
            numbers = [event["sequence_number"] for event in seen]
            assert numbers == list(range(N_EVENTS))


async def test_what_is_no_event_is_told_too(start: Start) -> None:
    gateway = await start(
        ScriptReply(text="abcd", faults=(Say(at=2, text='{"type":"x"}'),))
    )
    async with gateway.http() as http:
        response_id = await created_id(http)
        seen = await all_events(http, response_id)
    assert [event["type"] for event in seen].count("x") == 1


async def test_an_error_event_fails_it(start: Start) -> None:
    refuse = Refuse(at=2, error=Refusal(code="overloaded", message="Later."))
    gateway = await start(ScriptReply(text="abcd", faults=(refuse,)))
    async with gateway.http() as http:
        response_id = await created_id(http)
        seen = await all_events(http, response_id)
        body = await fetched(http, response_id)
    assert seen[-1]["type"] == "error"
    assert seen[-1]["sequence_number"] == seen[-2]["sequence_number"] + 1
    assert (body["status"], body["error"]["code"]) == ("failed", "overloaded")


async def test_a_failed_one_is_fetched(start: Start) -> None:
    gateway = await start(ScriptReply(text="a", failed="server_error"))
    async with gateway.http() as http:
        response_id = (await create(http))["id"]
        body = await until_status(http, response_id, "failed")
    assert body["error"]["code"] == "server_error"


@pytest.mark.parametrize("after", ["x", "1.5", "--1", "", "9" * 5_000])
async def test_a_place_to_begin_is_a_number(start: Start, after: str) -> None:
    gateway = await start()
    async with gateway.http() as http:
        response_id = await created_id(http)
        params = {"stream": "true", "starting_after": after}
        answer = await http.get(f"/responses/{response_id}", params=params)
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "starting_after"


async def test_not_on_a_socket(start: Start) -> None:
    gateway = await start()
    client = await gateway.client()
    events = await client.answer(background=True)
    assert events[-1]["error"]["param"] == "background"


async def test_what_runs_ends_with_the_gateway(start: Start) -> None:
    gateway = await start(ScriptReply(text="abcd", faults=(Stall(at=4),)))
    async with gateway.http() as http:
        await create(http)
        await gateway.end()


async def test_the_form_that_is_asked_for(start: Start) -> None:
    """It is echoed, and an engine may go by its name."""
    rule = ScriptRule(when=When(schema="findings"), reply=ScriptReply(text="[]"))
    gateway = await start(Script(rules=(rule,)))
    asked = {
        "type": "json_schema",
        "name": "findings",
        "schema": {"type": "array", "items": {"type": "object"}},
        "strict": True,
    }
    async with gateway.http() as http:
        request = {"model": "m", "input": "hi", "text": {"format": asked}}
        body = (await http.post("/responses", json=request)).json()
        plain = (await http.post("/responses", json={"input": "hi"})).json()
    assert body["text"] == {"format": asked, "verbosity": "medium"}
    assert body["output"][0]["content"][0]["text"] == "[]"
    assert plain["text"]["format"] == {"type": "text"}
