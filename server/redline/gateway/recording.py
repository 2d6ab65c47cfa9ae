"""Records what the gateway received and sent and when, for tests and benchmarks.

Times are those of `time.perf_counter`, one clock for all processes of a machine
on Linux, macOS and Windows, so that a benchmark can subtract its own from them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec import Struct

logger = logging.getLogger(__name__)

Kind = Literal["opened", "create", "steer", "sent", "ended", "stopped", "closed"]
"""A connection opened; a request came; an event was sent; a request ended normally or
because the client disconnected; a connection closed or was lost."""


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One recorded event."""

    at: float
    kind: Kind
    connection: int
    """The connection's number, from 1; each HTTP request has its own."""
    lane: str | None = None
    event: str | None = None
    """Type of the event sent."""
    n_chars: int = 0
    """Size of the request."""
    body: str | None = None
    """The request itself."""


class Recorder:
    """Passes every entry to a listener; without one it costs almost nothing."""

    def __init__(self, listener: Callable[[Entry], object] | None = None) -> None:
        self._listener = listener
        self.listens = listener is not None
        """Whether there is a listener."""
        self._n_connections = 0

    def new_connection(self) -> int:
        self._n_connections += 1
        return self._n_connections

    def note(
        self,
        kind: Kind,
        connection: int,
        *,
        lane: str | None = None,
        event: str | None = None,
        body: str | None = None,
    ) -> None:
        """Record something that happens now."""
        if self._listener is not None:
            entry = Entry(
                at=time.perf_counter(),
                kind=kind,
                connection=connection,
                lane=lane,
                event=event,
                n_chars=len(body or ""),
                body=body,
            )
            self._listener(entry)


def write_json_lines(write: Callable[[bytes], object]) -> Callable[[Entry], None]:
    """Return a listener that writes entries as lines of JSON, without the bodies.

    It stops at the first write that fails.
    """
    encode = msgspec.json.Encoder().encode
    is_broken = False

    def listen(entry: Entry) -> None:
        nonlocal is_broken
        if is_broken:
            return
        try:
            write(encode(msgspec.structs.replace(entry, body=None)) + b"\n")
        except OSError as exc:
            is_broken = True
            logger.warning("the record of events ends here: %s", exc.strerror)

    return listen
