"""Runs the gateway: listens on loopback, announces its port, and ends on request.

It ends at once on a signal, and optionally when its standard input ends: on every
system, a child sees that when its parent is killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import struct
import sys
import threading
from asyncio import FIRST_COMPLETED
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any  # The type of a scope's state in uvicorn.

import h11
import uvicorn
from msgspec import Struct
from starlette.types import ASGIApp
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import (
    WebSocketsSansIOProtocol,
)
from uvicorn.server import ServerState

from redline.errors import InvalidArgumentsError
from redline.gateway.config import GatewayConfig
from redline.gateway.drain import Drain
from redline.gateway.outlet import TCP, PeerGoneError
from redline.gateway.refusals import socket_event, too_large
from redline.models.loopback import is_loopback_host
from redline.process_limits import raise_file_limit

logger = logging.getLogger(__name__)

_GRACEFUL_S = 1
"""How long uvicorn waits for connections to end; ours end at once."""

_BACKLOG = 2_048
"""Most connections that wait to be accepted; uvicorn's own value."""


_NOT_UTF_8, _TOO_BIG = 1007, 1009
"""Close codes (RFC 6455 section 7.4.1)."""

_WHOLE_TEXT = 0x81
"""First byte of a frame that is a whole text; the length follows, in 7 bits, or in 16
or 64 more from these lengths on (RFC 6455 section 5.2)."""
_MIN_16_BIT, _MIN_64_BIT = 126, 1 << 16
_HEAD_16_BIT, _HEAD_64_BIT = struct.Struct("!BBH"), struct.Struct("!BBQ")

_GOODBYE_S = 0.3
"""How long a client may take at shutdown to read data already sent."""


class _Bounded(asyncio.Protocol):
    """What both protocols add to uvicorn's: dropping a connection, and limits.

    The wait for a client that stops reading is bounded. A message over the limit is
    answered by an error event before the WebSocket is closed. Shutdown does not wait
    for clients. All of this uses the hooks that uvicorn's classes share with asyncio.
    """

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

    head_s = 10.0
    """How long a new connection may stay silent, and how long the head of a request may
    take once a part of it has come, or the rest of the body of an answered one."""

    _head_limit: asyncio.TimerHandle | None = None

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
            self.head_s, self.timeout_keep_alive_handler
        )

    def data_received(self, data: bytes) -> None:
        """Drop the connection if what nobody answers does not end."""
        super().data_received(data)
        if not self._is_in_head() and not self._is_in_answered_body():
            self._end_head_limit()
        elif self._head_limit is None:
            # More bytes do not extend it.
            self._head_limit = self.loop.call_later(self.head_s, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        self._unset_keepalive_if_required()
        self._end_head_limit()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End the connection; an answer that is still running is cut."""
        is_busy = self.cycle is not None and not self.cycle.response_complete
        super().shutdown()
        if is_busy:
            self.transport.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for a bounded time for the end."""
        super().on_response_complete()
        if self.transport.is_closing():
            self.loop.call_later(self.patience_s, self.transport.abort)

    def _is_in_head(self) -> bool:
        return self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])

    def _is_in_answered_body(self) -> bool:
        is_answered = self.cycle is not None and self.cycle.response_complete
        return is_answered and self.conn.their_state is h11.SEND_BODY

    def _end_head_limit(self) -> None:
        if self._head_limit is not None:
            self._head_limit.cancel()
            self._head_limit = None


