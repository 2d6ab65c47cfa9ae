"""Reads an answer of the Messages API: the events of one message.

Field names are those of anthropic-python 2.12. Events of unknown types are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Raw, Struct

from redline.models.interface import Delta, FinishReason, Usage
from redline.models.sse_reader import SseReader
from redline.models.token_counts import read_counts
from redline.models.wire_format import AnswerItem
from redline.wire.events import NO_RAW

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


class AnthropicReader(SseReader):
    """Reads the events of one message."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[str, int] = {}
        self._reason: str | None = None

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        event = self._decode(_event, data, items)
        if event is None:
            return
        match event.type:
            case "content_block_delta":
                _add_text(items, event.delta)
            case "content_block_start":
                _add_text(items, event.content_block)
            case "message_start" if event.message is not None:
                self._add_counts(event.message.usage)
                self._begin(event.message.id, items)
            case "message_delta":
                self._take_reason(event, items)
            case "message_stop":
                # An end without a reason is not the end of a whole answer.
                self._end(_REASONS.get(self._reason or "", "length"), items)

    def _close(self, items: list[AnswerItem]) -> None:
        if self._reason is not None:
            self._end(_REASONS.get(self._reason, "length"), items)

    def _take_reason(self, event: _Event, items: list[AnswerItem]) -> None:
        # The counts are totals, and repeat those of the input or leave them out.
        self._add_counts(event.usage)
        if event.delta is None or event.delta.stop_reason is None:
            return
        self._reason = event.delta.stop_reason
        details = event.delta.stop_details
        if self._reason == "refusal" and details is not None:
            said = details.explanation or _CATEGORIES.get(details.category or "")
            if said:
                items.append(Delta(said, "refusal"))

    def _add_counts(self, counts: Raw) -> None:
        self._counts |= read_counts(counts)
        self._usage = _usage(self._counts)


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
