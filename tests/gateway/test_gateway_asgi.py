"""The application under a server that offers nothing beyond plain ASGI."""

from __future__ import annotations

import asyncio
import json
from typing import Any  # ASGI messages are dictionaries of any values.

import pytest
from starlette.types import Message, Scope

from redline.gateway.app import create_app
from redline.gateway.config import GatewayConfig
from redline.gateway.engines.script import Script, ScriptEngine, ScriptReply
from redline.gateway.injected_faults import Cut, Say

CONNECT: Message = {"type": "websocket.connect"}
GONE: Message = {"type": "websocket.disconnect", "code": 1006}


async def run(
    scope: Scope, incoming: list[Message], *, reply: ScriptReply | None = None
) -> list[Message]:
    """Drive the application with messages; return those that it sends.

    The last incoming message, a disconnect, is held back until it has ended by itself
    or nothing more can come.
    """
    config = GatewayConfig(token="t", max_message_bytes=200)
    script = Script(otherwise=reply or ScriptReply(text="abcd"))
    app = create_app(ScriptEngine(script), config)
    sent: list[Message] = []
    over = asyncio.Event()

    async def receive() -> Message:
        if len(incoming) == 1:
            await over.wait()
        return incoming.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)
        text = message.get("text", "")
        if "response.completed" in text or message["type"] == "websocket.close":
            over.set()

    scope = {
        "path": "/v1/responses",
        "raw_path": b"/v1/responses",
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"authorization", b"Bearer t")],
        **scope,
    }
    async with asyncio.timeout(10):
        await app(scope, receive, send)
    return sent


def create(**fields: Any) -> Message:
    event = {"type": "response.create", "input": "hi"} | fields
    return {"type": "websocket.receive", "text": json.dumps(event)}


async def test_a_websocket_is_served() -> None:
    sent = await run({"type": "websocket"}, [CONNECT, create(), GONE])
    assert sent[0]["type"] == "websocket.accept"
    assert json.loads(sent[-1]["text"])["type"] == "response.completed"


async def test_a_refused_websocket_is_closed_before_it_opens() -> None:
    """Without the ASGI extension it cannot give the reason."""
    headers = [(b"host", b"localhost")]
    scope = {"type": "websocket", "headers": headers}
    assert await run(scope, [CONNECT, GONE]) == [{"type": "websocket.close"}]


async def test_a_large_message_that_the_server_lets_through_is_refused() -> None:
    incoming = [CONNECT, create(input="x" * 200), GONE]
    accept, error, close = await run({"type": "websocket"}, incoming)
    assert accept["type"] == "websocket.accept"
    assert json.loads(error["text"])["error"]["code"] == "request_too_large"
    assert (close["type"], close["code"]) == ("websocket.close", 1009)


@pytest.mark.parametrize("is_stream", [True, False])
async def test_a_connection_that_cannot_be_dropped_is_left(is_stream: bool) -> None:
    """The answer ends where the cut was due; nothing is raised."""
    body = json.dumps({"input": "hi", "stream": is_stream}).encode()
    incoming: list[Message] = [
        {"type": "http.request", "body": body, "more_body": False},
        {"type": "http.disconnect"},
    ]
    reply = ScriptReply(text="abcd", faults=(Cut(at=2),))
    sent = await run({"type": "http", "method": "POST"}, incoming, reply=reply)
    assert len(sent) == (3 if is_stream else 0)


async def test_the_whole_body_can_be_garbage() -> None:
    incoming: list[Message] = [
        {"type": "http.request", "body": b'{"input":"hi"}', "more_body": False},
        {"type": "http.disconnect"},
    ]
    reply = ScriptReply(faults=(Say(text="garbage"), Cut(at=1)))
    sent = await run({"type": "http", "method": "POST"}, incoming, reply=reply)
    assert sent[1]["body"] == b"garbage"


async def test_what_is_neither_http_nor_websocket_passes_the_guard() -> None:
    incoming = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    config = GatewayConfig(token="t")
    app = create_app(ScriptEngine(Script()), config)
    sent: list[str] = []

    async def receive() -> Message:
        return incoming.pop(0)

    async def send(message: Message) -> None:
        sent.append(message["type"])

    await app({"type": "lifespan"}, receive, send)
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
