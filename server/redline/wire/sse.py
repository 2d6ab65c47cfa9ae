"""A decoder of server-sent events without I/O: bytes in, data of whole events out.

Only the `data` field is read: a Responses event names its own type (WHATWG HTML section
9.2.6 has the full grammar). Lines end at LF, CR LF or CR, none of which can occur
inside a UTF-8 sequence, so the bytes need no decoding here.
"""

from __future__ import annotations

import re

from redline.errors import RemoteProtocolError

MAX_EVENT_BYTES = 4 * 1024 * 1024
"""Largest accepted event or message: the last one repeats the whole answer, and the
longest answers have about 1 MiB."""

MAX_STRAY_BYTES = 65_536
"""Limit of the text outside of events: an error's body is shorter."""

_FIELDS = frozenset({b"", b"data", b"event", b"id", b"retry"})
"""The names of fields; that of a comment is empty."""

_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class SseDecoder:
    """Splits a stream of bytes into the data of its events."""

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._rest = bytearray()
        """Bytes after the last line end."""
        self._n_scanned = 0
        """How many of them certainly hold no line end."""
        self._data: list[bytes] = []
        self._n_data_bytes = 0
        self._is_first_line = True
        self._stray = bytearray()

    def feed(self, chunk: bytes) -> list[bytes]:
        """Add bytes, cut anywhere; return the data of the events they complete.

        Raises:
            RemoteProtocolError: If an event is larger than the limit.
        """
        self._rest += chunk
        found: list[bytes] = []
        start = 0
        for end in _LINE_END.finditer(self._rest, self._n_scanned):
            self._take_line(bytes(self._rest[start : end.start()]), found)
            start = end.end()
        del self._rest[:start]
        # A CR at the very end may be half of a CR LF: it is scanned again.
        self._n_scanned = max(0, len(self._rest) - 1)
        if len(self._rest) + self._n_data_bytes > self._max_event_bytes:
            raise RemoteProtocolError("The server sent an event that is too large.")
        return found

    def _take_line(self, line: bytes, found: list[bytes]) -> None:
        if self._is_first_line:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            self._is_first_line = False
        if not line:
            if self._data:
                found.append(b"\n".join(self._data))
            self._data = []
            self._n_data_bytes = 0
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
            self._n_data_bytes += len(value)
        elif name not in _FIELDS:
            self._take_stray(line)

    def _take_stray(self, line: bytes) -> None:
        self._stray += line + b"\n"
        if len(self._stray) > MAX_STRAY_BYTES:
            raise RemoteProtocolError("The server sent something that is no event.")

    def finish(self) -> bytes:
        """Take the end of the stream: an unfinished line may be stray text.

        Returns:
            The lines that belong to no event: some servers report an error in the
            middle of a stream as plain JSON, and proxies answer with a page.

        Raises:
            RemoteProtocolError: If there is too much of that.
        """
        rest, self._rest = bytes(self._rest), bytearray()
        if rest.partition(b":")[0] not in _FIELDS:
            self._take_stray(rest)
        return bytes(self._stray).strip()
