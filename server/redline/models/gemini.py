"""The `generateContent` API of Gemini, streamed.

Field names are those of google-genai 3.4. The model's `url` is the base of the API, as
the name of the model is part of the path.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from urllib.parse import quote

import msgspec
from msgspec import Struct

from redline.models.gemini_reader import GeminiReader
from redline.models.gemini_request import (
    base_url,
    gemini_key_headers,
    output_limit,
    refused_gemini_field,
)
from redline.models.gemini_thinking import thinking_config
from redline.models.interactions import StoredInteractions
from redline.models.interface import GenerationRequest
from redline.models.schema_subset import GEMINI_KEYWORDS, schema_subset
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

_ROLES = {"user": "user", "assistant": "model"}


class GeminiFormat:
    """Writes and reads `streamGenerateContent` for one model."""

    abilities = Abilities(images=True, background=True, cache=True)

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        """Write the request of a streamed answer."""
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

    def reader(self) -> GeminiReader:
        """Return a reader for one answer."""
        return GeminiReader()

    def stored_answers(self) -> StoredInteractions:
        """Return the interactions: long answers that need no connection."""
        return StoredInteractions(self._settings)

    def inquiry(self) -> None:
        """Return nothing: requests depend on no answer."""

    def key_headers(self, key: str) -> Mapping[str, str]:
        """Return the header with the key."""
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
    try:
        listed = _model_list.decode(body)
    except UNREADABLE:
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