class GatewayWebSocket(_Bounded, WebSocketsSansIOProtocol):
    """One WebSocket."""

    close_s = 3.0
    """How long a client may take to read what was sent before a close, and to answer
    the close."""

    def send_texts(self, texts: list[bytes]) -> None:
        """Send messages; see `FrameConnection`."""
        if self.close_sent or self.transport.is_closing():
            raise PeerGoneError
        self.transport.write(b"".join(map(text_frame, texts)))

    @property
    def is_behind(self) -> bool:
        """Whether the client reads too slowly."""
        return not self.writable.is_set()

    async def caught_up(self) -> None:
        """Wait until the client has read; see `FrameConnection`."""
        await self.writable.wait()
        if self.is_gone():
            raise PeerGoneError

    def abort_soon(self) -> None:
        """Drop the connection unless it ends by itself; see `FrameConnection`."""
        self.loop.call_later(self.close_s, self.transport.abort)

    def keepalive_timeout(self) -> None:
        """Close the connection of a client that does not answer pings."""
        super().keepalive_timeout()
        self.abort_soon()

    def send_receive_event_to_app(self) -> None:
        """Close the connection if a text is not UTF-8 (RFC 6455 section 8.1)."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                logger.warning("closed a WebSocket that sent text that is not UTF-8")
                self.conn.send_close(_NOT_UTF_8)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        """Send an error event for a message over the limit, then close as usual."""
        close = self.conn.close_sent
        if close is not None and close.code == _TOO_BIG and self.handshake_complete:
            # The library's own state machine is past sending at this point.
            self.transport.write(
                text_frame(socket_event(too_large(self.config.ws_max_size)))
            )
        super().handle_parser_exception()
        self.abort_soon()

    def shutdown(self) -> None:
        """Close the WebSocket; do not wait for a client that does not read."""
        super().shutdown()
        self.loop.call_later(_GOODBYE_S, self.transport.abort)


def text_frame(payload: bytes) -> bytes:
    """Frame a text, not compressed (RFC 6455 section 5.2)."""
    n_bytes = len(payload)
    if n_bytes < _MIN_16_BIT:
        return bytes((_WHOLE_TEXT, n_bytes)) + payload
    if n_bytes < _MIN_64_BIT:
        return _HEAD_16_BIT.pack(_WHOLE_TEXT, 126, n_bytes) + payload
    return _HEAD_64_BIT.pack(_WHOLE_TEXT, 127, n_bytes) + payload


class Listening(Struct, frozen=True, kw_only=True):
    """Where the gateway listens."""

    host: str = "127.0.0.1"
    port: int = 0
    """0: any free port."""
    tls_cert: Path | None = None
    tls_key: Path | None = None

    is_protected: bool = False
    """Whether other machines may connect, by TLS or through a trusted proxy."""

    def bind(self) -> socket.socket:
        """Start listening. The caller must close the socket.

        Raises:
            InvalidArgumentsError: If other machines could connect.
            OSError: If the port is taken.
        """
        if not self.is_protected and not is_loopback_host(self.host):
            raise InvalidArgumentsError(
                f"The gateway listens on loopback only, not on {self.host}."
            )
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        # asyncio disables Nagle's algorithm only if the protocol is given; with it the
        # first deltas of a response arrive 40 ms late.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if os.name == "posix":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if self.host == "::":
                # Connections by IPv4 are accepted, too, whatever the system's default.
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            listener.bind((self.host, self.port))
            listener.listen()
        except OSError:
            listener.close()
            raise
        return listener


class GatewayServer(uvicorn.Server):
    """A uvicorn server that reports its port and can be ended at any time."""

    def __init__(
        self,
        app: ASGIApp,
        config: GatewayConfig,
        listening: Listening,
        *,
        on_listening: Callable[[int], None],
        on_hangup: Callable[[], None] | None = None,
        drain: Drain | None = None,
        is_shared: bool = False,
    ) -> None:
        """Begin, in the event loop that will run it.

        Args:
            app: The result of `create_app`.
            config: The config that the app was built with.
            listening: Where to listen.
            on_listening: Called once with the port.
            drain: Begins on SIGTERM; None: the signal ends the gateway at once.
            on_hangup: Called for each SIGHUP; None: the signal ends the gateway.
            is_shared: Whether other processes accept connections from the same socket.
        """
        super().__init__(_uvicorn_config(app, config, listening, is_shared=is_shared))
        self._listening = listening
        self._on_listening = on_listening
        self._on_hangup = on_hangup
        self._drain = drain
        self._drain_s = config.drain_s
        self._loop = asyncio.get_running_loop()
        self._draining = asyncio.Event()
        self._ending = asyncio.Event()

    async def run_to_end(self) -> None:
        """Listen, and serve until `end` is called or a signal comes.

        Raises:
            InvalidArgumentsError: If the address is not loopback.
            OSError: If it cannot listen.
        """
        with self._listening.bind() as listener:
            await self.run_on(listener)

    async def run_on(self, listener: socket.socket) -> None:
        """Serve as `run_to_end`, on a socket that listens; it is closed at the end."""
        await self.serve(sockets=[listener])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections and report the port."""
        await super().startup(sockets)
        for listener in sockets or ():
            # asyncio has set what it accepts in one turn; the queue may be longer.
            listener.listen(_BACKLOG)
            self._on_listening(listener.getsockname()[1])

    async def main_loop(self) -> None:
        """Wait for the end; uvicorn's own loop polls for it ten times a second."""
        draining = asyncio.create_task(self._drain_on_request(), name="drain")
        ending = asyncio.create_task(self._ending.wait(), name="wait for the end")
        try:
            await asyncio.wait((draining, ending), return_when=FIRST_COMPLETED)
        finally:
            for task in (draining, ending):
                task.cancel()
            await asyncio.wait((draining, ending))

    async def _drain_on_request(self) -> None:
        await self._draining.wait()
        assert self._drain is not None
        # Others that listen on the port take what comes from now on.
        for listener in self.servers:
            listener.close()
        self._drain.begin()
        logger.info("draining; open connections: %d", self._drain.n_open)
        if not await self._drain.wait(limit_s=self._drain_s):
            logger.warning(
                "closing connections and their answers after %g s: %d",
                self._drain_s,
                self._drain.n_open,
            )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on SIGINT and SIGTERM with exit code 0, since both are normal ends."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        handled = [signal.SIGINT, signal.SIGTERM]
        if self._on_hangup is not None and sys.platform != "win32":
            handled.append(signal.SIGHUP)
        before = {each: signal.signal(each, self._on_signal) for each in handled}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def end(self) -> None:
        """End within a fraction of a second. Any thread and a signal may call this."""
        self._loop.call_soon_threadsafe(self._ending.set)

    def begin_drain(self) -> None:
        """Admit nothing more, and end after the last answer. Any thread may call it."""
        self._loop.call_soon_threadsafe(self._draining.set)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        can_drain = self._drain is not None and not self._draining.is_set()
        if number == signal.SIGTERM and can_drain:
            self.begin_drain()
        elif number in (signal.SIGINT, signal.SIGTERM):
            self.end()
        elif self._on_hangup is not None:
            self._loop.call_soon_threadsafe(self._on_hangup)


