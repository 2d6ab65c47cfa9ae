"""Reads a streamed answer of `generateContent`.

Every event is a whole response with the next piece of the text; the one with a finish
reason is the last. Field names are those of google-genai 3.4.
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
from redline.wire.failure import Failure

_FILTERED = frozenset(
    {
        *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
        *("LANGUAGE", "MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT"),
        *("IMAGE_RECITATION", "JAILBREAK"),
    }
)

_FAILED = frozenset({"OTHER", "MALFORMED_RESPONSE", "MALFORMED_FUNCTION_CALL"})


class GeminiReader(SseReader):
    """Reads the events of one answer."""

    def __init__(self) -> None:
        super().__init__()
        self._reason: FinishReason | None = None
        """Why it ends, until the counts have arrived too."""
        self._failure: Failure | None = None
        """Why it ends, if it failed."""

    def _take(self, data: bytes, items: list[AnswerItem]) -> None:
        chunk = self._decode(_chunk, data, items)
        if chunk is None:
            return
        self._begin(chunk.responseId, items)
        if chunk.usageMetadata != NO_RAW:
            self._usage = _usage(read_counts(chunk.usageMetadata)) or self._usage
        if chunk.candidates:
            self._take_candidate(chunk.candidates[0], items)
        elif chunk.promptFeedback is not None and chunk.promptFeedback.blockReason:
            reason = chunk.promptFeedback.blockReason
            said = chunk.promptFeedback.blockReasonMessage
            items.append(Delta(said or _blocked("prompt", reason), "refusal"))
            self._reason = "filtered"
        if self._usage is not None:
            self._close(items)

    def _close(self, items: list[AnswerItem]) -> None:
        if self._reason is not None:
            self._end(self._reason, items, self._failure)

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
        if reason in _FAILED:
            said = candidate.finishMessage or f"it ended the answer with {reason}"
            self._failure = Failure(message=said, code=reason, status=500)
        self._reason = _finish_reason(reason)


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
