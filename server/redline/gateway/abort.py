"""The TCP connection of a client, if the ASGI server gives access to it."""

from __future__ import annotations

from typing import Protocol

from starlette.types import Scope

TCP = "redline.tcp"
"""Where in an ASGI scope's `state` a server keeps the connection."""


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
