"""Reads the streamed answers of endpoints that fill in the middle."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Raw, Struct

from redline.errors import RemoteProtocolError
from redline.models.event_stream import END_MARK, EventStream, read_stray
from redline.models.interface import Delta, FinishReason, Usage
from redline.models.token_counts import read_counts
from redline.models.wire_format import AnswerEnd, AnswerItem
from redline.wire.events import NO_RAW
from redline.wire.failure import UNREADABLE, Failure, read_error

_INFILL_REASONS: Mapping[str, FinishReason] = {"eos": "completed", "word": "completed"}
"""`stop_type`; all others are cut answers."""

_REASONS: Mapping[str, FinishReason] = {
    "stop": "completed",
    "eos": "completed",
    "content_filter": "filtered",
}


class InfillReader:
    """Reads the events of llama-server's `/infill`."""

    def __init__(self) -> None:
        self._events = EventStream()
        self._has_ended = False

    def feed(self, chunk: bytes) -> list[AnswerItem]:
        """Take bytes; see `AnswerReader.feed`."""
        items: list[AnswerItem] = []
        for data in self._events.feed(chunk):
            if not self._has_ended and data != END_MARK:
                self._take(data, items)
        return items

    def finish(self) -> list[AnswerItem]:
        """Take the end of the body."""
        if self._has_ended:
            return []
        return _stray_end(self._events)

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        try:
            event = _infill.decode(data)
        except UNREADABLE as exc:
            raise RemoteProtocolError("The server sent an unreadable event.") from exc
        if event.error != NO_RAW:
            self._has_ended = True
            items.append(AnswerEnd(reason="failed", failure=read_error(data)))
            return
        if event.content:
            items.append(Delta(event.content))
        if event.stop:
            self._has_ended = True
            reason = _INFILL_REASONS.get(event.stop_type or "", "length")
            usage = _infill_usage(read_counts(data))
            items.append(AnswerEnd(reason=reason, usage=usage))


class CompletionReader:
    """Reads the events of `/completions`, and of `/fim/completions` in either form: the
    text of a choice, or the delta of a chat."""

    def __init__(self) -> None:
        self._events = EventStream()
        self._reason: str | None = None
        self._usage: Usage | None = None
        self._has_ended = False

    def feed(self, chunk: bytes) -> list[AnswerItem]:
        """Take bytes; see `AnswerReader.feed`."""
        items: list[AnswerItem] = []
        for data in self._events.feed(chunk):
            if self._has_ended:
                break
            if data.strip() == END_MARK:
                items += self._ended()
            else:
                self._take(data, items)
        return items

    def finish(self) -> list[AnswerItem]:
        """Take the end of the body, whose end mark may be missing."""
        if self._has_ended:
            return []
        return self._ended() or _stray_end(self._events)

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        try:
            event = _completion.decode(data)
        except UNREADABLE as exc:
            raise RemoteProtocolError("The server sent an unreadable event.") from exc
        if event.error != NO_RAW:
            self._has_ended = True
            items.append(AnswerEnd(reason="failed", failure=read_error(data)))
            return
        if event.usage != NO_RAW:
            self._usage = _usage(read_counts(event.usage)) or self._usage
        for choice in (event.choices or ())[:1]:
            text = choice.text or (choice.delta.content if choice.delta else None)
            if text:
                items.append(Delta(text))
            self._reason = choice.finish_reason or self._reason

    def _ended(self) -> list[AnswerItem]:
        if self._reason is None:
            return []
        self._has_ended = True
        reason = _REASONS.get(self._reason, "length")
        return [AnswerEnd(reason=reason, usage=self._usage)]


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


def _stray_end(events: EventStream) -> list[AnswerItem]:
    failure: Failure | None = read_stray(events.finish())
    return [] if failure is None else [AnswerEnd(reason="failed", failure=failure)]


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
