"""Without configured models, a key in the environment or a local server is found."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest
from msgspec.structs import replace

from redline.models import local_servers
from redline.models.discovery import Discovered, discover
from redline.settings.edit_settings import EditSettings
from redline.settings.load import Loaded
from redline.settings.tiers import resolve_tiers
from redline.settings.tree import Settings

KEY = {"OPENAI_API_KEY": "sk-hunter2"}


MODELS = b'{"models": [{"name": "qwen3-coder:30b", "digest": "d"}]}'


@pytest.fixture(autouse=True)
async def asked(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[bytes]]:
    """Run a fake Ollama and nothing else; yield its requests."""
    requests: list[bytes] = []

    async def connected(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + MODELS)
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        ollama = replace(local_servers.SERVERS[0], port=port)
        monkeypatch.setattr(local_servers, "SERVERS", (ollama,))
        yield requests


SETTINGS = Settings(edit=EditSettings(apply="preview"))
LOADED = Loaded(
    settings=SETTINGS, origins={}, problems=(), files=(), wants_models=False
)


async def test_a_key_in_the_environment_fills_the_tiers(asked: list[bytes]) -> None:
    found = await discover(LOADED, KEY)

    assert found.origin == "from OPENAI_API_KEY"
    assert found.settings.edit == SETTINGS.edit
    tiers = resolve_tiers(found.settings)
    assert all(not tiers[tier].note for tier in ("fast", "standard", "deep"))
    assert set(found.settings.models) == {"fast", "standard", "deep"}
    assert "hunter2" not in repr(found)
    assert not asked


async def test_a_local_server_is_the_last_resort(asked: list[bytes]) -> None:
    found = await discover(LOADED, {})

    (ollama,) = local_servers.SERVERS
    assert found.origin == f"from Ollama on 127.0.0.1:{ollama.port}"
    assert found.settings.edit == SETTINGS.edit
    assert found.settings.models["local"].name == "qwen3-coder:30b"
    assert resolve_tiers(found.settings)["deep"].label == "local"
    assert len(asked) == 1


async def test_nothing_there_leaves_the_settings_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere = replace(local_servers.SERVERS[0], path="/", read=refuse)
    monkeypatch.setattr(local_servers, "SERVERS", (elsewhere,))

    assert await discover(LOADED, {}) == Discovered(settings=SETTINGS)


async def test_models_that_were_configured_badly_are_not_replaced(
    asked: list[bytes],
) -> None:
    wanted = replace(LOADED, wants_models=True)

    assert await discover(wanted, KEY) == Discovered(settings=SETTINGS)
    assert not asked


def refuse(content: bytes) -> tuple[local_servers.LocalModel, ...]:
    """Recognize no server."""
    raise msgspec.DecodeError
