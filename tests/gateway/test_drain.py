"""The end of a gateway: no running answer is lost, and idle clients leave at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path

from tests.gateway.conftest import Client, Gateway
from tests.gateway.team_process import team_process
from websockets.exceptions import ConnectionClosed

from redline.gateway.engines.engine import EngineAnswer, EngineRequest, Piece, TextPiece
from redline.gateway.engines.script import ScriptReply

Start = Callable[..., Awaitable[Gateway]]

TEXT = "some words of an answer"

STEADY = ScriptReply(text=TEXT, tokens_per_s=10.0)

ENDLESS = ScriptReply(text="x" * 4_000, tokens_per_s=1.0)


class GatedEngine:
    """Begins an answer, and completes it when the test says so."""

    models = ("gated",)

    def __init__(self) -> None:
        self.may_end = asyncio.Event()

    def answer(self, request: EngineRequest) -> EngineAnswer:
        """Begin an answer."""
        return EngineAnswer(pieces=self._pieces())

    async def _pieces(self) -> AsyncGenerator[Piece, None]:
        yield TextPiece("a word")
        await self.may_end.wait()
        yield TextPiece(" and another")


async def closed(client: Client) -> tuple[list[dict[str, object]], int | None]:
    """Receive to the end of the connection: the events, and the close code."""
    events: list[dict[str, object]] = []
    try:
        while True:
            events.append(await client.event())
    except ConnectionClosed as end:
        return events, end.rcvd.code if end.rcvd else None


async def test_answers_are_completed_and_idle_sockets_closed(start: Start) -> None:
    engine = GatedEngine()
    gateway = await start(engine)
    assert gateway.server is not None
    idle, busy = await gateway.client(), await gateway.client()
    await busy.create(stream_id="a")
    await busy.until("response.output_text.delta")
    async with gateway.http() as http:
        ready = f"http://127.0.0.1:{gateway.port}/ready"
        assert (await http.get(ready)).json() == {"status": "ready"}
        gateway.server.begin_drain()
        (error,), code = await closed(idle)
        assert error["error"]["code"] == "websocket_connection_limit_reached"  # type: ignore[index]  # Any JSON.
        assert code == 1001
        # On the connection that it has: new ones are refused.
        answer = await http.get(ready)
        assert (answer.status_code, answer.json()) == (503, {"status": "draining"})
        refused = await http.post("/responses", json={"model": "m", "input": "hi"})
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    # A request that comes now is refused on its lane, as on a socket that is too old.
    await busy.create(stream_id="b")
    refusal = await busy.event()
    assert (refusal["type"], refusal["stream_id"]) == ("error", "b")
    engine.may_end.set()
    events, code = await closed(busy)
    assert code == 1001
    kinds = [(event.get("stream_id"), event["type"]) for event in events]
    assert ("a", "response.completed") in kinds
    assert gateway.serving is not None
    await gateway.serving


async def test_a_drain_has_an_end(start: Start) -> None:
    """Then answers are cut, as by a restart."""
    gateway = await start(ENDLESS, drain_s=0.05)
    assert gateway.server is not None
    client = await gateway.client()
    await client.create()
    await client.until("response.output_text.delta")
    gateway.server.begin_drain()
    _, code = await closed(client)
    assert code == 1012
    assert gateway.serving is not None
    await gateway.serving


async def test_sigterm_drains_the_gateway_of_a_team(
    start: Start, tmp_path: Path
) -> None:
    """A second one ends it at once."""
    for reply, n_signals in ((STEADY, 1), (ENDLESS, 2)):
        path = tmp_path / f"gateway-{n_signals}.toml"
        async with team_process(await start(reply), path) as gateway:
            client = await gateway.client()
            await client.create(model="coder")
            await client.until("response.output_text.delta")
            gateway.terminate()
            while b"open connections: 1" not in await gateway.line():
                continue
            if n_signals == 2:
                gateway.terminate()
            events, code = await closed(client)
            completed = [e for e in events if e["type"] == "response.completed"]
            expected = (1001, 1) if n_signals == 1 else (1012, 0)
            assert (code, len(completed)) == expected
            assert await gateway.ended() == 0
