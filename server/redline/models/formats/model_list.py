"""Reads the lists of models that servers with OpenAI's paths give, and their pages.

The entries differ: each server names the size of the window in its own way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import msgspec
from msgspec import Meta, Struct

from redline.models.formats.http_request import HttpRequest
from redline.models.formats.stored_answers import StoredAnswers
from redline.models.formats.wire_format import Inquiry, OfferedModel
from redline.settings.tree import ModelSettings
from redline.wire.failure import UNREADABLE

Count = Annotated[int, Meta(ge=1, le=2**40)]


class _Meta(Struct):
    n_ctx: Count | None = None
    """llama-server: the window of one slot."""


class _Capabilities(Struct):
    """Mistral."""

    vision: bool | None = None
    completion_fim: bool | None = None


class _Architecture(Struct):
    """OpenRouter, llama-server."""

    input_modalities: list[str] = []


class _Entry(Struct):
    id: str = ""
    max_model_len: Count | None = None
    """vLLM, SGLang."""
    context_length: Count | None = None
    """OpenRouter, Together."""
    context_window: Count | None = None
    """Groq."""
    max_context_length: Count | None = None
    """Mistral."""
    max_completion_tokens: Count | None = None
    """Groq."""
    meta: _Meta | None = None
    capabilities: _Capabilities | None = None
    architecture: _Architecture | None = None

    def offered(self) -> OfferedModel:
        capabilities = self.capabilities or _Capabilities()
        sees = capabilities.vision
        if self.architecture is not None:
            sees = "image" in self.architecture.input_modalities
        return OfferedModel(
            name=self.id,
            context_tokens=self.max_model_len
            or self.context_length
            or self.context_window
            or self.max_context_length
            or (self.meta.n_ctx if self.meta else None),
            max_output_tokens=self.max_completion_tokens,
            sees=sees,
            fills=capabilities.completion_fim,
        )


class _Raw(Struct):
    data: list[msgspec.Raw]


class _Named(Struct):
    id: str = ""


def read_model_list(body: bytes) -> tuple[OfferedModel, ...]:
    """Read a list of models; empty if it is not one."""
    try:
        entries = msgspec.json.decode(body, type=_Raw).data
    except UNREADABLE:
        return ()
    return tuple(model for model in map(_offered, entries) if model.name)


def models_url(url: str, *, path: str, name: str = "/models") -> str:
    """Return where the list of models is, next to an endpoint.

    Args:
        url: The endpoint.
        path: The part of its path that is the endpoint's own, such as `/responses`.
        name: Another neighbour of the endpoint.
    """
    parts = urlsplit(url)
    base = parts.path.removesuffix("/").removesuffix(path)
    return urlunsplit(parts._replace(path=f"{base}{name}"))


class OpenAiFormat:
    """What most wire formats have in common: each is a `WireFormat` of its own."""

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings

    def stored_answers(self) -> StoredAnswers | None:
        """Return nothing: no answer is stored."""
        return None

    def inquiry(self) -> Inquiry | None:
        """Return nothing: requests depend on no answer."""
        return None

    def key_headers(self, key: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"}

    def list_models(self) -> HttpRequest | None:
        """Return nothing: there is no list of models."""
        return None

    def show(self) -> HttpRequest | None:
        """Ask for the entry of the model in the list."""
        listing = self.list_models()
        if listing is None:
            return None
        url = f"{listing.url}/{quote(self._settings.name, safe='')}"
        return HttpRequest(method="GET", url=url)

    def read_models(self, body: bytes) -> Sequence[OfferedModel]:
        return read_model_list(body)


class _Cursor(Struct):
    has_more: bool = False
    last_id: str = ""
    """Anthropic."""
    nextPageToken: str = ""
    """Gemini."""


def next_page(url: str, body: bytes) -> str | None:
    """Return where the page after one of a list is; None: that was the last one."""
    try:
        cursor = msgspec.json.decode(body, type=_Cursor)
    except UNREADABLE:
        return None
    if cursor.nextPageToken:
        field = ("pageToken", cursor.nextPageToken)
    elif cursor.has_more and cursor.last_id:
        field = ("after_id", cursor.last_id)
    else:
        return None
    parts = urlsplit(url)
    kept = [pair for pair in parse_qsl(parts.query) if pair[0] != field[0]]
    return urlunsplit(parts._replace(query=urlencode([*kept, field])))


def _offered(raw: msgspec.Raw) -> OfferedModel:
    try:
        return msgspec.json.decode(raw, type=_Entry).offered()
    except UNREADABLE:
        pass
    try:
        # A field of another type than expected must not lose the name.
        return OfferedModel(name=msgspec.json.decode(raw, type=_Named).id)
    except UNREADABLE:
        return OfferedModel(name="")
