"""The Messages API of Anthropic, which many servers of other models speak too.

Field names are those of anthropic-python 2.12 and API version 2026-10-21.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence, Set
from urllib.parse import quote

import msgspec
from msgspec import Raw, Struct

from redline.models.formats.claude_thinking import choose_thinking
from redline.models.formats.http_request import NOTHING, HttpRequest, OptionalField
from redline.models.formats.model_list import OpenAiFormat, models_url
from redline.models.formats.schema_subset import ANTHROPIC_KEYWORDS, schema_subset
from redline.models.formats.sse_reader import SseReader, read_counts
from redline.models.formats.wire_format import Abilities, AnswerItem, OfferedModel
from redline.models.interface import (
    Delta,
    FinishReason,
    GenerationRequest,
    Usage,
)
from redline.prompts.message import ChatMessage
from redline.settings.tree import ModelSettings
from redline.wire.events import NO_RAW
from redline.wire.failure import Failure, try_decode

API_VERSION = "2026-10-21"

_CACHE_MARK = {"type": "ephemeral"}
"""Stores the prompt up to here for five minutes, at the provider."""

_REFUSED: Mapping[OptionalField, tuple[str, ...]] = {
    "format": ("output_config.format", "output_format", "json_schema"),
    "effort": ("thinking", "effort", "budget_tokens"),
    "cache": ("cache_control",),
}
"""Names in a refusal of what a request can do without."""

_BAD_REQUEST = (400, 422)


class AnthropicFormat(OpenAiFormat):
    """Writes and reads Messages for one model."""

    abilities = Abilities(images=True, cache=True)

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__(settings)
        self._models_url = models_url(settings.url, path="/messages")

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        settings = self._settings
        limit = settings.max_output_tokens
        thinking = choose_thinking(settings, max_tokens=limit)
        if request.max_output_tokens is not None:
            limit = min(limit, request.max_output_tokens + thinking.room_n_tokens)
        body: dict[str, object] = {
            "model": settings.name,
            "max_tokens": limit,
            "messages": _messages(request, is_marked="cache" not in leaving_out),
            "stream": True,
        }
        if request.prompt.instructions:
            front = _text_block(request.prompt.instructions)
            if "cache" not in leaving_out:
                front["cache_control"] = _CACHE_MARK
            body["system"] = [front]
        output: dict[str, object] = {}
        if "effort" not in leaving_out:
            if thinking.thinking is not None:
                body["thinking"] = thinking.thinking
            if thinking.effort is not None:
                output["effort"] = thinking.effort
        if request.text_format is not None and "format" not in leaving_out:
            schema = schema_subset(request.text_format.schema, ANTHROPIC_KEYWORDS)
            output["format"] = {"type": "json_schema", "schema": schema}
        if output:
            body["output_config"] = output
        if settings.service_tier is not None:
            body["service_tier"] = settings.service_tier
        return HttpRequest(
            url=settings.url,
            headers=_VERSION,
            body=msgspec.json.encode(body),
            allowed_n_tokens=limit,
        )

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return what a server refuses that the request can do without."""
        words = f"{failure.param} {failure.message}"
        if failure.status not in _BAD_REQUEST:
            return None
        for field, names in _REFUSED.items():
            if any(name in words for name in names):
                return field
        return None

    def reader(self, request: GenerationRequest) -> AnthropicReader:
        return AnthropicReader()

    def trial(self) -> HttpRequest:
        """Write a request without messages, which is refused."""
        body = {"model": self._settings.name, "max_tokens": 1, "messages": []}
        return HttpRequest(
            url=self._settings.url, headers=_VERSION, body=msgspec.json.encode(body)
        )

    def warm_up(self) -> HttpRequest:
        """Ask for the description of the model, which opens a connection."""
        return self.show()

    def show(self) -> HttpRequest:
        """Ask for the description of the model."""
        return HttpRequest(
            method="GET",
            url=f"{self._models_url}/{quote(self._settings.name, safe='')}",
            headers=_VERSION,
        )

    def list_models(self) -> HttpRequest:
        """Write the request for the first page, of a thousand models."""
        url = f"{self._models_url}?limit=1000"
        return HttpRequest(method="GET", url=url, headers=_VERSION)

    def read_models(self, body: bytes) -> Sequence[OfferedModel]:
        """Read the models that are not retired."""
        listed = try_decode(_model_list, body)
        if listed is None:
            return ()
        return tuple(
            OfferedModel(
                name=model.id,
                context_tokens=model.max_input_tokens,
                max_output_tokens=model.max_tokens,
                sees=_sees(model),
            )
            for model in listed.data
            if model.lifecycle != "retired"
        )


_VERSION = {"anthropic-version": API_VERSION}


class _Support(Struct):
    supported: bool = False


class _Capabilities(Struct):
    image_input: _Support | None = None


class _Listed(Struct):
    id: str
    max_input_tokens: int | None = None
    max_tokens: int | None = None
    lifecycle: str | None = None
    capabilities: _Capabilities | None = None


class _ModelList(Struct):
    data: list[_Listed]


_model_list = msgspec.json.Decoder(_ModelList)


def _messages(
    request: GenerationRequest, *, is_marked: bool
) -> list[dict[str, object]]:
    """Write the conversation; one with an answer in it is likely to go on."""
    written = [(each.role, _content(each)) for each in request.prompt.chat_messages]
    if is_marked and len(written) > 1:
        written[-1][1][-1]["cache_control"] = _CACHE_MARK
    return [{"role": role, "content": content} for role, content in written]


def _content(chat_message: ChatMessage) -> list[dict[str, object]]:
    content: list[dict[str, object]] = [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": image.media_type,
                "data": b64encode(image.data).decode(),
            },
        }
        for image in chat_message.images
    ]
    content.append(_text_block(chat_message.text))
    return content


def _text_block(text: str) -> dict[str, object]:
    return {"type": "text", "text": text}


def _sees(model: _Listed) -> bool | None:
    if model.capabilities is None or model.capabilities.image_input is None:
        return None
    return model.capabilities.image_input.supported


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
    """Reads the events of one message; those of unknown types are ignored."""

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
