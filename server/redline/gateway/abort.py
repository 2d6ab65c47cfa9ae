"""A client's TCP connection, where the server under us gives access to it."""

from __future__ import annotations

from typing import Protocol

from starlette.types import Scope

TCP = "redline.tcp"
"""Where in an ASGI scope's `state` a server keeps the connection."""


class TcpConnection(Protocol):
    """What ASGI has no words for."""

    def abort(self) -> None:
        """Drop the connection."""

    def is_gone(self) -> bool:
        """Tell whether nothing that is written can arrive any more.

        Known at once, unlike `disconnect`, which comes with the next turn of the event
        loop: until then every write would be lost, and asyncio would log it.
        """


def tcp_connection(scope: Scope) -> TcpConnection | None:
    """Return the connection of this scope; None if the server does not say."""
    connection: TcpConnection | None = scope.get("state", {}).get(TCP)
    return connection
