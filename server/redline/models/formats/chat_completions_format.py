"""The wire format of chat completions, as OpenAI made it and most servers speak it.

The request says little that a server could refuse; `CHAT_SERVERS` says what each
names differently. The reader knows all names at once, since a gateway may pass on the
answer of any server.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Set
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

import msgspec
from msgspec import Struct

from redline.models.failures import is_format_refusal
from redline.models.formats.chat_reader import ChatReader
from redline.models.formats.effort import EFFORT_OFF
from redline.models.formats.http_request import NOTHING, HttpRequest, OptionalField
from redline.models.formats.model_list import OpenAiFormat, models_url
from redline.models.formats.request import allowed_n_tokens
from redline.models.formats.wire_format import Abilities
from redline.models.interface import GenerationRequest
from redline.prompts.message import ChatMessage, JsonSchema, PromptImage
from redline.settings.providers import provider_of_host
from redline.settings.tree import ModelSettings
from redline.wire.failure import Failure

_PATH = "/chat/completions"

_NAMES: Mapping[OptionalField, tuple[str, ...]] = {
    "usage": ("stream_options", "include_usage"),
    "effort": ("reasoning_effort", "thinking", "reasoning", "chat_template_kwargs"),
    "cache": ("prompt_cache_key",),
    "limit": ("max_tokens", "max_completion_tokens"),
}
"""Names in an error that refuses a field."""

_WORD = re.compile(r"[a-z_]+")

_REFUSED = (None, 400, 422)

_SAID_OF_FIELDS = (
    "unsupported",
    "not support",
    "unknown",
    "unrecognized",
    "unexpected",
    "not permitted",
    "not allowed",
    "invalid",
    "extra",
)
"""Words of servers about a field that they refuse."""

Fields = dict[str, Any]
"""Fields of a request: any JSON."""


LimitField = Literal["max_tokens", "max_completion_tokens"]

EffortStyle = Literal["effort", "thinking", "reasoning", "template", "none"]
"""How a request asks for thinking: `reasoning_effort`; `thinking` with a type, beside
`reasoning_effort`; `reasoning` with an effort; an argument of the chat template; not at
all."""

SchemaStyle = Literal["schema", "object", "none"]
"""How a request asks for a format: a JSON Schema, any JSON object, not at all."""


class ChatServer(Struct, frozen=True, kw_only=True):
    """What one server calls differently.

    Sources: the providers' own SDKs and references, autumn 2026. A server that is not
    in the table gets `ANY_SERVER`, which sends the least and reads everything.
    """

    limit: LimitField = "max_tokens"
    effort: EffortStyle = "effort"
    no_effort: str = "none"
    """What the effort `none` is called."""
    schema: SchemaStyle = "schema"
    asks_usage: bool = True
    """Whether `stream_options` asks for the token counts; some send them always and
    refuse the field."""
    cache_key: bool = False
    """Whether `prompt_cache_key` is known."""
    cache_salt: bool = False
    """Whether `cache_salt` separates the prompt caches of users."""
    more: Mapping[str, object] | None = None
    """Further fields of every request."""
    has_list: bool = True
    """Whether there is a list of models."""
    warm_path: str | None = None
    """A path next to the endpoint that only opens a connection."""
    images: bool = True
    cached: bool = True
    """Whether the counts say how much of the input was cached."""


ANY_SERVER = ChatServer(effort="effort")

CHAT_SERVERS: Mapping[str, ChatServer] = {
    "openai": ChatServer(limit="max_completion_tokens", cache_key=True),
    "cerebras": ChatServer(
        limit="max_completion_tokens",
        cache_key=True,
        # gpt-oss refuses `none` with 400.
        no_effort="low",
        warm_path="/tcp_warming",
        images=False,
    ),
    "groq": ChatServer(limit="max_completion_tokens", no_effort="low"),
    # Thinking is always on; without `reasoning_split` it is in the text.
    "minimax": ChatServer(
        limit="max_completion_tokens",
        effort="none",
        schema="none",
        more={"reasoning_split": True},
        has_list=False,
        images=False,
    ),
    "zai": ChatServer(effort="thinking", schema="object", asks_usage=False),
    "deepseek": ChatServer(effort="thinking", schema="object"),
    # It refuses fields that it does not know with 422.
    "mistral": ChatServer(asks_usage=False, cached=False),
    "codestral": ChatServer(asks_usage=False, cached=False),
    "openrouter": ChatServer(effort="reasoning"),
    "together": ChatServer(),
    "fireworks": ChatServer(),
    "inception": ChatServer(effort="effort", images=False),
    "vllm": ChatServer(cache_salt=True),
    "sglang": ChatServer(effort="template"),
    "llama-server": ChatServer(),
    "ollama": ChatServer(cached=False),
    "lm-studio": ChatServer(effort="none", cached=False),
    "litellm": ChatServer(),
}
"""By the provider's name in the settings."""


def always_thinks(name: str) -> bool:
    """Say whether a model refuses to have its thinking switched off."""
    return name.rpartition("/")[2].lower().startswith("glm-5.3")


def chat_server(provider: str | None, url: str) -> ChatServer:
    """Return what is known of a server.

    Args:
        provider: Its name in the settings; None: it is known by its host, if at all.
        url: Its endpoint.
    """
    if provider is None:
        found = provider_of_host(urlsplit(url).hostname or "")
        provider = found.id if found else None
    return CHAT_SERVERS.get(provider or "", ANY_SERVER)


