"""Reads a streamed answer of `generateContent`.

Every event is a whole response with the next piece of the text; the one with a finish
reason is the last. Field names are those of google-genai 3.4.
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

_FILTERED = frozenset(
    {
        *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
        *("LANGUAGE", "MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT"),
        *("IMAGE_RECITATION", "JAILBREAK"),
    }
)

_FAILED = frozenset({"OTHER", "MALFORMED_RESPONSE", "MALFORMED_FUNCTION_CALL"})


class GeminiReader:
    """Reads the events of one answer."""

    def __init__(self) -> None:
        self._events = EventStream()
        self._id: str | None = None
        self._usage: Usage | None = None
        self._end: AnswerEnd | None = None
        """The end, until the counts have arrived too."""
        self._has_ended = False

    def feed(self, chunk: bytes) -> list[AnswerItem]:
        """Take bytes; see `AnswerReader.feed`."""
        items: list[AnswerItem] = []
        for data in self._events.feed(chunk):
            if not self._has_ended:
                self._take(data, items)
        return items

    def finish(self) -> list[AnswerItem]:
        """Take the end of the body; an error is not sent as an event."""
        if self._has_ended:
            return []
        failure = read_stray(self._events.finish())
        if self._end is not None:
            return [self._ended(self._end)]
        return [] if failure is None else [self._failed(failure)]

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        try:
            chunk = _chunk.decode(data)
        except UNREADABLE as exc:
            raise RemoteProtocolError("The server sent an unreadable event.") from exc
        if chunk.error != NO_RAW:
            items.append(self._failed(read_error(data)))
            return
        if chunk.responseId and self._id is None:
            self._id = chunk.responseId
            items.append(AnswerBegun(response_id=self._id))
        if chunk.usageMetadata != NO_RAW:
            self._usage = _usage(read_counts(chunk.usageMetadata)) or self._usage
        if chunk.candidates:
            self._take_candidate(chunk.candidates[0], items)
        elif chunk.promptFeedback is not None and chunk.promptFeedback.blockReason:
            reason = chunk.promptFeedback.blockReason
            said = chunk.promptFeedback.blockReasonMessage
            items.append(Delta(said or _blocked("prompt", reason), "refusal"))
            self._end = AnswerEnd(reason="filtered")
        if self._end is not None and self._usage is not None:
            items.append(self._ended(self._end))

    def _take_candidate(self, candidate: _Candidate, items: list[AnswerItem]) -> None:
        parts = candidate.content.parts if candidate.content is not None else None
        for part in parts or ():
            if part.text:
                items.append(Delta(part.text, "reasoning" if part.thought else "text"))
        reason = candidate.finishReason
        if not reason:
            return
        if reason in _FILTERED:
            said = candidate.finishMessage or _blocked("answer", reason)
            items.append(Delta(said, "refusal"))
        failure = None
        if reason in _FAILED:
            said = candidate.finishMessage or f"it ended the answer with {reason}"
            failure = Failure(message=said, code=reason, status=500)
        self._end = AnswerEnd(reason=_finish_reason(reason), failure=failure)

    def _ended(self, end: AnswerEnd) -> AnswerEnd:
        self._has_ended = True
        return AnswerEnd(
            reason=end.reason,
            failure=end.failure,
            usage=self._usage,
            response_id=self._id,
        )

    def _failed(self, failure: Failure) -> AnswerEnd:
        return self._ended(AnswerEnd(reason="failed", failure=failure))


class _Part(Struct):
    text: str | None = None
    thought: bool | None = None


class _Content(Struct):
    parts: list[_Part] | None = None


class _Candidate(Struct):
    content: _Content | None = None
    finishReason: str | None = None
    finishMessage: str | None = None


class _PromptFeedback(Struct):
    blockReason: str | None = None
    blockReasonMessage: str | None = None


class _Chunk(Struct):
    candidates: list[_Candidate] | None = None
    promptFeedback: _PromptFeedback | None = None
    usageMetadata: Raw = NO_RAW
    responseId: str | None = None
    error: Raw = NO_RAW


_chunk = msgspec.json.Decoder(_Chunk)


def _finish_reason(reason: str) -> FinishReason:
    if reason == "STOP":
        return "completed"
    if reason in _FILTERED:
        return "filtered"
    return "failed" if reason in _FAILED else "length"


def _blocked(what: str, reason: str) -> str:
    return f"The provider's filter stopped the {what} ({reason})."


def _usage(counts: Mapping[str, int]) -> Usage | None:
    if "promptTokenCount" not in counts:
        return None
    thought = counts.get("thoughtsTokenCount", 0)
    return Usage(
        input_n_tokens=counts["promptTokenCount"]
        + counts.get("toolUsePromptTokenCount", 0),
        cached_n_tokens=counts.get("cachedContentTokenCount", 0),
        output_n_tokens=counts.get("candidatesTokenCount", 0) + thought,
        reasoning_n_tokens=thought,
    )
