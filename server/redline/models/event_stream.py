"""Splits the body of an HTTP answer into server-sent events.

What is in the body instead of events is read as the server's failure: an error in plain
JSON, or the page of a proxy.
"""

from __future__ import annotations

from redline.wire.failure import Failure, read_error
from redline.wire.sse import SseDecoder

WEB_PAGE = "web_page"
"""`Failure.code` if something answered with a web page."""

END_MARK = b"[DONE]"
"""The end marker of chat completions, which some servers also add elsewhere."""


class EventStream:
    """The events of one body."""

    def __init__(self) -> None:
        self._decoder = SseDecoder()

    def feed(self, chunk: bytes) -> list[bytes]:
        """Add bytes, cut anywhere; return the data of the events they complete.

        Raises:
            RemoteProtocolError: If an event, or the text between events, is too large.
        """
        return self._decoder.feed(chunk)

    def finish(self) -> bytes:
        """Take the end of the body; return what in it was no event.

        Raises:
            RemoteProtocolError: If there is too much of that.
        """
        self._decoder.finish()
        return self._decoder.stray.strip()


def read_stray(body: bytes) -> Failure | None:
    """Read a body with status 200 that is no stream; None if it reports no failure."""
    if body.startswith(b"<"):
        return Failure(
            message="it answered with a web page, as proxies and login pages do",
            code=WEB_PAGE,
        )
    failure = read_error(body) if body else None
    return failure if failure is not None and failure.message else None
