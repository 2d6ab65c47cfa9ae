"""What the tests over real sockets share."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from tests.models.model_server import Behaviour, ModelServer, Reply, Script

from redline.models.build import build_model
from redline.models.describe import LearntDescription, describe_model
from redline.models.formats.responses_format import ResponsesFormat
from redline.models.http.http_model import HttpModel
from redline.models.http.http_session import HttpSession
from redline.models.interface import Model
from redline.models.keys import CachedKey
from redline.models.model_address import parse_model_address
from redline.models.sockets.dial import EndpointDialler
from redline.models.sockets.heartbeat import Rhythm
from redline.models.sockets.pool import Pool, PoolLimits
from redline.models.sockets.responses_socket import ResponsesSocket
from redline.settings.tree import Api, LimitSettings, ModelSettings


async def _answer_hello(reply: Reply) -> None:
    reply.answer("Hel", "lo")


@pytest.fixture
async def serve() -> AsyncIterator[Callable[..., Awaitable[ModelServer]]]:
    """Start servers; check that they and their clients leave nothing behind."""
    servers: list[ModelServer] = []

    async def start(
        script: Script = _answer_hello, *, listens: bool = True, **behaviour: Any
    ) -> ModelServer:
        server = ModelServer(script, Behaviour(**behaviour))
        servers.append(server)
        await server.listen()
        if not listens:
            # The port is known, and nobody is there.
            assert server.listener is not None
            server.listener.close()
        return server

    yield start
    for server in servers:
        await server.aclose()
    this = asyncio.current_task()
    left = {task.get_name() for task in asyncio.all_tasks() if task is not this}
    assert not left
    # Unclosed transports warn when they are collected, and warnings are errors.
    gc.collect(1)


@pytest.fixture
async def build(serve: object) -> AsyncIterator[Callable[..., Model]]:
    """Build models of a server; they are closed before the server is."""
    models: list[Model] = []

    def start(
        server: ModelServer, *, api: Api = "responses-socket", **more: Any
    ) -> Model:
        limits = {
            name: more.pop(name)
            for name in ("connect_s", "first_delta_s", "stall_s", "generation_s")
            if name in more
        }
        environ = more.pop("environ", {})
        url = server.url if api == "responses-socket" else server.http_url
        settings = ModelSettings(**{"api": api, "url": url, "name": "m", **more})
        model = build_model("spark", settings, LimitSettings(**limits), environ=environ)
        models.append(model)
        return model

    yield start
    for model in models:
        await model.aclose()


@pytest.fixture
async def build_socket(
    serve: object,
) -> AsyncIterator[Callable[..., tuple[ResponsesSocket, Pool]]]:
    """Build socket models with the pool's inner numbers and clocks open to the test."""
    models: list[ResponsesSocket] = []

    def start(
        server: ModelServer,
        *,
        rhythm: Rhythm | None = None,
        limits: LimitSettings | None = None,
        steer: bool = False,
        has_http: bool = False,
        **pool_limits: Any,
    ) -> tuple[ResponsesSocket, Pool]:
        limits = limits or LimitSettings()
        settings = ModelSettings(
            api="responses-socket", url=server.url, name="m", steer=steer
        )
        endpoint = parse_model_address("spark", settings, environ={})
        key = CachedKey(None, environ={})
        dialler = EndpointDialler(
            endpoint, key, model="spark", connect_s=limits.connect_s
        )
        numbers = {"n_sockets": 2, "max_age_s": 3_300.0, **pool_limits}
        pool = Pool(
            dialler,
            PoolLimits(**numbers),
            model="spark",
            rhythm=rhythm,
            random=lambda: 0.0,
        )
        description = LearntDescription(
            describe_model("spark", settings, host=endpoint.host)
        )
        wire = ResponsesFormat(settings, url=endpoint.http_url)
        http = HttpModel(
            description,
            settings,
            limits,
            wire=wire,
            session=HttpSession(endpoint, key, wire, limits, title="spark"),
        )
        model = ResponsesSocket(
            description,
            settings,
            limits,
            dialler=dialler,
            pool=pool,
            http=http if has_http else None,
        )
        models.append(model)
        return model, pool

    yield start
    for model in models:
        await model.aclose()
