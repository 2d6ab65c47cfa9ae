"""Answers of a model's server, event by event, and ways to spoil them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.models.model_server import Reply, Script, answer_events
from websockets.frames import Opcode

SPOILS: dict[str, bytes] = {
    "a close frame with an invalid code": bytes([0x80 | Opcode.CLOSE, 2, 0, 1]),
    "a close frame of one byte": bytes([0x80 | Opcode.CLOSE, 1, 3]),
    "text that is not UTF-8": bytes([0x80 | Opcode.TEXT, 2, 0xC3, 0x28]),
    "a ping that is too long": bytes([0x80 | Opcode.PING, 126, 0, 200]) + b"x" * 200,
    "an unknown opcode": bytes([0x80 | 0x3, 0]),
    "a reserved bit": bytes([0xC0 | Opcode.TEXT, 2]) + b"{}",
}


def always(*deltas: str) -> Script:
    """Answer every request alike."""

    async def script(reply: Reply) -> None:
        reply.answer(*deltas)

    return script


def first_then(first: Script, *deltas: str) -> Script:
    """Answer the first request by a script of its own, all others alike."""
    rest = always(*deltas)

    async def script(reply: Reply) -> None:
        await (first if reply.response_id == "resp_1" else rest)(reply)

    return script


def endless(delta: str, on_steer: Callable[[Reply], None]) -> Script:
    """Begin an answer that never ends, and treat each steer in a certain way."""

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta(delta)
        while not reply.gone.is_set():
            steer = asyncio.ensure_future(reply.steers.get())
            gone = asyncio.ensure_future(reply.gone.wait())
            await asyncio.wait((steer, gone), return_when=asyncio.FIRST_COMPLETED)
            gone.cancel()
            if not steer.done():
                steer.cancel()
                return
            on_steer(reply)

    return script


def refused_flat(reply: Reply) -> None:
    """Refuse a steer as a server does that has never heard of it."""
    message = "unknown event type: response.steer"
    reply.send({"type": "error", "code": "invalid_request_error", "message": message})


def refused_behind(reply: Reply) -> None:
    """Queue a steer behind the running answer, and refuse it then, as llmsim does."""
    completed = answer_events(reply.response_id, ["def f(x):\n"])[-1]
    reply.send(completed)
    refused_flat(reply)


def ignored(reply: Reply) -> None:
    """Go on as if nothing had come."""


def with_usage(n_tokens: int, *deltas: str) -> Script:
    """Answer, and count a number of input tokens."""

    async def script(reply: Reply) -> None:
        events = answer_events(reply.response_id, deltas)
        usage = {"input_tokens": n_tokens, "output_tokens": n_tokens}
        events[-1]["response"]["usage"] = {**usage, "total_tokens": n_tokens}
        reply.send(*events)

    return script
