"""Where a response's events go: a WebSocket, an HTTP stream, or one HTTP body."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from redline.gateway.refusals import Refusal


class PeerGoneError(Exception):
    """The client has gone, or was made to go: nothing more can be sent to it."""


class Sent(NamedTuple):
    """One event, ready to be sent."""

    kind: str
    """Its type."""
    data: bytes
    """The whole JSON object."""


class Outlet(Protocol):
    """The way to the client of one request.

    Every method that sends waits while the client does not read, and raises
    `PeerGoneError` once it has gone.
    """

    is_kept: bool
    """Whether the response goes on when its client has gone."""

    async def send(self, events: list[Sent]) -> None:
        """Send events of the response, in order."""

    async def refuse(self, refusal: Refusal) -> None:
        """Say that the request is not (or no longer) answered."""

    async def send_raw(self, data: bytes) -> None:
        """Send something that need not be an event."""

    async def close(self, code: int, reason: str) -> None:
        """Close the WebSocket."""

    def abort(self) -> None:
        """Drop the TCP connection."""
