"""The model that the demo uses."""

from __future__ import annotations

import asyncio
import json

import pytest
from msgspec.structs import replace

from redline.cli.demo.demo_model import demo_model
from redline.errors import InvalidArgumentsError
from redline.models import local_servers
from redline.settings.load import load

TAGS = json.dumps({"models": [{"name": "qwen3-coder:30b", "digest": "d"}]}).encode()


async def tell_models(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Answer as Ollama does when it is asked for its models."""
    await reader.readuntil(b"\r\n\r\n")
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Length: {len(TAGS)}\r\nConnection: close\r\n\r\n"
    )
    writer.write(head.encode() + TAGS)
    await writer.drain()
    writer.close()


async def test_a_model_on_this_machine_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server gets valid settings for it, for every tier."""
    server = await asyncio.start_server(tell_models, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    ollama = next(each for each in local_servers.SERVERS if each.name == "Ollama")
    monkeypatch.setattr(local_servers, "SERVERS", (replace(ollama, port=port),))
    async with server, demo_model(None, None) as model:
        assert model.engine == f"qwen3-coder:30b of Ollama on 127.0.0.1:{port}"
        assert not model.is_rules
        loaded = load(editor=[model.options])
        assert [each.message for each in loaded.problems] == []
        tiers = loaded.settings.tiers
        assert {tiers.fast, tiers.standard, tiers.deep} == {"local"}
        assert loaded.settings.models["local"].name == "qwen3-coder:30b"


async def test_an_unknown_model_is_an_error() -> None:
    """Otherwise the rules would answer in its name."""
    with pytest.raises(InvalidArgumentsError, match="is called 'nope'"):
        async with demo_model(None, "nope"):
            pass
