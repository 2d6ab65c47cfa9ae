"""Reads the rest of a refused request, so that its client can read the answer.

A connection that is closed while the client still sends is reset, and the reset takes
the answer with it: the client reports a broken connection instead of the refusal.
uvicorn reads on if the connection stays open, but not after `Connection: close`.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from redline.gateway.config import GatewayConfig

MAX_DROPPED_BYTES = 64 * 1024 * 1024
"""How much of a body is read after its refusal; a longer one ends in a reset."""

_FIRST_ERROR_STATUS = 400
_CLOSE = (b"connection", b"close")


class UnreadBody:
    """Holds each refusal until the request's body has arrived, within limits."""

    def __init__(self, app: ASGIApp, config: GatewayConfig) -> None:
        self._app = app
        self._body_s = config.body_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] == "http" and _has_two_lengths(scope):
            # The connection must end with the answer (RFC 9112 section 6.1): a proxy
            # may have taken another part of the bytes for this request. uvicorn reads
            # this list again when the answer begins.
            scope["headers"].append(_CLOSE)
        if scope["type"] == "http" and _closes_while_sending(scope):
            deadline = asyncio.get_running_loop().time() + self._body_s
            request = _Request(receive, send, deadline)
            receive, send = request.receive, request.send
        await self._app(scope, receive, send)


class _Request:
    """One request with a body."""

    def __init__(self, receive: Receive, send: Send, deadline: float) -> None:
        self._receive = receive
        self._send = send
        self._deadline = deadline
        self._is_read = False

    async def receive(self) -> Message:
        message = await self._receive()
        # A disconnect has no `more_body` either.
        self._is_read = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        is_refusal = message.get("status", 0) >= _FIRST_ERROR_STATUS
        if is_refusal and not self._is_read:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._deadline):
                    await self._drop_rest()
        await self._send(message)

    async def _drop_rest(self) -> None:
        n_bytes = 0
        while not self._is_read and n_bytes <= MAX_DROPPED_BYTES:
            n_bytes += len((await self.receive()).get("body", b""))


def _has_two_lengths(scope: Scope) -> bool:
    names = {name for name, _ in scope["headers"]}
    return {b"content-length", b"transfer-encoding"} <= names


def _closes_while_sending(scope: Scope) -> bool:
    """Whether the connection ends with the answer, and a body comes unasked."""
    headers = dict(scope["headers"])
    has_body = b"transfer-encoding" in headers or b"content-length" in headers
    connection = headers.get(b"connection", b"").lower()
    closes = b"close" in connection or scope.get("http_version") == "1.0"
    return closes and has_body and b"expect" not in headers
