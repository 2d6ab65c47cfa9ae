"""A model that is warmed has a connection when the first request comes."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import trustme
from tests.models.formats import FORMATS
from tests.models.plain_server import Act, PlainServer
from tests.models.reader import ask

from redline.models.build import build_model
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
