"""Reads the body of a request to the Responses API over HTTP."""

from __future__ import annotations

import asyncio

import msgspec
from starlette.requests import Request

from redline.errors import RemoteProtocolError
from redline.gateway.config import GatewayConfig
from redline.gateway.refusals import Refusal, RefusedError, rate_limited, too_large
from redline.gateway.service import Service
from redline.wire.events import ResponseCreate, decode_create


async def read_body(request: Request, config: GatewayConfig) -> bytes:
    """Read a body within the limits of size and time.

    Raises:
        RefusedError: If it is too large, or takes too long.
        ClientDisconnect: If the client disconnects.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(config.body_s):
            async for chunk in request.stream():
                body += chunk
                if len(body) > config.max_message_bytes:
                    raise RefusedError(too_large(config.max_message_bytes))
    except TimeoutError as exc:
        refusal = Refusal(message="The body took too long.", status=408)
        raise RefusedError(refusal) from exc
    return bytes(body)


def decode_body(body: bytes, service: Service) -> ResponseCreate:
    """Decode a request and count it for the rate limit.

    Raises:
        RefusedError: If it cannot be decoded, or there are too many requests.
    """
    if (wait_s := service.seconds_to_wait()) > 0:
        raise RefusedError(rate_limited(wait_s))
    try:
        create = decode_create(body)
    except RemoteProtocolError as exc:
        refusal = Refusal(code="invalid_json", message=str(exc))
        raise RefusedError(refusal) from exc
    # Only WebSockets have lanes.
    return msgspec.structs.replace(create, stream_id=None)
