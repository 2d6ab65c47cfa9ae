"""The Responses API over HTTP: one answer as a stream of events or as one body."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from redline.gateway.conversations import LaneCache
from redline.gateway.http_outlet import BodyOutlet, StreamOutlet
from redline.gateway.outlet import PeerGoneError
from redline.gateway.refusals import RefusedError, model_not_found
from redline.gateway.request_body import decode_body, read_body
from redline.gateway.retrieve import follow, response_body, while_connected
from redline.gateway.run import Run
from redline.gateway.service import Service
from redline.wire.events import ResponseCreate

_JSON = "application/json"


class CreateEndpoint:
    """`POST /v1/responses`."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        number = self._service.recorder.new_connection()
        body = await read_body(Request(scope, receive), self._service.config)
        create = decode_body(body, self._service)
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
        background = service.background.new(
            service.new_id("resp"), is_streamed=create.stream is True
        )
        run = Run(service, create, background, LaneCache(), background=background)
        await service.background.start(background, run.answer)
        if background.refusal is not None:
            raise RefusedError(background.refusal)
        if create.stream:
            await follow(background, service, scope, receive, send, number=number)
        else:
            await response_body(background)(scope, receive, send)


def models_body(names: tuple[str, ...]) -> bytes:
    """Return the body of `GET /v1/models`."""
    models = [_model(name) for name in names]
    return msgspec.json.encode({"object": "list", "data": models})


def model_body(name: str, names: tuple[str, ...]) -> bytes:
    """Return the body of `GET /v1/models/{name}`.

    Raises:
        RefusedError: If there is no such model.
    """
    if name not in names:
        raise RefusedError(model_not_found(name))
    return msgspec.json.encode(_model(name))


def _model(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "redline"}


async def _answer(run: Run, outlet: StreamOutlet | BodyOutlet) -> bool:
    try:
        await run.answer()
        if not run.is_refused:
            await outlet.finish(run.response)
    except PeerGoneError:
        return False
    return True
