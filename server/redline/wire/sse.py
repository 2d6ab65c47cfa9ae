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
