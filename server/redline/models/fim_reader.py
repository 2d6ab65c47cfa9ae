"""Reads the streamed answers of endpoints that fill in the middle."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Raw, Struct

from redline.models.interface import Delta, FinishReason, Usage
from redline.models.sse_reader import SseReader
from redline.models.token_counts import read_counts
from redline.models.wire_format import AnswerItem
from redline.wire.events import NO_RAW

_INFILL_REASONS: Mapping[str, FinishReason] = {"eos": "completed", "word": "completed"}
"""`stop_type`; all others are cut answers."""

_REASONS: Mapping[str, FinishReason] = {
    "stop": "completed",
    "eos": "completed",
    "content_filter": "filtered",
}


class InfillReader(SseReader):
    """Reads the events of llama-server's `/infill`."""

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        event = self._decode(_infill, data, items)
        if event is None:
            return
        if event.content:
            items.append(Delta(event.content))
        if event.stop:
            self._usage = _infill_usage(read_counts(data))
            self._end(_INFILL_REASONS.get(event.stop_type or "", "length"), items)

    def _close(self, items: list[AnswerItem]) -> None:
        """Do nothing: the last event says that it is the last."""


class CompletionReader(SseReader):
    """Reads the events of `/completions`, and of `/fim/completions` in either form: the
    text of a choice, or the delta of a chat."""

    def __init__(self) -> None:
        super().__init__()
        self._reason: str | None = None

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        event = self._decode(_completion, data, items)
        if event is None:
            return
        if event.usage != NO_RAW:
            self._usage = _usage(read_counts(event.usage)) or self._usage
        for choice in (event.choices or ())[:1]:
            text = choice.text or (choice.delta.content if choice.delta else None)
            if text:
                items.append(Delta(text))
            self._reason = choice.finish_reason or self._reason

    def _close(self, items: list[AnswerItem]) -> None:
        if self._reason is not None:
            self._end(_REASONS.get(self._reason, "length"), items)


class _Infill(Struct):
    content: str | None = None
    stop: bool = False
    stop_type: str | None = None
    error: Raw = NO_RAW


class _ChoiceDelta(Struct):
    content: str | None = None


class _Choice(Struct):
    text: str | None = None
    delta: _ChoiceDelta | None = None
    finish_reason: str | None = None


class _Completion(Struct):
    choices: list[_Choice] | None = None
    usage: Raw = NO_RAW
    error: Raw = NO_RAW


_infill = msgspec.json.Decoder(_Infill)
_completion = msgspec.json.Decoder(_Completion)


def _infill_usage(counts: Mapping[str, int]) -> Usage | None:
    if "tokens_predicted" not in counts:
        return None
    return Usage(
        input_n_tokens=counts.get("tokens_evaluated", 0),
        cached_n_tokens=counts.get("timings.cache_n", 0),
        output_n_tokens=counts["tokens_predicted"],
    )


def _usage(counts: Mapping[str, int]) -> Usage | None:
    if "completion_tokens" not in counts:
        return None
    return Usage(
        input_n_tokens=counts.get("prompt_tokens", 0),
        cached_n_tokens=counts.get("prompt_tokens_details.cached_tokens", 0),
        output_n_tokens=counts["completion_tokens"],
    )
