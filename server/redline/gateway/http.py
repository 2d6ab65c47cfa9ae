"""The Responses API over HTTP: one answer as a stream of events or as one body."""

from __future__ import annotations

import asyncio

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response as HttpResponse
from starlette.types import Receive, Scope, Send

from redline.errors import RemoteProtocolError
from redline.gateway.conversations import LaneCache
from redline.gateway.denial import deny
from redline.gateway.http_outlet import BodyOutlet, StreamOutlet
from redline.gateway.outlet import PeerGoneError
from redline.gateway.refusals import (
    Refusal,
    RefusedError,
    rate_limited,
    too_large,
    unsupported,
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
        recorder = self._service.recorder
        outlet_type = StreamOutlet if create.stream else BodyOutlet
        outlet = outlet_type(scope, send, recorder=recorder, connection_number=number)
        run = Run(self._service, create, outlet, LaneCache())
        is_answered = await _while_connected(receive, run, outlet)
        recorder.note("ended" if is_answered else "stopped", number)

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


class RetrieveEndpoint:
    """`GET /v1/responses/{id}`: a response that was stored."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        response_id = request.path_params["response_id"]
        stored = self._service.store.get(response_id)
        if request.query_params.get("stream", "false") == "true":
            why = "A stored response cannot be streamed."
            await deny(scope, send, unsupported("stream", why))
        elif stored is None:
            refusal = Refusal(
                message=f"Response with id '{response_id[:128]}' not found.",
                status=404,
                param="response_id",
            )
            await deny(scope, send, refusal)
        else:
            answer = HttpResponse(stored.body, media_type=_JSON)
            await answer(scope, receive, send)


def models_body(names: tuple[str, ...]) -> bytes:
    """The body of `GET /v1/models`."""
    models = [
        {"id": name, "object": "model", "created": 0, "owned_by": "redline"}
        for name in names
    ]
    return msgspec.json.encode({"object": "list", "data": models})


async def _while_connected(
    receive: Receive, run: Run, outlet: StreamOutlet | BodyOutlet
) -> bool:
    """Answer a request, unless the client goes; return whether it was answered."""
    async with asyncio.TaskGroup() as group:
        answering = group.create_task(_answer(run, outlet), name="answer over HTTP")
        watching = group.create_task(
            _watch(receive, answering), name="watch an HTTP client"
        )
        answering.add_done_callback(lambda _: watching.cancel())
    return not answering.cancelled() and answering.result()


async def _answer(run: Run, outlet: StreamOutlet | BodyOutlet) -> bool:
    try:
        await run.answer()
        if not run.is_refused:
            await outlet.finish(run.response)
    except PeerGoneError:
        return False
    return True


async def _watch(receive: Receive, answering: asyncio.Task[bool]) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
    answering.cancel()
