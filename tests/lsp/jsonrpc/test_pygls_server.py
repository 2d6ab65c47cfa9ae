"""The internals of pygls that we use still exist, and are still needed."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInternalError
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCProtocol, LanguageServerProtocol
from pygls.server import JsonRPCServer
from pygls.workspace import Workspace

from redline.lsp.jsonrpc.pygls_server import DOCUMENT_METHODS, PyglsServer
from redline.lsp.jsonrpc.rpc import Envelope, decode_envelope

if TYPE_CHECKING:
    from tests.lsp.conftest import Editor

Json = dict[str, Any]  # Any: JSON.


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        (
            "_execute_handler",
            ["self", "msg_id", "handler", "callback", "args", "kwargs"],
        ),
        ("_send_handler_result", ["self", "future", "msg_id"]),
        ("_check_handler_result", ["self", "future"]),
        ("_send_response", ["self", "msg_id", "result", "error"]),
        ("_send_data", ["self", "data"]),
        ("_serialize_message", ["self", "data"]),
        ("structure_message", ["self", "data"]),
        ("handle_message", ["self", "message"]),
    ],
)
def test_what_we_override_and_call_has_the_same_parameters(
    name: str, parameters: list[str]
) -> None:
    method = getattr(JsonRPCProtocol, name)
    assert list(inspect.signature(method).parameters) == parameters


def test_nothing_else_in_pygls_writes() -> None:
    source = inspect.getsource(JsonRPCProtocol)
    assert source.count("self.writer.write(") == 1
    assert "self.writer.write(" in inspect.getsource(JsonRPCProtocol._send_data)
    assert "writer.write(" not in inspect.getsource(LanguageServerProtocol)


def test_the_attributes_that_we_use_are_there() -> None:
    server = LanguageServer("x", "1")
    assert server._thread_pool is None
    assert server.protocol._request_futures == {}
    assert server.protocol._workspace is None
    assert server.protocol._converter is not None
    builtin = server.protocol.fm.builtin_features
    assert set(builtin) > DOCUMENT_METHODS
    assert builtin is server.protocol.fm.builtin_features
    assert "report_server_error" in vars(JsonRPCServer)


def test_a_workspace_is_built_from_what_we_give_it() -> None:
    folder = types.WorkspaceFolder(uri="file:///a", name="a")
    workspace = Workspace(
        "file:///a", workspace_folders=[folder], position_encoding="utf-8"
    )
    assert list(workspace.folders) == ["file:///a"]
    assert workspace.root_uri == "file:///a"
    assert workspace.position_encoding == "utf-8"


def test_pygls_would_still_send_tracebacks() -> None:
    # When this fails, `_send_handler_result` need not be ours any more.
    try:
        json.loads("nonsense")
    except ValueError as error:
        # pygls' own, without types.
        leak = JsonRpcInternalError.of(  # type: ignore[no-untyped-call]
            (type(error), error, error.__traceback__)
        )
    assert __file__ in str(leak.data)


async def test_handlers_of_notifications_are_forgotten_when_they_end(
    editor: Editor,
) -> None:
    ended: list[int] = []
    done = asyncio.Event()

    def features(server: LanguageServer) -> None:
        @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
        async def on_save(params: types.DidSaveTextDocumentParams) -> None:
            ended.append(1)
            if len(ended) == 20:
                done.set()

    server = PyglsServer(
        editor.endpoint, features, asyncio.get_running_loop(), version="1"
    )
    for _ in range(20):
        body: Json = {
            "jsonrpc": "2.0",
            "method": "textDocument/didSave",
            "params": {"textDocument": {"uri": "file:///a"}},
        }
        receive(server, body)
    await done.wait()
    await asyncio.sleep(0)
    assert server._protocol._request_futures == {}


async def test_json_that_is_nested_too_deeply_is_refused(
    editor: Editor, caplog: pytest.LogCaptureFixture
) -> None:
    server = PyglsServer(
        editor.endpoint, lambda _: None, asyncio.get_running_loop(), version="1"
    )
    deep = b"[" * 50_000 + b"]" * 50_000
    method = types.SET_TRACE
    body = b'{"jsonrpc":"2.0","method":"%s","params":%s}' % (method.encode(), deep)
    server.receive(Envelope(method=method), body)
    assert f"Wrong parameters for {method}" in caplog.text


def receive(server: PyglsServer, message: Json) -> None:
    """Hand a message to the server as the lane does."""
    body = json.dumps(message).encode()
    server.receive(decode_envelope(body), body)
