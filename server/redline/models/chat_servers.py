"""How the servers of chat completions differ, as a table.

Sources: the providers' own SDKs and references, autumn 2026. A server that is not in
the table gets `ANY_SERVER`, which sends the least and reads everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from redline.settings.providers import provider_of_host

LimitField = Literal["max_tokens", "max_completion_tokens"]

EffortStyle = Literal["effort", "thinking", "reasoning", "template", "none"]
"""How a request asks for thinking: `reasoning_effort`; `thinking` with a type, beside
`reasoning_effort`; `reasoning` with an effort; an argument of the chat template; not at
all."""

SchemaStyle = Literal["schema", "object", "none"]
"""How a request asks for a format: a JSON Schema, any JSON object, not at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatServer:
    """What one server calls differently."""

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
    "vllm": ChatServer(),
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
