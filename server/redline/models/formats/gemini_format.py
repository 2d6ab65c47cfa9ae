"""The `generateContent` API of Gemini, streamed.

Field names are those of google-genai 3.4. The model's `url` is the base of the API, as
the name of the model is part of the path.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence, Set
from urllib.parse import quote

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from redline.models.formats.gemini_request import (
    base_url,
    gemini_key_headers,
    output_limit,
    refused_gemini_field,
    thinking_config,
)
from redline.models.formats.http_request import NOTHING, HttpRequest, OptionalField
from redline.models.formats.interactions_format import StoredInteractions
from redline.models.formats.schema_subset import GEMINI_KEYWORDS, schema_subset
from redline.models.formats.sse_reader import SseReader, read_counts
from redline.models.formats.wire_format import (
    Abilities,
    AnswerItem,
    AnswerPart,
    OfferedModel,
)
from redline.models.interface import Delta, FinishReason, GenerationRequest, Usage
from redline.prompts.message import ChatMessage
from redline.settings.tree import ModelSettings
from redline.wire.events import NO_RAW
from redline.wire.failure import Failure, try_decode

_ROLES = {"user": "user", "assistant": "model"}


class GeminiFormat:
    """Writes and reads `streamGenerateContent` for one model."""

    abilities = Abilities(images=True, background=True, cache=True)

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        settings, prompt = self._settings, request.prompt
        limit = output_limit(request, settings)
        config: dict[str, object] = {"maxOutputTokens": limit}
        thinking = thinking_config(settings)
        if thinking is not None and "effort" not in leaving_out:
            config["thinkingConfig"] = thinking
        if request.text_format is not None and "format" not in leaving_out:
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = schema_subset(
                request.text_format.schema, GEMINI_KEYWORDS
            )
        body: dict[str, object] = {
            "contents": [_content(each) for each in prompt.chat_messages],
            "generationConfig": config,
        }
        if prompt.instructions:
            body["systemInstruction"] = {"parts": [{"text": prompt.instructions}]}
        if settings.service_tier is not None:
            body["serviceTier"] = settings.service_tier
        written = self._post("streamGenerateContent?alt=sse", body)
        return replace(written, allowed_n_tokens=limit)

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return what a server refuses that the request can do without."""
        return refused_gemini_field(failure)

    def reader(self, request: GenerationRequest) -> GeminiReader:
        return GeminiReader()

    def stored_answers(self) -> StoredInteractions:
        """Return the interactions: long answers that need no connection."""
        return StoredInteractions(self._settings)

    def inquiry(self) -> None:
        """Return nothing: requests depend on no answer."""

    def key_headers(self, key: str) -> Mapping[str, str]:
        return gemini_key_headers(key)

    def trial(self) -> HttpRequest:
        """Write a request without contents, which is refused."""
        return self._post("generateContent", {"contents": []})

    def warm_up(self) -> HttpRequest:
        """Ask for the description of the model, which opens a connection."""
        return self.show()

    def show(self) -> HttpRequest:
        """Ask for the description of the model."""
        return HttpRequest(
            method="GET", url=f"{base_url(self._settings)}/{_path(self._settings.name)}"
        )

    def list_models(self) -> HttpRequest:
        """Write the request for the first page, of a thousand models."""
        return list_gemini_models(self._settings)

    def read_models(self, body: bytes) -> Sequence[OfferedModel]:
        """Read the models that generate text."""
        return read_gemini_models(body)

    def _post(self, method: str, body: Mapping[str, object]) -> HttpRequest:
        path = _path(self._settings.name)
        return HttpRequest(
            url=f"{base_url(self._settings)}/{path}:{method}",
            body=msgspec.json.encode(body),
        )


def list_gemini_models(settings: ModelSettings) -> HttpRequest:
    """Write the request for the first page, of a thousand models."""
    return HttpRequest(method="GET", url=f"{base_url(settings)}/models?pageSize=1000")


def read_gemini_models(body: bytes) -> Sequence[OfferedModel]:
    """Read the models that generate text; empty if it is no list of models."""
    listed = try_decode(_model_list, body)
    if listed is None:
        return ()
    return tuple(
        OfferedModel(
            name=model.name.removeprefix("models/"),
            context_tokens=model.inputTokenLimit,
            max_output_tokens=model.outputTokenLimit,
        )
        for model in listed.models
        if "generateContent" in model.supportedGenerationMethods
    )


class _Listed(Struct):
    name: str
    inputTokenLimit: int | None = None
    outputTokenLimit: int | None = None
    supportedGenerationMethods: tuple[str, ...] = ("generateContent",)


class _ModelList(Struct):
    models: list[_Listed]


_model_list = msgspec.json.Decoder(_ModelList)


def _path(name: str) -> str:
    """Return the path of a model; tuned ones name their own collection."""
    path = name if "/" in name else f"models/{name}"
    return quote(path, safe="/-._~@:")


def _content(chat_message: ChatMessage) -> dict[str, object]:
    parts: list[dict[str, object]] = [
        {
            "inlineData": {
                "mimeType": image.media_type,
                "data": b64encode(image.data).decode(),
            }
        }
        for image in chat_message.images
    ]
    parts.append({"text": chat_message.text})
    return {"role": _ROLES[chat_message.role], "parts": parts}


_FILTERED = frozenset(
    {
        *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
        *("LANGUAGE", "MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT"),
        *("IMAGE_RECITATION", "JAILBREAK"),
    }
)

_FAILED = frozenset({"OTHER", "MALFORMED_RESPONSE", "MALFORMED_FUNCTION_CALL"})


class GeminiReader(SseReader):
    """Reads the events of one answer.

    Every event is a whole response with the next piece of the text; the one with a
    finish reason is the last.
    """

    def __init__(self) -> None:
        super().__init__()
        self._reason: FinishReason | None = None
        """Why it ends, until the counts have arrived too."""
        self._failure: Failure | None = None
        """Why it ends, if it failed."""
        self._continuation: str | None = None
        """What gets the rest of an answer that the provider has interrupted."""

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
        if self._continuation is not None:
            self._has_ended = True
            more = {"continuationToken": self._continuation}
            items.append(AnswerPart(more=more, usage=self._usage))
        elif self._reason is not None:
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
        if reason == "CONTINUATION":
            self._continuation = candidate.continuationToken
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
    continuationToken: str | None = None


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