class ChatCompletions(OpenAiFormat):
    """`POST …/chat/completions`."""

    def __init__(
        self, settings: ModelSettings, *, url: str, server: ChatServer = ANY_SERVER
    ) -> None:
        super().__init__(settings)
        self._url = url
        self._server = server
        self.abilities = Abilities(
            schema=server.schema == "schema",
            images=server.images,
            cache=server.cached,
        )

    def write(
        self, request: GenerationRequest, *, leaving_out: Set[OptionalField] = NOTHING
    ) -> HttpRequest:
        server, prompt = self._server, request.prompt
        messages = [_message(message) for message in prompt.chat_messages]
        if prompt.instructions:
            # One only: some templates refuse a second system message.
            messages.insert(0, {"role": "system", "content": prompt.instructions})
        fields: Fields = {
            "model": self._settings.name,
            "messages": messages,
            "stream": True,
            self._limit_field(leaving_out): allowed_n_tokens(request, self._settings),
            **(server.more or {}),
        }
        if server.asks_usage and "usage" not in leaving_out:
            fields["stream_options"] = {"include_usage": True}
        if self._settings.effort and "effort" not in leaving_out:
            fields |= self._effort(self._settings.effort)
        if request.text_format is not None and "format" not in leaving_out:
            fields |= self._format(request.text_format)
        if server.cache_key and request.cache_key and "cache" not in leaving_out:
            fields["prompt_cache_key"] = request.cache_key
        if server.cache_salt and request.cache_salt:
            fields["cache_salt"] = request.cache_salt
        if self._settings.service_tier:
            fields["service_tier"] = self._settings.service_tier
        return HttpRequest(url=self._url, body=msgspec.json.encode(fields))

    def refused_field(self, failure: Failure) -> OptionalField | None:
        """Return what a server refuses, if the request can do without."""
        if failure.status not in _REFUSED:
            return None
        if is_format_refusal(failure):
            return "format"
        words = f"{failure.param} {failure.message}".lower()
        if not any(said in words for said in _SAID_OF_FIELDS):
            return None
        for field, names in _NAMES.items():
            if any(name in _WORD.findall(words) for name in names):
                return field
        return None

    def reader(self, request: GenerationRequest) -> ChatReader:
        messages = request.prompt.chat_messages
        return ChatReader(sent=[message.text for message in messages])

    def trial(self) -> HttpRequest:
        """Write a request that servers refuse, because it has no messages."""
        fields = {
            "model": self._settings.name,
            "messages": [],
            self._server.limit: 16,
            "stream": True,
        }
        return HttpRequest(url=self._url, body=msgspec.json.encode(fields))

    def warm_up(self) -> HttpRequest | None:
        """Return a request that costs nothing."""
        if self._server.warm_path is None:
            return self.list_models()
        parts = urlsplit(self._url)
        path = parts.path.removesuffix("/").removesuffix(_PATH) + self._server.warm_path
        return HttpRequest(method="GET", url=urlunsplit(parts._replace(path=path)))

    def list_models(self) -> HttpRequest | None:
        if not self._server.has_list:
            return None
        return HttpRequest(method="GET", url=models_url(self._url, path=_PATH))

    def _limit_field(self, leaving_out: Set[OptionalField]) -> str:
        """Return the name of the token limit; the other one if this was refused."""
        if "limit" not in leaving_out:
            return self._server.limit
        is_old = self._server.limit == "max_tokens"
        return "max_completion_tokens" if is_old else "max_tokens"

    def _effort(self, effort: str) -> Fields:
        is_off = effort in EFFORT_OFF
        said = self._server.no_effort if is_off else effort
        match self._server.effort:
            case "effort":
                return {"reasoning_effort": said}
            case "thinking" if is_off and always_thinks(self._settings.name):
                return {"thinking": {"type": "enabled"}, "reasoning_effort": "low"}
            case "thinking" if is_off:
                return {"thinking": {"type": "disabled"}}
            case "thinking":
                return {"thinking": {"type": "enabled"}, "reasoning_effort": said}
            case "reasoning" if is_off:
                return {"reasoning": {"enabled": False}}
            case "reasoning":
                return {"reasoning": {"effort": said}}
            case "template":
                return {"chat_template_kwargs": {"enable_thinking": not is_off}}
            case "none":
                return {}

    def _format(self, text_format: JsonSchema) -> Fields:
        match self._server.schema:
            case "schema":
                schema = {
                    "name": text_format.name,
                    "strict": True,
                    "schema": text_format.schema,
                }
                return {
                    "response_format": {"type": "json_schema", "json_schema": schema}
                }
            case "object":
                return {"response_format": {"type": "json_object"}}
            case "none":
                return {}


def _message(message: ChatMessage) -> Fields:
    if not message.images:
        return {"role": message.role, "content": message.text}
    parts: list[Fields] = [*map(_image, message.images)]
    parts.append({"type": "text", "text": message.text})
    return {"role": message.role, "content": parts}


def _image(image: PromptImage) -> Fields:
    data = base64.b64encode(image.data).decode("ascii")
    url = f"data:{image.media_type};base64,{data}"
    return {"type": "image_url", "image_url": {"url": url}}
