"""An independent client, pytest-lsp's, completes a session over stdio."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

CLIENTS = ["neovim", "visual_studio_code", "emacs"]
SERVER = Path(__file__).with_name("tiny_server.py")


@pytest.fixture(params=CLIENTS)
async def client(request: pytest.FixtureRequest) -> AsyncIterator[LanguageClient]:
    """A client with the capabilities of a real editor, connected and initialized."""
    config = ClientServerConfig(server_command=[sys.executable, str(SERVER)])
    client = await config.start()
    assert isinstance(client, LanguageClient)
    await client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(request.param),
            workspace_folders=[types.WorkspaceFolder(uri="file:///a", name="a")],
        )
    )
    yield client
    await client.shutdown_session()
    await client.stop()  # type: ignore[no-untyped-call] # pygls' own.


async def test_a_session_with_both_lanes(client: LanguageClient) -> None:
    fast = await client.protocol.send_request_async(  # type: ignore[no-untyped-call]
        "tiny/echo", {"a": [1, "é"]}
    )
    assert (fast.a[0], fast.a[1]) == (1, "é")
    hover = await client.text_document_hover_async(
        types.HoverParams(
            text_document=types.TextDocumentIdentifier(uri="file:///a/b.py"),
            position=types.Position(line=3, character=0),
        )
    )
    assert hover == types.Hover(contents="file:///a/b.py:3")
