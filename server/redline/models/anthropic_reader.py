"""Reads an answer of the Messages API: the events of one message.

Field names are those of anthropic-python 2.12. Events of unknown types are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Raw, Struct

from redline.errors import RemoteProtocolError
from redline.models.event_stream import EventStream, read_stray
from redline.models.interface import Delta, FinishReason, Usage
from redline.models.token_counts import read_counts
from redline.models.wire_format import AnswerBegun, AnswerEnd, AnswerItem
from redline.wire.events import NO_RAW
from redline.wire.failure import UNREADABLE, Failure, read_error

_REASONS: Mapping[str, FinishReason] = {
    "end_turn": "completed",
    "stop_sequence": "completed",
    "refusal": "filtered",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    # The model waits for a tool or for a further request: this is not the whole answer.
    "pause_turn": "length",
    "tool_use": "length",
}

_CATEGORIES = {
    "cyber": "The provider's filter takes this for an attack on computers.",
    "bio": "The provider's filter takes this for biological harm.",
    "frontier_llm": "The provider does not help with building competing models.",
    "reasoning_extraction": "The provider does not write out a model's reasoning.",
    "general_harms": "The provider's filter takes this for harmful.",
}
"""For refusals without an explanation (anthropic 2.12, refusal_stop_details.py)."""


class AnthropicReader:
    """Reads the events of one message."""

    def __init__(self) -> None:
        self._events = EventStream()
        self._id: str | None = None
        self._counts: dict[str, int] = {}
        self._reason: str | None = None
        self._has_ended = False

    def feed(self, chunk: bytes) -> list[AnswerItem]:
        """Take bytes; see `AnswerReader.feed`."""
        items: list[AnswerItem] = []
        for data in self._events.feed(chunk):
            if not self._has_ended:
                self._take(data, items)
        return items

    def finish(self) -> list[AnswerItem]:
        """Take the end of the body: the last event may be missing."""
        if self._has_ended:
            return []
        failure = read_stray(self._events.finish())
        if self._reason is not None:
            return [self._end()]
        return [] if failure is None else [self._failed(failure)]

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        try:
            event = _event.decode(data)
        except UNREADABLE as exc:
            raise RemoteProtocolError("The server sent an unreadable event.") from exc
        match event.type:
            case "content_block_delta":
                _add_text(items, event.delta)
            case "content_block_start":
                _add_text(items, event.content_block)
            case "message_start":
                self._begin(event.message, items)
            case "message_delta":
                self._take_reason(event, items)
            case "message_stop":
                items.append(self._end())
            case _ if event.error != NO_RAW:
                items.append(self._failed(read_error(data)))

    def _begin(self, message: _Message | None, items: list[AnswerItem]) -> None:
        if message is None:
            return
        self._counts |= read_counts(message.usage)
        if message.id:
            self._id = message.id
            items.append(AnswerBegun(response_id=message.id))

    def _take_reason(self, event: _Event, items: list[AnswerItem]) -> None:
        # The counts are totals, and repeat those of the input or leave them out.
        self._counts |= read_counts(event.usage)
        if event.delta is None or event.delta.stop_reason is None:
            return
        self._reason = event.delta.stop_reason
        details = event.delta.stop_details
        if self._reason == "refusal" and details is not None:
            said = details.explanation or _CATEGORIES.get(details.category or "")
            if said:
                items.append(Delta(said, "refusal"))

    def _end(self) -> AnswerEnd:
        self._has_ended = True
        return AnswerEnd(
            # An end without a reason is not the end of a whole answer.
            reason=_REASONS.get(self._reason or "", "length"),
            usage=_usage(self._counts),
            response_id=self._id,
        )

    def _failed(self, failure: Failure) -> AnswerEnd:
        self._has_ended = True
        return AnswerEnd(reason="failed", response_id=self._id, failure=failure)


class _StopDetails(Struct):
    category: str | None = None
    explanation: str | None = None


class _Piece(Struct):
    """A content block, its delta, or the delta of the whole message."""

    text: str | None = None
    thinking: str | None = None
    stop_reason: str | None = None
    stop_details: _StopDetails | None = None


class _Message(Struct):
    """What begins a message."""

    id: str | None = None
    usage: Raw = NO_RAW


class _Event(Struct):
    type: str = ""
    delta: _Piece | None = None
    content_block: _Piece | None = None
    message: _Message | None = None
    usage: Raw = NO_RAW
    error: Raw = NO_RAW


_event = msgspec.json.Decoder(_Event)


def _add_text(items: list[AnswerItem], piece: _Piece | None) -> None:
    if piece is None:
        return
    if piece.text:
        items.append(Delta(piece.text))
    elif piece.thinking:
        items.append(Delta(piece.thinking, "reasoning"))


def _usage(counts: Mapping[str, int]) -> Usage | None:
    if "output_tokens" not in counts:
        return None
    cached = counts.get("cache_read_input_tokens", 0)
    written = counts.get("cache_creation_input_tokens", 0)
    return Usage(
        input_n_tokens=counts.get("input_tokens", 0) + cached + written,
        cached_n_tokens=cached,
        output_n_tokens=counts["output_tokens"],
        reasoning_n_tokens=counts.get("output_tokens_details.thinking_tokens", 0),
    )
