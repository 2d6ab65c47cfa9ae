"""A local server is recognized by its answer, and the wait is short."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from msgspec.structs import replace

from redline.models import local_servers
from redline.models.local_servers import (
    MAX_ANSWER_BYTES,
    SERVERS,
    FoundServer,
    LocalServer,
    find_local_server,
)

KINDS = {server.name: server for server in reversed(SERVERS)}
KINDS["older LM Studio"] = next(
    server for server in SERVERS if server.path.startswith("/api/v0")
)

CHAT, CHAT_PATH = "chat-completions", "/v1/chat/completions"

OLLAMA = {
    "models": [
        {"name": "nomic-embed-text:latest", "digest": "d0", "size": 1},
        {"name": "llama:8b", "digest": "d1", "details": {"format": "gguf"}},
        {"name": "qwen3-coder:30b", "digest": "d2"},
    ]
}
LM_STUDIO = {
    "object": "list",
    "data": [
        {"id": "a-coder-embedder", "type": "embeddings", "compatibility_type": "gguf"},
        {
            "id": "some-coder",
            "type": "llm",
            "compatibility_type": "mlx",
            "state": "loaded",
            "max_context_length": 262_144,
            "loaded_context_length": 32_768,
        },
    ],
}
LLAMA_SERVER = {
    "object": "list",
    "data": [{"id": "m.gguf", "owned_by": "llamacpp", "meta": {"n_ctx": 4_096}}],
}
NEW_LM_STUDIO = {
    "models": [
        {"key": "embedder", "type": "embedding", "loaded_instances": []},
        {
            "key": "some-coder",
            "type": "llm",
            "loaded_instances": [{"id": "i", "config": {"context_length": 16_384}}],
        },
    ]
}
VLLM = {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 65_536}]}
SGLANG = {"data": [{"id": "m", "owned_by": "sglang", "max_model_len": 65_536}]}
OPENAI_LIKE = {"object": "list", "data": [{"id": "m", "owned_by": "other"}]}

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""What a fake server does with a connection."""


def responds(body: object, status: str = "200 OK") -> Answer:
    """Answer any request with one body."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(content)}\r\n\r\n".encode()

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(head + content)
        await writer.drain()

    return answer


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Take the request and never answer; ends with the client."""
    await reader.read()


async def garbage(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer with data that is not HTTP."""
    writer.write(b"\x00\x01SSH-2.0\r\n\r\n")


@asynccontextmanager
async def listening(kind: str, answer: Answer) -> AsyncIterator[LocalServer]:
    """Run a fake server of a kind on a port of the system's choice."""

    async def connected(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            await answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield replace(KINDS[kind], port=server.sockets[0].getsockname()[1])


async def found(*fakes: tuple[str, Answer]) -> FoundServer | None:
    """Look for servers among fakes, in the order given."""
    async with AsyncExitStack() as stack:
        servers = [
            await stack.enter_async_context(listening(kind, answer))
            for kind, answer in fakes
        ]
        return await find_local_server(servers)


@pytest.mark.parametrize(
    ("kind", "body", "name", "context_tokens", "api", "path"),
    [
        ("Ollama", OLLAMA, "qwen3-coder:30b", 8_192, "ollama", ""),
        ("LM Studio", NEW_LM_STUDIO, "some-coder", 16_384, CHAT, CHAT_PATH),
        ("older LM Studio", LM_STUDIO, "some-coder", 32_768, CHAT, CHAT_PATH),
        ("llama-server", LLAMA_SERVER, "m.gguf", 4_096, CHAT, CHAT_PATH),
        ("vLLM", VLLM, "m", 65_536, CHAT, CHAT_PATH),
        ("SGLang", SGLANG, "m", 65_536, CHAT, CHAT_PATH),
    ],
)
async def test_a_server_is_recognised_with_its_model_for_code(
    kind: str, body: object, name: str, context_tokens: int, api: str, path: str
) -> None:
    """It is asked in the format that says when an answer was cut."""
    server = await found((kind, responds(body)))

    assert server is not None
    settings = server.settings()
    assert server.server.name in kind
    assert settings.name == name
    assert settings.api == api
    assert settings.url == f"http://127.0.0.1:{server.server.port}{path}"
    assert settings.key is None
    assert settings.context_tokens == context_tokens
    assert settings.max_output_tokens == min(16_000, context_tokens // 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        b"",
        b"<html>Jenkins</html>",
        b"\xff",
        OPENAI_LIKE,
        {"models": []},
        {"data": []},
        {"models": [{"name": "x"}]},
        {"data": [{"id": "x"}]},
        b"[" * 5_000,
    ],
)
async def test_another_server_on_the_port_is_not_taken(kind: str, body: object) -> None:
    assert await found((kind, responds(body))) is None


@pytest.mark.parametrize(
    "answer",
    [
        responds(OLLAMA, "404 Not Found"),
        responds(OLLAMA, "302 Found\r\nLocation: http://127.0.0.1:1/api/tags"),
        responds(b" " * (MAX_ANSWER_BYTES + 1)),
        garbage,
    ],
)
async def test_an_answer_that_is_none_is_not_taken(answer: Answer) -> None:
    assert await found(("Ollama", answer)) is None


async def test_a_silent_server_does_not_hide_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local_servers, "PROBE_LIMIT_S", 3.0)

    server = await found(("Ollama", silent), ("LM Studio", responds(NEW_LM_STUDIO)))

    assert server is not None
    assert server.server.name == "LM Studio"


async def test_the_first_listed_is_taken() -> None:
    server = await found(
        ("LM Studio", responds(NEW_LM_STUDIO)), ("Ollama", responds(OLLAMA))
    )

    assert server is not None
    assert server.server.name == "LM Studio"


async def test_nobody_there() -> None:
    async with listening("Ollama", silent) as gone:
        pass

    assert await find_local_server([gone]) is None


async def test_a_proxy_in_the_environment_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")

    assert await found(("Ollama", responds(OLLAMA))) is not None


def test_the_usual_ports() -> None:
    assert [(server.name, server.port) for server in SERVERS] == [
        ("Ollama", 11434),
        ("LM Studio", 1234),
        ("LM Studio", 1234),
        ("llama-server", 9931),
        ("llama-server", 8080),
        ("vLLM", 8000),
        ("SGLang", 30000),
    ]