def end_with_parent(end: Callable[[], None]) -> None:
    """Call `end`, from a thread, when standard input ends."""

    def watch() -> None:
        # Not `sys.stdin`: its lock would delay the interpreter's exit.
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                continue
        # The loop is already closed if the gateway ended for another reason.
        with contextlib.suppress(RuntimeError):
            end()

    threading.Thread(target=watch, name="watch the parent", daemon=True).start()


def _uvicorn_config(
    app: ASGIApp, config: GatewayConfig, listening: Listening, *, is_shared: bool
) -> uvicorn.Config:
    max_files = raise_file_limit()
    # asyncio accepts so many connections in one turn of the loop. One process must not
    # take them all from the others.
    backlog = 1 if is_shared else max(2, min(_BACKLOG, max_files // 16))
    return uvicorn.Config(
        app,
        # A connection over the limit is dropped a few turns of the loop after it was
        # accepted, and those accepted meanwhile must not use up the open files: asyncio
        # would log an error and try again, many times a second.
        limit_concurrency=max_files // 2,
        backlog=backlog,
        http=GatewayHttp,
        ws=GatewayWebSocket,
        ws_max_size=config.max_message_bytes,
        # On loopback, compressing costs more than it saves: 9.6 us an event, not 6.4.
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        lifespan="on",
        date_header=False,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACEFUL_S,
        ssl_certfile=listening.tls_cert,
        ssl_keyfile=listening.tls_key,
    )
