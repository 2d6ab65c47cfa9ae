"""The Messages API of Anthropic, which many servers of other models speak too.

Field names are those of anthropic-python 2.12 and API version 2026-10-21.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence, Set
from urllib.parse import quote

import msgspec
from msgspec import Struct

from redline.models.anthropic_reader import AnthropicReader
from redline.models.claude_thinking import choose_thinking
from redline.models.interface import (
    GenerationRequest,
)
from redline.models.model_list import models_url
from redline.models.schema_subset import ANTHROPIC_KEYWORDS, schema_subset
from redline.models.wire_format import (
    NOTHING,
    Abilities,
    HttpRequest,
    OfferedModel,
    OptionalField,
)
from redline.prompts.message import ChatMessage
from redline.settings.tree import ModelSettings
from redline.wire.failure import UNREADABLE, Failure

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


class AnthropicFormat:
    """Writes and reads Messages for one model."""

    abilities = Abilities(images=True, cache=True)

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._models_url = models_url(settings.url, path="/messages")

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        """Write the request of a streamed message."""
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

    def reader(self) -> AnthropicReader:
        """Return a reader for one message."""
        return AnthropicReader()

    def stored_answers(self) -> None:
        """Return nothing: no answer is stored."""

    def inquiry(self) -> None:
        """Return nothing: requests depend on no answer."""

    def key_headers(self, key: str) -> Mapping[str, str]:
        """Return the header with the key, as the official SDK sends it."""
        return {"Authorization": f"Bearer {key}"}

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
        try:
            listed = _model_list.decode(body)
        except UNREADABLE:
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
