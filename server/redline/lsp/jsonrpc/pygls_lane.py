"""Serves infrequent methods by a pygls server, see `features`.

pygls and lsprotocol take 0.3 s to import, so a thread loads them with the first message
for them, or some seconds after `initialized`, so that the first edit of a session need
not share the processor with them; until then messages wait here, in order. The thread
releases the interpreter every millisecond, so that a message on the fast path
waits 6 ms at worst; with Python's default it would be 13, and 300 without a thread.

A `Features` function registers features in the ordinary pygls way. Features must not
get documents from `server.workspace`: text sync is not passed to pygls, since its
documents cost a millisecond a keystroke at 10,000 lines and split lines differently.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import UNSET

from redline import __version__
from redline.daemon_thread import in_daemon_thread
from redline.garbage_collection import leave_out_loaded
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.jsonrpc.rpc import Envelope
from redline.lsp.jsonrpc.rpc_errors import method_not_found

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from redline.lsp.jsonrpc.pygls_server import PyglsServer

Features = Callable[["LanguageServer"], None]
"""Registers features on a pygls server. It runs in a thread, once."""

SHARED = frozenset(
    {
        "initialized",
        "textDocument/didSave",
        "window/workDoneProgress/cancel",
        "$/setTrace",
    }
)
"""Notifications that pygls or its features handle, too."""

_CAN_WAIT = frozenset({"initialized", "$/setTrace"})
"""Notifications of which nothing is seen if they are handled a little later."""

_LOAD_AFTER_S = 2.0
"""When pygls is loaded after these, if no other message needs it."""

logger = logging.getLogger(__name__)


class PyglsLane:
    """The endpoint's fallback."""

    def __init__(self, endpoint: Endpoint, features: Features | None = None) -> None:
        """Start without pygls loaded.

        Args:
            endpoint: The connection, initialized or not.
            features: What to register; None until `use_features` is called.
        """
        self._endpoint = endpoint
        self._features = features
        self._waiting: deque[tuple[Envelope, bytes]] = deque()
        self._deliver: Callable[[Envelope, bytes], None] | None = None
        """Passes messages on; None while they must wait."""
        self._server: PyglsServer | None = None
        self._is_loading = False
        self._later: asyncio.TimerHandle | None = None
        """Starts loading after `_LOAD_AFTER_S`."""

    @property
    def shared(self) -> frozenset[str]:
        """Notifications that pygls receives even if a handler is registered."""
        return SHARED

    def use_features(self, features: Features) -> None:
        """Set what to register; call it before the first message after `initialize`."""
        self._features = features

    def receive(self, envelope: Envelope, body: bytes) -> None:
        """Pass a message to pygls, or queue it until pygls is loaded."""
        if self._deliver is not None:
            self._deliver(envelope, body)
            return
        self._waiting.append((envelope, body))
        # The answer to `initialize` must be written before loading slows down the loop.
        if envelope.method == "initialize":
            return
        if envelope.method not in _CAN_WAIT:
            self._start_loading()
        elif self._later is None:
            loop = asyncio.get_running_loop()
            self._later = loop.call_later(_LOAD_AFTER_S, self._start_loading)

    async def aclose(self) -> None:
        """Stop all running features."""
        if self._later is not None:
            self._later.cancel()
        if self._server is not None:
            await self._server.aclose()

    def _start_loading(self) -> None:
        if self._is_loading:
            return
        self._is_loading = True
        self._endpoint.start(self._load(), name="load pygls")

    async def _load(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            assert self._features is not None, "nothing says what to register"
            features = self._features
            # An editor that leaves at once need not wait for the imports.
            self._server = await in_daemon_thread(
                lambda: _load_server(self._endpoint, features, loop), limit_s=None
            )
            deliver = self._server.receive
        except Exception:  # Logged; our own methods are still served.
            logger.exception("pygls cannot be loaded")
            deliver = self._refuse
        while self._waiting:
            deliver(*self._waiting.popleft())
            # One message per iteration: the first of each kind is slow.
            await asyncio.sleep(0)
        self._deliver = deliver

    def _refuse(self, envelope: Envelope, body: bytes) -> None:
        if envelope.method is not UNSET and isinstance(envelope.id, int | str):
            self._endpoint.fail(envelope.id, method_not_found(envelope.method))


def _load_server(
    endpoint: Endpoint, features: Features, loop: asyncio.AbstractEventLoop
) -> PyglsServer:
    try:
        from redline.lsp.jsonrpc.pygls_server import PyglsServer

        return PyglsServer(endpoint, features, loop, version=__version__)
    finally:
        # Every class of lsprotocol: 10 ms of a full collection. Collection stays on
        # until then: creating those classes leaves 9 MB of garbage, which would be
        # left out too.
        leave_out_loaded()
