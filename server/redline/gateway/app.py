"""Assembles the gateway: an ASGI application around an engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute

from redline.gateway.config import GatewayConfig
from redline.gateway.drain import Drain
from redline.gateway.endpoints.guard import Guard
from redline.gateway.endpoints.http import CreateEndpoint
from redline.gateway.endpoints.input_endpoints import InputEndpoints
from redline.gateway.endpoints.retrieve import RetrieveEndpoint
from redline.gateway.endpoints.unread_body import UnreadBody
from redline.gateway.endpoints.user_endpoint import UserEndpoint
from redline.gateway.endpoints.websocket import SocketEndpoint
from redline.gateway.engines.engine import Engine
from redline.gateway.limits.accounts import Accounts
from redline.gateway.limits.turns import Turns
from redline.gateway.metrics import Metrics
from redline.gateway.recording import Recorder
from redline.gateway.refusals import (
    Refusal,
    RefusedError,
    http_body,
    model_not_found,
)
from redline.gateway.service import Service
from redline.gateway.stored.shared_store import SharedStore

RESPONSES_PATH = "/v1/responses"

_JSON = "application/json"


def create_app(
    engine: Engine,
    config: GatewayConfig,
    *,
    accounts: Accounts | None = None,
    turns: Turns | None = None,
    drain: Drain | None = None,
    metrics: Metrics | None = None,
    recorder: Recorder | None = None,
    shared: SharedStore | None = None,
) -> Starlette:
    """Build the application, which any ASGI server can serve.

    Args:
        engine: Answers the requests.
        config: The token and the limits.
        accounts: The users; None: one, who has the token of `config`.
        turns: Who is answered next; None: everybody at once.
        drain: Ends it without losing an answer; None: nobody begins one.
        metrics: Counts what happens; None: nobody reads it.
        recorder: Records what happens, for tests and benchmarks.
        shared: Holds the responses of several workers; None: each holds its own.
    """
    if accounts is None:
        assert config.token is not None
        accounts = Accounts.of_token(config.token)
    turns = turns or Turns(lambda _: None, queue_s=config.queue_s)
    drain = drain or Drain()
    metrics = metrics or Metrics()
    service = Service(
        engine, config, recorder or Recorder(), turns, drain, metrics, shared
    )
    inputs, stored = InputEndpoints(service), RetrieveEndpoint(service)

    def ready(request: Request) -> Response:
        """Report whether new connections are taken; needs no token."""
        if drain.has_begun:
            return Response(b'{"status":"draining"}', status_code=503, media_type=_JSON)
        return Response(b'{"status":"ready"}', media_type=_JSON)

    def models(request: Request) -> Response:
        body = {"object": "list", "data": [_model(name) for name in engine.models]}
        return Response(msgspec.json.encode(body), media_type=_JSON)

    def model(request: Request) -> Response:
        name: str = request.path_params["name"]
        if name not in engine.models:
            raise RefusedError(model_not_found(name))
        return Response(msgspec.json.encode(_model(name)), media_type=_JSON)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        service.begin()
        yield
        await service.aclose()

    return Starlette(
        routes=[
            WebSocketRoute(RESPONSES_PATH, SocketEndpoint(service)),
            Route(RESPONSES_PATH, CreateEndpoint(service), methods=["POST"]),
            # Before the route of ids, which would match them too.
            Route(
                RESPONSES_PATH + "/input_tokens", inputs.count_tokens, methods=["POST"]
            ),
            Route(RESPONSES_PATH + "/compact", inputs.compact, methods=["POST"]),
            Route(RESPONSES_PATH + "/{response_id}/input_items", inputs.list_items),
            Route(RESPONSES_PATH + "/{response_id}", stored, methods=["GET", "DELETE"]),
            Route(
                RESPONSES_PATH + "/{response_id}/cancel",
                stored.cancel,
                methods=["POST"],
            ),
            Route("/v1/me", UserEndpoint(service).answer),
            Route("/v1/models", models),
            Route("/v1/models/{name:path}", model),
            Route("/health", health),
            Route("/ready", ready),
        ],
        middleware=[
            Middleware(UnreadBody, config=config),
            Middleware(
                Guard, config=config, accounts=accounts, drain=drain, metrics=metrics
            ),
        ],
        exception_handlers={
            HTTPException: on_http_exception,
            RefusedError: on_refusal,
            ClientDisconnect: on_disconnect,
        },
        lifespan=lifespan,
    )


def health(request: Request) -> Response:
    """Report that the gateway runs; needs no token."""
    return Response(b'{"status":"ok"}', media_type=_JSON)


def on_http_exception(request: Request, exc: Exception) -> Response:
    """Write the router's own errors (404, 405) in the API's form."""
    assert isinstance(exc, HTTPException)
    return _refused(
        Refusal(message=exc.detail, status=exc.status_code), headers=exc.headers
    )


def on_refusal(request: Request, exc: Exception) -> Response:
    """Answer a request that an endpoint refused."""
    assert isinstance(exc, RefusedError)
    return _refused(exc.refusal, headers=exc.refusal.headers)


def on_disconnect(request: Request, exc: Exception) -> Response:
    """Answer nothing: the client left while it sent its request."""
    return Response()


def _refused(refusal: Refusal, *, headers: Mapping[str, str] | None) -> Response:
    return Response(
        http_body(refusal),
        status_code=refusal.status or 400,
        headers=headers,
        media_type=_JSON,
    )


def _model(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "redline"}
