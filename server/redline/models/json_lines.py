"""Splits a stream of bytes into lines of JSON, without I/O."""

from __future__ import annotations

from redline.errors import RemoteProtocolError
from redline.wire.sse import MAX_EVENT_BYTES


class JsonLines:
    """The lines of one body."""

    def __init__(self) -> None:
        self._rest = bytearray()
        """Bytes after the last line end."""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Add bytes, cut anywhere; return the lines they complete, without empty ones.

        Raises:
            RemoteProtocolError: If a line is larger than the limit.
        """
        if b"\n" not in chunk:
            self._add(chunk)
            return []
        *lines, rest = (bytes(self._rest) + chunk).split(b"\n")
        self._rest.clear()
        self._add(rest)
        return [line for line in map(bytes.strip, lines) if line]

    def finish(self) -> list[bytes]:
        """Take the end of the body; return the last line if it has no line end."""
        line = bytes(self._rest).strip()
        self._rest.clear()
        return [line] if line else []

    def _add(self, data: bytes) -> None:
        self._rest += data
        if len(self._rest) > MAX_EVENT_BYTES:
            raise RemoteProtocolError("The server sent a line that is too long.")
