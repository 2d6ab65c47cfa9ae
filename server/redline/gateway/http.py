"""The Responses API over HTTP: one answer as a stream of events or as one body."""

from __future__ import annotations

import asyncio

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from redline.errors import RemoteProtocolError
from redline.gateway.conversations import LaneCache
from redline.gateway.denial import deny
from redline.gateway.http_outlet import BodyOutlet, StreamOutlet
from redline.gateway.kept import follow, send_kept, while_connected
from redline.gateway.outlet import PeerGoneError
from redline.gateway.refusals import (
    Refusal,
    RefusedError,
    rate_limited,
    too_large,
)
from redline.gateway.run import Run
from redline.gateway.service import Service
from redline.wire.events import ResponseCreate, decode_create

_JSON = "application/json"


class CreateEndpoint:
    """`POST /v1/responses`."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        number = self._service.recorder.new_connection()
        try:
            body = await self._read(Request(scope, receive))
            create = self._decode(body)
        except RefusedError as refused:
            await deny(scope, send, refused.refusal)
            return
        except ClientDisconnect:
            return
        self._service.recorder.note("create", number, body=body.decode())
        await self._answer(create, scope, receive, send, number)

    async def _answer(
        self,
        create: ResponseCreate,
        scope: Scope,
        receive: Receive,
        send: Send,
        number: int,
    ) -> None:
        if create.background:
            await self._answer_in_background(create, scope, receive, send, number)
            return
        recorder = self._service.recorder
        outlet_type = StreamOutlet if create.stream else BodyOutlet
        outlet = outlet_type(scope, send, recorder=recorder, connection_number=number)
        run = Run(self._service, create, outlet, LaneCache())
        is_answered = await while_connected(receive, _answer(run, outlet))
        recorder.note("ended" if is_answered else "stopped", number)

    async def _answer_in_background(
        self,
        create: ResponseCreate,
        scope: Scope,
        receive: Receive,
        send: Send,
        number: int,
    ) -> None:
        service = self._service
        try:
            kept = service.background.new(
                service.new_id("resp"), is_streamed=create.stream is True
            )
        except RefusedError as refused:
            await deny(scope, send, refused.refusal)
            return
        run = Run(service, create, kept, LaneCache(), kept=kept)
        await service.background.start(kept, run.answer)
        if kept.refusal is not None:
            await deny(scope, send, kept.refusal)
        elif create.stream:
            await follow(kept, service, scope, receive, send, number=number)
        else:
            await send_kept(kept, scope, receive, send)

    async def _read(self, request: Request) -> bytes:
        max_bytes = self._service.config.max_message_bytes
        body = bytearray()
        try:
            async with asyncio.timeout(self._service.config.body_s):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > max_bytes:
                        raise RefusedError(too_large(max_bytes))
        except TimeoutError as exc:
            refusal = Refusal(message="The body took too long.", status=408)
            raise RefusedError(refusal) from exc
        return bytes(body)

    def _decode(self, body: bytes) -> ResponseCreate:
        if (wait_s := self._service.seconds_to_wait()) > 0:
            raise RefusedError(rate_limited(wait_s))
        try:
            create = decode_create(body)
        except RemoteProtocolError as exc:
            refusal = Refusal(code="invalid_json", message=str(exc))
            raise RefusedError(refusal) from exc
        # Lanes are a WebSocket's affair.
        return msgspec.structs.replace(create, stream_id=None)


def models_body(names: tuple[str, ...]) -> bytes:
    """The body of `GET /v1/models`."""
    models = [
        {"id": name, "object": "model", "created": 0, "owned_by": "redline"}
        for name in names
    ]
    return msgspec.json.encode({"object": "list", "data": models})


async def _answer(run: Run, outlet: StreamOutlet | BodyOutlet) -> bool:
    try:
        await run.answer()
        if not run.is_refused:
            await outlet.finish(run.response)
    except PeerGoneError:
        return False
    return True
