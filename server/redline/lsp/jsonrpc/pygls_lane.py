"""Everything that is not hot is served by a pygls server behind us, see `features`.

pygls and lsprotocol take 0.3 s to import, so they are loaded in a thread, with the
first message that is for them (`initialized` at the latest); until then messages wait
here, in order. The thread hands the
interpreter back every millisecond, so that a message on the fast lane waits 6 ms at
worst; with Python's default it would be 13, and 300 without a thread.

Features register the ordinary pygls way, in a `Features` function. What they must not
do is ask `server.workspace` for documents: text sync never comes here, since pygls'
documents cost a millisecond a keystroke at 10,000 lines and count other line ends.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import UNSET

from redline import __version__
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
        "workspace/didChangeWorkspaceFolders",
        "window/workDoneProgress/cancel",
        "$/setTrace",
    }
)
"""What pygls keeps track of by itself, and features may listen to."""

logger = logging.getLogger(__name__)


class PyglsLane:
    """The endpoint's fallback."""

    def __init__(self, endpoint: Endpoint, features: Features | None = None) -> None:
        """Wait for messages.

        Args:
            endpoint: The connection, initialized or not.
            features: What to register; None until `use_features` says it.
        """
        self._endpoint = endpoint
        self._features = features
        self._waiting: deque[tuple[Envelope, bytes]] = deque()
        self._deliver: Callable[[Envelope, bytes], None] | None = None
        """How messages go on; None as long as they have to wait."""
        self._server: PyglsServer | None = None
        self._is_loading = False

    @property
    def shared(self) -> frozenset[str]:
        """Notifications that pygls sees even where a handler is registered."""
        return SHARED

    def use_features(self, features: Features) -> None:
        """Say what to register, before the first message after `initialize`."""
        self._features = features

    def receive(self, envelope: Envelope, body: bytes) -> None:
        """Hand a message to pygls, or keep it until pygls is there."""
        if self._deliver is not None:
            self._deliver(envelope, body)
            return
        self._waiting.append((envelope, body))
        # The answer to `initialize` must be out before the loop gets any slower.
        if not self._is_loading and envelope.method != "initialize":
            self._is_loading = True
            self._endpoint.start(self._load(), name="load pygls")

    async def aclose(self) -> None:
        """Stop all features that run."""
        if self._server is not None:
            await self._server.aclose()

    async def _load(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            assert self._features is not None, "nothing says what to register"
            self._server = await asyncio.to_thread(
                _load_server, self._endpoint, self._features, loop
            )
            deliver = self._server.receive
        except Exception:  # The task supervisor's: our own methods are still served.
            logger.exception("pygls cannot be loaded")
            deliver = self._refuse
        while self._waiting:
            deliver(*self._waiting.popleft())
            # One message a turn: the first of each kind is slow.
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
        # A full collection would look at every class of lsprotocol and stop the loop
        # for 10 ms; frozen, they are never looked at again. Collecting stays on until
        # then: making those classes leaves 9 MB of waste, which would be frozen too.
        gc.freeze()
