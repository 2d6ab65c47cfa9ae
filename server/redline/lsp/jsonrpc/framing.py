"""The base protocol of LSP: header fields and bodies in a stream of bytes.

Pure: bytes in, message bodies out; `rpc` reads the bodies. Any chunking of the stream
gives the same bodies and the same error (LSP 3.18, "Base Protocol").
"""

from __future__ import annotations

import re

from redline.errors import RemoteProtocolError

MAX_BODY_BYTES = 128 * 1024 * 1024
"""A larger message is refused. An edit with four attached images of 20 MB has 107 MB in
Base64; a source file of 100,000 lines is about 5 MB."""

MAX_HEADER_BYTES = 8 * 1024
"""A real header is about 22 bytes; 8 KiB is what HTTP servers commonly allow."""

_FIELD = re.compile(rb"([!-9;-~]++):[ \t]*+([!-~]*+(?: ++[!-~]++)*+)[ \t]*+\r\n")
_LENGTH = re.compile(rb"[0-9]{1,18}")

_FIELD_SO_FAR = re.compile(rb"[!-9;-~]*+(?::[\t -~]*+\r?)?")
"""What a field's line may be as long as its end is missing."""

_USUAL_HEADER = re.compile(rb"Content-Length: ([0-9]{1,18})\r\n\r\n")
"""The start of nearly every message; matching it whole takes a fifth of the time."""


class FramingError(RemoteProtocolError):
    """The stream is no longer LSP: the next message cannot be found."""


class FrameDecoder:
    """Cut a stream into message bodies.

    After invalid data nothing more is decoded: `error` holds the reason, and the bodies
    before it are still returned.
    """

    def __init__(
        self,
        *,
        max_body_bytes: int = MAX_BODY_BYTES,
        max_header_bytes: int = MAX_HEADER_BYTES,
    ) -> None:
        self._max_body_bytes = max_body_bytes
        self._max_header_bytes = max_header_bytes
        self._buffer = bytearray()
        self._n_header_bytes = 0
        self._length: int | None = None
        self._is_in_body = False
        self.error: FramingError | None = None

    @property
    def is_between_messages(self) -> bool:
        """Whether the stream may end here without cutting a message."""
        return not self._buffer and not self._n_header_bytes and not self._is_in_body

    def feed(self, data: bytes) -> list[bytes]:
        """Take the next bytes and return the bodies that they complete."""
        if self.error is not None:
            return []
        self._buffer += data
        bodies: list[bytes] = []
        position = 0
        try:
            while (end := self._advance(position, bodies)) is not None:
                position = end
        except FramingError as error:
            self.error = error
            self._buffer.clear()
        else:
            del self._buffer[:position]
        return bodies

    def _advance(self, position: int, bodies: list[bytes]) -> int | None:
        """Read one header line or one body; None if more bytes are needed."""
        if not self._is_in_body:
            return self._take_usual_header(position) or self._take_line(position)
        end = position + (self._length or 0)
        if len(self._buffer) < end:
            return None
        bodies.append(bytes(self._buffer[position:end]))
        self._is_in_body = False
        self._length = None
        return end

    def _take_usual_header(self, position: int) -> int | None:
        if self._n_header_bytes:
            return None
        header = _USUAL_HEADER.match(self._buffer, position)
        if header is None:
            return None
        end, self._length = header.end(), int(header[1])
        del header  # The match exports the buffer, which cannot be resized meanwhile.
        self._end_header()
        return end

    def _take_line(self, position: int) -> int | None:
        room = self._max_header_bytes - self._n_header_bytes
        end = self._buffer.find(b"\n", position, position + room) + 1
        if not end:
            if len(self._buffer) - position >= room:
                raise FramingError(
                    f"The editor sent a header of over {self._max_header_bytes} bytes."
                )
            return None
        line = bytes(self._buffer[position:end])
        self._n_header_bytes += len(line)
        if line == b"\r\n":
            self._end_header()
        else:
            self._take_field(line)
        return end

    def _take_field(self, line: bytes) -> None:
        field = _FIELD.fullmatch(line)
        if field is None:
            raise FramingError("The editor sent bytes that are no header field.")
        # Other fields are tolerated; the only one that exists is Content-Type, whose
        # one legal charset is UTF-8, which is what we decode anyway.
        if field[1].lower() == b"content-length":
            if not _LENGTH.fullmatch(field[2]):
                raise FramingError(
                    "The editor sent a Content-Length that is no number."
                )
            self._length = int(field[2])

    def _end_header(self) -> None:
        if self._length is None:
            raise FramingError("The editor sent a header without a Content-Length.")
        if self._length > self._max_body_bytes:
            raise FramingError(
                f"The editor sent a message of {self._length} bytes; "
                f"the limit is {self._max_body_bytes}."
            )
        self._n_header_bytes = 0
        self._is_in_body = True


def starts_with_field(start: bytes) -> bool | None:
    """Whether a stream starts with a header field; None if that takes more bytes."""
    end = start.find(b"\n") + 1
    if end:
        return _FIELD.fullmatch(start[:end]) is not None
    if len(start) < MAX_HEADER_BYTES and _FIELD_SO_FAR.fullmatch(start):
        return None
    return False


def frame(body: bytes) -> bytes:
    """Return the body with its header in front."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
