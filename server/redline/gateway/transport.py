"""Extends uvicorn's protocols: dropping connections, and limits of time and number.

The wait for a client that stops reading is bounded. A message over the limit is
answered by an error event before the WebSocket is closed. Shutdown does not wait for
clients. All of this uses the hooks that uvicorn's protocol classes share with asyncio.
"""

from __future__ import annotations

import asyncio
import struct
from typing import Any  # The type of a scope's state in uvicorn.

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import (
    WebSocketsSansIOProtocol,
)
from uvicorn.server import ServerState

from redline.gateway.outlet import TCP
from redline.gateway.refusals import socket_event, too_large

_TOO_BIG = 1009
"""Close code (RFC 6455 section 7.4.1)."""

_GOODBYE_S = 0.3
"""How long a client may take at shutdown to read data already sent."""

_FIRST_REQUEST_S = 10.0
"""How long a new connection may stay without a request."""


class _Bounded(asyncio.Protocol):
    """What the protocols of HTTP and WebSocket add to uvicorn's alike."""

    patience_s = 30.0
    """How long a client may stop reading."""

    transport: asyncio.Transport

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        state = app_state | {TCP: self}
        # The next class is uvicorn's, whose arguments these are.
        super().__init__(config, server_state, state, _loop)  # type: ignore[call-arg]
        self._patience: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        self._end_patience()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read: wait, within bounds."""
        super().pause_writing()
        loop = asyncio.get_running_loop()
        self._patience = loop.call_later(self.patience_s, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        self._end_patience()
        super().resume_writing()

    def abort(self) -> None:
        """Drop the connection."""
        self.transport.abort()

    def is_gone(self) -> bool:
        """Whether the transport is closed, by either side."""
        return self.transport.is_closing()

    def _end_patience(self) -> None:
        if self._patience is not None:
            self._patience.cancel()


class GatewayHttp(_Bounded, H11Protocol):
    """One HTTP connection."""

    def connection_made(  # type: ignore[override]  # As in the class above.
        self, transport: asyncio.Transport
    ) -> None:
        """Start the timer for the first request; drop a connection over the limit."""
        super().connection_made(transport)
        most = self.config.limit_concurrency
        if most is not None and len(self.connections) > most:
            transport.abort()
            return
        self.timeout_keep_alive_task = self.loop.call_later(
            _FIRST_REQUEST_S, self.timeout_keep_alive_handler
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End the connection; an answer that is still running is cut."""
        is_busy = self.cycle is not None and not self.cycle.response_complete
        super().shutdown()
        if is_busy:
            self.transport.abort()


class GatewayWebSocket(_Bounded, WebSocketsSansIOProtocol):
    """One WebSocket."""

    def handle_parser_exception(self) -> None:
        """Send an error event for a message over the limit, then close as usual."""
        close = self.conn.close_sent
        if close is not None and close.code == _TOO_BIG and self.handshake_complete:
            self.transport.write(
                _text_frame(socket_event(too_large(self.config.ws_max_size)))
            )
        super().handle_parser_exception()

    def shutdown(self) -> None:
        """Close the WebSocket; do not wait for a client that does not read."""
        super().shutdown()
        self.loop.call_later(_GOODBYE_S, self.transport.abort)


def _text_frame(payload: bytes) -> bytes:
    """Frame a text of 126 to 65535 bytes (RFC 6455 section 5.2).

    The library's own state machine is past sending at this point.
    """
    return struct.pack("!BBH", 0x81, 126, len(payload)) + payload
