"""A whole server on the message layer, for tests that need a real process.

Run as a script: `tiny_server.py`, or `tiny_server.py tcp`, which says its port on
standard error.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from redline.lsp.initialize import ServerOffer, serve_initialize
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.pygls_lane import PyglsLane
from redline.lsp.jsonrpc.request_context import DeferredAnswer, RequestContext
from redline.lsp.jsonrpc.transport import Transport
from redline.lsp.start.serving import run, serve_stdio, serve_tcp

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

Json = dict[str, Any]  # Any: JSON.


def later(
    handler: Callable[[Any, RequestContext], Awaitable[object]],
) -> Callable[[object], DeferredAnswer]:
    """Return what serves a request by a coroutine."""
    return lambda params: DeferredAnswer(partial(handler, params))


class TinyServer:
    """Serves `tiny/...`."""

    def __init__(self, transport: Transport) -> None:
        self.endpoint = Endpoint(
            transport.send, is_congested=lambda: transport.is_congested
        )
        offer = ServerOffer(name="tiny", version="1", commands=("tiny.command",))
        serve_initialize(self.endpoint, offer, lambda client: None)
        self.endpoint.on_request_now("tiny/echo", dict, later(self.echo))
        self.endpoint.on_request_now("tiny/wait", dict, later(self.wait))
        self.endpoint.on_request_now("tiny/flood", dict, later(self.flood))
        self.endpoint.on_request_now("tiny/print", dict, self.print)
        self.endpoint.on_request_now("tiny/hang", dict, self.hang)
        self.endpoint.on_shutdown(self.close)
        self.endpoint.set_fallback(PyglsLane(self.endpoint, register_hover))

    async def echo(self, params: Json, context: RequestContext) -> Json:
        return params

    async def wait(self, params: Json, context: RequestContext) -> None:
        self.endpoint.notify("tiny/waiting", {"id": context.id})
        await asyncio.Event().wait()

    async def flood(self, params: Json, context: RequestContext) -> Json:
        """Send until the editor counts as slow; say how much that was."""
        n_sent = 0
        while not self.endpoint.is_congested and n_sent < params["atMost"]:
            self.endpoint.notify("tiny/drop", {"text": "x" * 1000})
            n_sent += 1
            await asyncio.sleep(0)
        os.write(2, b"flooded\n")
        return {"n": n_sent}

    def print(self, params: Json) -> None:
        """Write to standard output in all ways."""
        print("stray print", flush=True)  # noqa: T201
        os.write(1, b"stray write\n")
        os.system("echo stray child; cat")

    def hang(self, params: Json) -> None:
        """Leave a thread behind that never ends."""
        threading.Thread(target=threading.Event().wait).start()

    async def close(self) -> None:
        os.write(2, b"closed\n")


def register_hover(server: LanguageServer) -> None:
    """Serve a method of the long tail."""
    from lsprotocol import types

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def on_hover(params: types.HoverParams) -> types.Hover:
        place = f"{params.text_document.uri}:{params.position.line}"
        return types.Hover(contents=place)


def announce(port: int) -> None:
    os.write(2, b"port %d\n" % port)


def main() -> int:
    logging.basicConfig(level=logging.WARNING)

    def build(transport: Transport) -> Endpoint:
        return TinyServer(transport).endpoint

    if "tcp" in sys.argv:
        return run(serve_tcp(build, "127.0.0.1", 0, announce))
    return run(serve_stdio(build))


if __name__ == "__main__":
    sys.exit(main())
