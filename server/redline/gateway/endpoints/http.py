"""The Responses API over HTTP: reads a request, answers it by a stream or a body."""

from __future__ import annotations

import asyncio

import msgspec
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from redline.errors import RemoteProtocolError
from redline.gateway.answers.run import Run
from redline.gateway.config import GatewayConfig
from redline.gateway.endpoints.http_outlet import BodyOutlet, StreamOutlet
from redline.gateway.endpoints.retrieve import follow, response_body, while_connected
from redline.gateway.limits.accounts import UserAccount, account_of
from redline.gateway.outlet import PeerGoneError
from redline.gateway.refusals import (
    Refusal,
    RefusedError,
    too_large,
)
from redline.gateway.service import Service
from redline.gateway.stored.conversations import LaneCache
from redline.wire.events import ResponseCreate, decode_create


class CreateEndpoint:
    """`POST /v1/responses`."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        recorder = self._service.recorder
        number = recorder.new_connection()
        body = await read_body(Request(scope, receive), self._service.config)
        create = decode_body(body, self._service, account_of(scope))
        recorder.note("create", number, body=body.decode())
        if create.background:
            await self._answer_in_background(create, scope, receive, send, number)
            return
        outlet_type = StreamOutlet if create.stream else BodyOutlet
        outlet = outlet_type(scope, send, recorder=recorder, connection_number=number)
        run = Run(self._service, create, outlet, LaneCache(), account=account_of(scope))
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
        service, account = self._service, account_of(scope)
        if service.shared_background is not None:
            await service.shared_background.check()
        background = service.background.new(
            service.new_id("resp"),
            owner=account.owner,
            is_streamed=create.stream is True,
        )
        run = Run(
            service,
            create,
            background,
            LaneCache(),
            account=account,
            background=background,
        )
        await service.background.start(background, run.answer)
        if background.refusal is not None:
            raise RefusedError(background.refusal)
        if service.shared_background is not None:
            try:
                await service.shared_background.share(background)
            except RefusedError:
                await service.background.delete(background)
                raise
        if create.stream:
            await follow(background, service, scope, receive, send, number=number)
        else:
            await (await response_body(background))(scope, receive, send)


async def _answer(run: Run, outlet: StreamOutlet | BodyOutlet) -> bool:
    try:
        await run.answer()
        if not run.is_refused:
            await outlet.finish(run.response)
    except PeerGoneError:
        return False
    return True


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


def decode_body(body: bytes, service: Service, account: UserAccount) -> ResponseCreate:
    """Decode a request and count it for the limits of its user.

    Raises:
        RefusedError: If it cannot be decoded, or there are too many requests.
    """
    if (refusal := service.count_request(account)) is not None:
        service.count_refusal(account)
        service.metrics.refused.add(1, refusal.code or "refused")
        raise RefusedError(refusal)
    try:
        create = decode_create(body)
    except RemoteProtocolError as exc:
        refusal = Refusal(code="invalid_json", message=str(exc))
        raise RefusedError(refusal) from exc
    # Only WebSockets have lanes.
    return msgspec.structs.replace(create, stream_id=None)
