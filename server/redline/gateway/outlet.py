"""Where a response's events go: a WebSocket, an HTTP stream, or one HTTP body."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from starlette.types import Scope

from redline.gateway.refusals import Refusal

TCP = "redline.tcp"
"""Where in an ASGI scope's `state` a server keeps the connection."""


class PeerGoneError(Exception):
    """The client has disconnected or was disconnected: nothing can be sent to it."""


class Sent(NamedTuple):
    """One encoded event."""

    kind: str
    """The type of the event."""
    data: bytes
    """The event as a JSON object."""


class Outlet(Protocol):
    """The way to the client of one request.

    Every method that sends waits while the client does not read, and raises
    `PeerGoneError` once it has disconnected.
    """

    is_kept: bool
    """Whether the response continues after its client disconnects."""

    @property
    def direct(self) -> DirectOutlet | None:
        """The same way without waiting; None: there is none."""

    async def send(self, events: list[Sent]) -> None:
        """Send events of the response, in order."""

    async def refuse(self, refusal: Refusal) -> None:
        """Send the reason why the request is not answered, or not completely."""

    async def send_raw(self, data: bytes) -> None:
        """Send data that need not be an event."""

    async def close(self, code: int, reason: str) -> None:
        """Close the WebSocket."""

    def abort(self) -> None:
        """Drop the TCP connection."""


class DirectOutlet(Protocol):
    """The way to a client for calls that cannot wait."""

    @property
    def is_ready(self) -> bool:
        """Whether the client is there and reads; else use `Outlet.send`."""

    def send_now(self, events: list[Sent]) -> None:
        """Send events of the response, in order, if `is_ready`."""


class TcpConnection(Protocol):
    """Operations on a connection that ASGI does not define."""

    def abort(self) -> None:
        """Drop the connection."""

    def is_gone(self) -> bool:
        """Whether the connection is closed, so that writes are lost.

        This is known at once. ASGI's `disconnect` comes an iteration of the event loop
        later; until then asyncio would log every lost write.
        """


def tcp_connection(scope: Scope) -> TcpConnection | None:
    """Return the connection of this scope; None if the server does not provide it."""
    connection: TcpConnection | None = scope.get("state", {}).get(TCP)
    return connection


class FrameConnection(TcpConnection, Protocol):
    """Operations on a WebSocket without ASGI, which costs more than a delta itself."""

    def send_texts(self, texts: list[bytes]) -> None:
        """Send messages at once; what the client does not read yet is buffered.

        Raises:
            PeerGoneError: If the WebSocket is closed.
        """

    @property
    def is_behind(self) -> bool:
        """Whether the client reads too slowly: wait for `caught_up` before more."""

    def abort_soon(self) -> None:
        """Drop the connection in a few seconds, unless it has ended by then."""

    async def caught_up(self) -> None:
        """Wait until the client has read.

        Raises:
            PeerGoneError: If it has disconnected.
        """


def frame_connection(scope: Scope) -> FrameConnection | None:
    """Return the WebSocket of this scope; None if the server does not provide it."""
    connection: FrameConnection | None = scope.get("state", {}).get(TCP)
    return connection
