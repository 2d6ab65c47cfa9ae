"""The same session of a user with every wire format and a server that others wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.e2e.editor_document import Json
from tests.outside.commands import Desk
from tests.outside.conftest import Aimock, Llama, Scripted, Serve, StartLlama, fetched
from tests.outside.provider_session import (
    RECITED,
    SAID,
    Use,
    use_completion,
    use_model,
    use_model_of_team,
)

PACE_MS = 20
"""Between the chunks of aimock, so that an answer can be stopped."""


@pytest.fixture
async def llama(start_llama: StartLlama, tmp_path: Path) -> Llama:
    """Start llama-server."""
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps(RECITED))
    return await start_llama(answers)


LLAMA_PATHS = {
    "chat-completions": "/v1/chat/completions",
    "responses-http": "/v1/responses",
    "anthropic": "/v1/messages",
}


@pytest.mark.parametrize("use", [use_model, use_model_of_team])
@pytest.mark.parametrize("api", LLAMA_PATHS)
async def test_llama_server(
    desk: Desk, serve: Serve, llama: Llama, api: str, use: Use
) -> None:
    """The real engine, alone and behind a team's gateway."""
    url = llama.address + LLAMA_PATHS[api]
    model = {"api": api, "url": url, "name": "m", "context_tokens": 16_384}

    async def is_idle() -> bool:
        return not await llama.busy_slots()

    await use(desk, serve, model, is_idle=is_idle)


async def test_llama_server_completes(desk: Desk, serve: Serve, llama: Llama) -> None:
    """By its own endpoint, `/infill`."""
    model = {"api": "fim", "url": f"{llama.address}/infill"}
    await use_completion(desk, serve, model)


@pytest.mark.parametrize(
    ("api", "path", "more"),
    [
        ("anthropic", "/v1/messages", {}),
        ("gemini", "/v1beta", {}),
        ("gemini", "/v1beta", {"background": True}),
        ("chat-completions", "/v1/chat/completions", {}),
        ("ollama", "", {}),
    ],
)
async def test_aimock(
    desk: Desk, serve: Serve, aimock: Aimock, api: str, path: str, more: Json
) -> None:
    """Stand-in of the hosted providers; a review in the background by interactions."""
    fixtures = [
        {"match": {"userMessage": words}, "response": {"content": said}}
        for words, said in SAID.items()
    ]
    url = await aimock(fixtures, "--latency", str(PACE_MS))
    address = url.replace("ws", "http", 1).removesuffix("/v1/responses")
    model = {"api": api, "url": address + path, "context_tokens": 16_384, **more}
    await use_model(desk, serve, model)
    requests = fetched(f"{address}/__aimock/journal")
    used = any("interactions" in request["path"] for request in requests)
    assert used == ("background" in more)


@pytest.mark.parametrize("api", ["responses-socket", "responses-http"])
async def test_the_gateway(
    desk: Desk, serve: Serve, gateway: Scripted, api: str
) -> None:
    """The answers of a script, over a socket and over HTTP."""
    rules = [
        {"when": {"contains": words}, "reply": {"text": said, "tokens_per_s": 500}}
        for words, said in SAID.items()
    ]
    started = await gateway({"rules": rules})
    is_socket = api == "responses-socket"
    url = started.url if is_socket else f"{started.http_url}/responses"
    await use_model(desk, serve, {"api": api, "url": url})
