"""Dropping a client's TCP connection, where the server under us can."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import Scope

ABORT = "redline.abort"
"""Where in an ASGI scope's `state` a server that can says how."""


def aborter(scope: Scope) -> Callable[[], None] | None:
    """Return what drops the connection of this scope; None if the server cannot."""
    abort: Callable[[], None] | None = scope.get("state", {}).get(ABORT)
    return abort
