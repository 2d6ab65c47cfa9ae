"""A model that is warmed has a connection when the first request comes."""

from __future__ import annotations

import asyncio
import json
import ssl
from pathlib import Path

import pytest
import trustme
from tests.models.formats import FORMATS
from tests.models.plain_server import Act, PlainServer, serving
from tests.models.reader import ask

from redline.errors import ModelUnavailableError
from redline.models.build import build_model
from redline.models.formats.responses_format import ResponsesFormat
from redline.models.http.http_session import HttpSession
from redline.models.keys import CachedKey
from redline.models.model_address import parse_model_address
from redline.settings.tree import LimitSettings, ModelSettings


async def test_warming_saves_the_next_request_a_handshake(
    tmp_path: Path,
) -> None:
    """A connection over TLS is opened before it is needed."""
    authority = trustme.CA()
    ca_file = str(tmp_path / "ca.pem")
    authority.cert_pem.write_to_path(ca_file)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    n_connections = 0
    script = Act(pieces=FORMATS["chat-completions"].answer)
    server = PlainServer([Act(pieces=[b'{"data":[]}']), script])

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal n_connections
        n_connections += 1
        await server.answer(reader, writer)

    listener = await asyncio.start_server(count, "127.0.0.1", 0, ssl=context)
    port = listener.sockets[0].getsockname()[1]
    async with listener:
        settings = ModelSettings(
            api="chat-completions",
            url=f"https://127.0.0.1:{port}/v1/chat/completions",
            name="m",
            ca_file=ca_file,
        )
        model = build_model("spark", settings, LimitSettings(), environ={})
        await model.warm()
        assert [asked.line.split()[0] for asked in server.asked] == ["GET"]
        assert (await ask(model)).text == "Hello"
        await model.aclose()
    assert n_connections == 1


async def test_warming_loads_a_local_model() -> None:
    """With the window that its server says, and what it can do is asked once."""
    shown = b'{"model_info":{"q.context_length":16384},"capabilities":["completion"]}'
    loaded = b'{"models":[{"name":"m","context_length":12288}]}'
    async with serving(
        Act(pieces=[b'{"done":true,"done_reason":"load"}\n']),
        Act(pieces=FORMATS["ollama"].answer),
    ) as server:
        server.aside.update(
            {"/api/show": Act(pieces=[shown]), "/api/ps": Act(pieces=[loaded])}
        )
        settings = ModelSettings(api="ollama", url=server.base, name="m")
        model = build_model("local", settings, LimitSettings(), environ={})
        await model.warm()
        assert model.describe().context_tokens == 16_384
        server.aside.clear()
        assert (await ask(model)).text == "Hello"
        await model.aclose()
    load, edit = (json.loads(asked.body) for asked in server.asked)
    assert load["messages"] == []
    assert load["options"]["num_ctx"] == edit["options"]["num_ctx"] == 12_288


async def test_a_session_that_is_closed_makes_no_client() -> None:
    """Also one that is being made is closed."""
    settings = ModelSettings(
        api="responses-http", url="http://127.0.0.1:9/v1/responses", name="m"
    )
    session = HttpSession(
        parse_model_address("spark", settings, environ={}),
        CachedKey(None, environ={}),
        ResponsesFormat(settings, url=settings.url),
        LimitSettings(),
        title="spark",
    )
    making = asyncio.create_task(session.warm())
    await asyncio.sleep(0)
    await session.aclose()
    await making
    with pytest.raises(ModelUnavailableError, match="settings have changed") as error:
        await session.client()
    assert error.value.remedy == "Ask again; the new settings apply."


async def test_a_refused_field_is_left_out_of_later_requests() -> None:
    """One round trip each, once a request without it was answered."""
    refusal = b'{"error":{"message":"Unknown field: stream_options"}}'
    acts = [
        Act(status=400, pieces=[refusal]),
        Act(pieces=FORMATS["chat-completions"].answer),
    ]
    async with serving(*acts) as server:
        url = f"{server.base}/v1/chat/completions"
        settings = ModelSettings(api="chat-completions", url=url, name="m")
        model = build_model("spark", settings, LimitSettings(), environ={})
        for _ in range(2):
            assert (await ask(model)).text == "Hello"
        await model.aclose()
    has_field = [b"stream_options" in asked.body for asked in server.asked]
    assert has_field == [True, False, False]


@pytest.mark.parametrize(("name", "is_read"), [("glm-4.5v", True), ("glm-x", False)])
async def test_images_are_an_ability_of_the_model(name: str, *, is_read: bool) -> None:
    """Not of its wire format alone."""
    url = "http://127.0.0.1:9/v1/chat/completions"
    settings = ModelSettings(api="chat-completions", url=url, name=name)
    model = build_model("spark", settings, LimitSettings(), environ={})
    assert ("images" in model.describe().can) is is_read
    await model.aclose()
