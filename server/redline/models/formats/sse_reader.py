"""What the readers of all wire formats with server-sent events have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Raw

from redline.errors import RemoteProtocolError
from redline.models.formats.wire_format import AnswerBegun, AnswerEnd, AnswerItem
from redline.models.interface import FinishReason, Usage
from redline.wire.events import NO_RAW
from redline.wire.failure import UNREADABLE, Failure, read_error
from redline.wire.sse import SseDecoder

WEB_PAGE = "web_page"
"""`Failure.code` if something answered with a web page."""

END_MARK = b"[DONE]"
"""The end marker of chat completions, which some servers also add elsewhere."""


def read_stray(body: bytes) -> Failure | None:
    """Read a body with status 200 that is no stream; None if it reports no failure."""
    if body.startswith(b"<"):
        return Failure(
            message="it answered with a web page, as proxies and login pages do",
            code=WEB_PAGE,
        )
    failure = read_error(body) if body else None
    return failure if failure is not None and failure.message else None


class FallibleEvent(Protocol):
    """An event that may report an error instead."""

    @property
    def error(self) -> Raw:
        """The error, or `NO_RAW`."""


_E = TypeVar("_E", bound=FallibleEvent)


class SseReader(ABC):
    """Reads the events of one answer; an `AnswerReader`."""

    def __init__(self) -> None:
        self._events = SseDecoder()
        self._id: str | None = None
        """The provider's id of the answer."""
        self._usage: Usage | None = None
        self._has_ended = False

    def feed(self, chunk: bytes) -> list[AnswerItem]:
        items: list[AnswerItem] = []
        for data in self._events.feed(chunk):
            if self._has_ended:
                break
            if data.strip() == END_MARK:
                self._close(items)
            else:
                self._take(data, items)
        return items

    def finish(self) -> list[AnswerItem]:
        """Take the end of the body, whose last event may be missing."""
        items: list[AnswerItem] = []
        if not self._has_ended:
            self._close(items)
        if not self._has_ended and (body := self._events.finish()):
            self._take_body(body, items)
        return items

    @abstractmethod
    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        """Take the data of an event; append what it means."""

    @abstractmethod
    def _close(self, items: list[AnswerItem]) -> None:
        """End the answer, if the server has said why it ends; else it was cut."""

    def _take_body(self, body: bytes, items: list[AnswerItem]) -> None:
        """Take what in the body was no event, such as an error or a web page."""
        if (failure := read_stray(body)) is not None:
            self._fail(failure, items)

    def _decode(
        self, decoder: msgspec.json.Decoder[_E], data: bytes, items: list[AnswerItem]
    ) -> _E | None:
        """Decode an event; if it reports an error, fail and return None."""
        try:
            event = decoder.decode(data)
        except UNREADABLE as exc:
            raise RemoteProtocolError("The server sent an unreadable event.") from exc
        if event.error == NO_RAW:
            return event
        self._fail(read_error(data), items)
        return None

    def _begin(self, response_id: str | None, items: list[AnswerItem]) -> None:
        if response_id and self._id is None:
            self._id = response_id
            items.append(AnswerBegun(response_id=response_id))

    def _end(
        self,
        reason: FinishReason,
        items: list[AnswerItem],
        failure: Failure | None = None,
    ) -> None:
        self._has_ended = True
        end = AnswerEnd(
            reason=reason, usage=self._usage, response_id=self._id, failure=failure
        )
        items.append(end)

    def _fail(self, failure: Failure, items: list[AnswerItem]) -> None:
        self._end("failed", items, failure)


_MAX_COUNT = 2**53
"""No answer has so many tokens: such a number is not a count."""


def read_counts(raw: msgspec.Raw | bytes) -> dict[str, int]:
    """Read an object of counts; never fails.

    Returns:
        The counts by name; those of an inner object have its name and a dot in front.
        What is not a count is left out. Empty if one is negative: the others are as
        unreliable.
    """
    try:
        # Any: each value is checked below.
        fields = msgspec.json.decode(raw, type=dict[str, Any])
    except UNREADABLE:
        return {}
    counts = _counts(fields)
    for name, value in fields.items():
        if isinstance(value, Mapping):
            counts |= {f"{name}.{key}": n for key, n in _counts(value).items()}
    return counts if all(n >= 0 for n in counts.values()) else {}


def _counts(fields: Mapping[str, Any]) -> dict[str, int]:
    return {
        name: value
        for name, value in fields.items()
        if type(value) is int and value <= _MAX_COUNT
    }
