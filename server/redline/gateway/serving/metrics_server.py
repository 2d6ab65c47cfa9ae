"""Serves `/metrics` on a port of its own."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from redline.gateway.serving.server import Listening
from redline.supervisor import Supervisor

_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class _MetricsServer(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the gateway."""
        yield

    def end(self) -> None:
        self.should_exit = True


@contextlib.asynccontextmanager
async def serving_metrics(
    text: Callable[[], Awaitable[str]],
    listening: Listening,
    *,
    on_listening: Callable[[int], None],
) -> AsyncIterator[None]:
    """Serve while the context is open.

    Args:
        text: Returns what is served.
        listening: Where; anyone who can connect can read it.
        on_listening: Called once with the port.

    Raises:
        OSError: If it cannot listen.
    """

    async def answer(request: Request) -> Response:
        return PlainTextResponse(await text(), media_type=_CONTENT_TYPE)

    app = Starlette(routes=[Route("/metrics", answer)])
    server = _MetricsServer(
        uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )
    supervisor = Supervisor()
    with listening.bind() as listener:
        on_listening(_port(listener))
        task = supervisor.start(server.serve(sockets=[listener]), name="metrics")
        try:
            yield
        finally:
            server.end()
            await supervisor.wait(limit_s=5.0)
            task.cancel()
            await supervisor.aclose()


def _port(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port
