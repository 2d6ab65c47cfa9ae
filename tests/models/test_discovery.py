"""Models are the configured ones, else what is there, and never in their place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from redline.models import local_servers
from redline.models.discovery import find_models
from redline.settings.load import Loaded, load
from redline.settings.tiers import resolve_tiers

KEY = {"OPENAI_API_KEY": "sk-hunter2"}


MODELS = b'{"models": [{"name": "qwen3-coder:30b", "digest": "d"}]}'


@pytest.fixture(autouse=True)
async def asked(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[bytes]]:
    """Let there be an Ollama and nothing else; says what it was asked."""
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


def loaded(tmp_path: Path, text: str) -> Loaded:
    config = tmp_path / "config.toml"
    config.write_text(text)
    return load(config=config)


SPARK = """
edit.apply = "preview"
[models.spark]
api = "responses-http"
url = "https://h/v1"
name = "m"
"""


async def test_configured_models_come_first(tmp_path: Path, asked: list[bytes]) -> None:
    settings = loaded(tmp_path, SPARK)

    found = await find_models(settings, environ=KEY)

    assert found is not None
    assert found.settings == settings.settings
    assert found.origin == "from the settings"
    assert not asked


@pytest.mark.parametrize(
    "text",
    [
        SPARK.replace("https://h/v1", "").replace("url", "urll"),
        "[models",
        "tiers.fast = 'x'",
    ],
)
async def test_nothing_takes_the_place_of_a_broken_configuration(
    text: str, tmp_path: Path, asked: list[bytes]
) -> None:
    assert await find_models(loaded(tmp_path, text), environ=KEY) is None
    assert not asked


async def test_a_key_in_the_environment_fills_the_tiers(
    tmp_path: Path, asked: list[bytes]
) -> None:
    settings = loaded(tmp_path, "edit.apply = 'preview'")

    found = await find_models(settings, environ=KEY)

    assert found is not None
    assert found.origin == "from OPENAI_API_KEY"
    assert found.settings.edit.apply == "preview"
    tiers = resolve_tiers(found.settings)
    assert all(not tiers[tier].note for tier in ("fast", "standard", "deep"))
    assert set(found.settings.models) == {"fast", "standard", "deep"}
    assert "hunter2" not in repr(found)
    assert not asked


async def test_a_local_server_is_the_last_resort(
    tmp_path: Path, asked: list[bytes]
) -> None:
    found = await find_models(loaded(tmp_path, ""), environ={})

    assert found is not None
    (ollama,) = local_servers.SERVERS
    assert found.origin == f"from Ollama on 127.0.0.1:{ollama.port}"
    assert found.settings.models["local"].name == "qwen3-coder:30b"
    assert resolve_tiers(found.settings)["deep"].label == "local"
    assert len(asked) == 1


async def test_nothing_there_is_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = replace(local_servers.SERVERS[0], path="/", read=refuse)
    monkeypatch.setattr(local_servers, "SERVERS", (elsewhere,))

    assert await find_models(loaded(tmp_path, ""), environ={}) is None


def refuse(content: bytes) -> tuple[local_servers.LocalModel, ...]:
    """Recognise nobody."""
    raise msgspec.DecodeError
