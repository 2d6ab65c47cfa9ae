"""Model servers on this machine, found by their usual ports and their answers.

A port alone is not conclusive (many programs use 8080), so each server is sent a
request that only it answers in its own way, all at once, never through a proxy. On most
machines no port is open: then the HTTP library, which takes 100 ms and 4 MB, stays
unloaded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from importlib import import_module
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit, urlunsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from redline.errors import ModelUnavailableError
from redline.settings.providers import provider_named
from redline.settings.tree import ModelSettings

if TYPE_CHECKING:
    from redline.models.http.http_client import LoopbackClient

PROBE_LIMIT_S = 0.3
"""Longest wait for a local server to accept a connection, and again for its answer; a
server on loopback needs a few ms for both."""

MAX_ANSWER_BYTES = 1_000_000
"""Limit of an answer; a list of models has a few kilobytes."""

ASSUMED_CONTEXT_TOKENS = 8_192
"""Context window if the server does not report one: small, since servers truncate
longer input without notice."""

_CODING_WORDS = ("coder", "codestral", "devstral", "starcoder", "codellama", "code")
_NO_GENERATION_WORDS = ("embed", "rerank", "whisper", "clip", "tts")


class LocalModel(Struct, frozen=True):
    name: str
    context_tokens: int | None = None


class LocalServer(Struct, frozen=True, kw_only=True):
    """A kind of server: where it usually listens and how it is recognised."""

    name: str
    provider: str
    """Its name in the table of providers."""
    port: int
    path: str
    """The path of the request."""
    read: Callable[[bytes], tuple[LocalModel, ...]]
    """Reads the answer; raises `msgspec.MsgspecError` if another server wrote it."""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"


class FoundServer(Struct, frozen=True, kw_only=True):
    """A server that runs here, and the model of it to use."""

    server: LocalServer
    model: LocalModel

    def settings(self) -> ModelSettings:
        """Return the settings that reach it."""
        context_tokens = self.model.context_tokens or ASSUMED_CONTEXT_TOKENS
        provider = provider_named(self.server.provider)
        assert provider is not None, "the table of servers names known providers"
        # The usual port is in the table; a server may listen at another usual one.
        usual = urlsplit(provider.endpoints[provider.api])
        url = urlunsplit(usual._replace(netloc=self.server.address))
        return ModelSettings(
            provider=provider.id,
            api=provider.api,
            url=url,
            name=self.model.name,
            context_tokens=max(1_000, context_tokens),
            # An answer may use up to half of a small window, the code the rest.
            max_output_tokens=max(16, min(16_000, context_tokens // 2)),
        )


async def find_local_server(
    servers: Sequence[LocalServer] | None = None,
) -> FoundServer | None:
    """Probe all usual ports at once; return the first server in the order of the table.

    Takes twice `PROBE_LIMIT_S` at most, and never blocks the loop. Safe to cancel.
    """
    known = servers or SERVERS
    ports = sorted({server.port for server in known})
    answers = await asyncio.gather(*map(_is_open, ports))
    is_open = dict(zip(ports, answers, strict=True))
    if not any(answers):
        return None
    # In a thread: importing httpx takes 0.1 s, and the user may be typing already.
    await asyncio.to_thread(import_module, "redline.models.http.http_client")
    from redline.models.http.http_client import LoopbackClient

    async with aclosing(LoopbackClient()) as client:
        probes = (_probe(client, server) for server in known if is_open[server.port])
        for found in await asyncio.gather(*probes):
            if found is not None:
                return found
    return None


def coding_model(names: tuple[str, ...]) -> str | None:
    """Choose among a local server's models: one made for code, else the first.

    Args:
        names: Names as the server lists them; embedding models and the like are
            skipped.
    """
    writers = [
        name
        for name in names
        if not any(word in name.lower() for word in _NO_GENERATION_WORDS)
    ]
    for word in _CODING_WORDS:
        for name in writers:
            if word in name.lower():
                return name
    return writers[0] if writers else None


async def _is_open(port: int) -> bool:
    try:
        async with asyncio.timeout(PROBE_LIMIT_S):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
    except (TimeoutError, OSError):
        return False
    writer.close()
    return True


async def _probe(client: LoopbackClient, server: LocalServer) -> FoundServer | None:
    url = f"http://{server.address}{server.path}"
    try:
        async with asyncio.timeout(PROBE_LIMIT_S):
            body = await client.get(url, max_bytes=MAX_ANSWER_BYTES)
        models = server.read(body)
    except (TimeoutError, ModelUnavailableError, msgspec.MsgspecError):
        return None
    name = coding_model(tuple(model.name for model in models))
    for model in models:
        if model.name == name:
            return FoundServer(server=server, model=model)
    return None


# The parts of each server's answer that identify it and its models. Required fields are
# the fingerprint: another server's answer does not decode.


class _OllamaModel(msgspec.Struct):
    name: str
    digest: str


class _OllamaTags(msgspec.Struct):
    """`GET /api/tags` of Ollama."""

    models: list[_OllamaModel]


class _Instance(msgspec.Struct):
    class Config(msgspec.Struct):
        context_length: int | None = None

    config: Config | None = None


class _NewStudioModel(msgspec.Struct):
    key: str
    type: str
    loaded_instances: list[_Instance]

    @property
    def context_tokens(self) -> int | None:
        """The window of the first loaded instance."""
        configs = (each.config for each in self.loaded_instances if each.config)
        return next((each.context_length for each in configs), None)


class _NewStudioModels(msgspec.Struct):
    """`GET /api/v1/models` of LM Studio since 0.4."""

    models: list[_NewStudioModel]


class _StudioModel(msgspec.Struct):
    id: str
    type: str
    compatibility_type: str
    loaded_context_length: int | None = None


class _StudioModels(msgspec.Struct):
    """`GET /api/v0/models` of LM Studio (lmstudio.ai/docs, "REST API v0")."""

    data: list[_StudioModel]


class _LlamaMeta(msgspec.Struct):
    n_ctx: int | None = None


class _LlamaModel(msgspec.Struct):
    id: str
    owned_by: Literal["llamacpp"]
    meta: _LlamaMeta | None = None


class _LlamaModels(msgspec.Struct):
    """`GET /v1/models` of llama-server; other servers name another owner."""

    data: list[_LlamaModel]


def _read_ollama(content: bytes) -> tuple[LocalModel, ...]:
    tags = msgspec.json.decode(content, type=_OllamaTags)
    return tuple(LocalModel(model.name) for model in tags.models)


def _read_new_lm_studio(content: bytes) -> tuple[LocalModel, ...]:
    models = msgspec.json.decode(content, type=_NewStudioModels).models
    return tuple(
        LocalModel(model.key, model.context_tokens)
        for model in models
        if model.type == "llm"
    )


def _read_lm_studio(content: bytes) -> tuple[LocalModel, ...]:
    models = msgspec.json.decode(content, type=_StudioModels).data
    return tuple(
        LocalModel(model.id, model.loaded_context_length)
        for model in models
        if model.type in ("llm", "vlm")
    )


class _ServedModel(msgspec.Struct):
    id: str
    owned_by: Literal["vllm", "sglang"]
    max_model_len: int | None = None


class _ServedModels(msgspec.Struct):
    """`GET /v1/models` of vLLM and SGLang."""

    data: list[_ServedModel]


def _read_served(content: bytes) -> tuple[LocalModel, ...]:
    models = msgspec.json.decode(content, type=_ServedModels).data
    return tuple(LocalModel(model.id, model.max_model_len) for model in models)


def _read_llama_server(content: bytes) -> tuple[LocalModel, ...]:
    models = msgspec.json.decode(content, type=_LlamaModels).data
    return tuple(
        LocalModel(model.id, model.meta.n_ctx if model.meta else None)
        for model in models
    )


_LM_STUDIO = LocalServer(
    name="LM Studio",
    provider="lm-studio",
    port=1234,
    path="/api/v1/models",
    read=_read_new_lm_studio,
)

_LLAMA_SERVER = LocalServer(
    name="llama-server",
    provider="llama-server",
    port=9931,
    path="/v1/models",
    read=_read_llama_server,
)

_VLLM = LocalServer(
    name="vLLM", provider="vllm", port=8000, path="/v1/models", read=_read_served
)

SERVERS: tuple[LocalServer, ...] = (
    LocalServer(
        name="Ollama",
        provider="ollama",
        port=11434,
        path="/api/tags",
        read=_read_ollama,
    ),
    _LM_STUDIO,
    # Before 0.4.
    replace(_LM_STUDIO, path="/api/v0/models", read=_read_lm_studio),
    _LLAMA_SERVER,
    # Its port before autumn 2026, and in its containers.
    replace(_LLAMA_SERVER, port=8080),
    _VLLM,
    replace(_VLLM, name="SGLang", provider="sglang", port=30_000),
)
"""Their usual ports, in the order in which they are preferred."""
