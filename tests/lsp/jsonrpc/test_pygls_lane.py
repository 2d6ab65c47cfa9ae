"""pygls serves other methods; they are answered once, without its tracebacks."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from redline import errors
from redline.lsp.client.progress import ProgressRegistry
from redline.lsp.jsonrpc.pygls_lane import Features, PyglsLane

if TYPE_CHECKING:
    from tests.lsp.conftest import Editor

Json = dict[str, Any]  # Any: JSON.

AT = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 2, "character": 1}}


def ready_with(editor: Editor, features: Features) -> None:
    """Put pygls with features behind an editor's endpoint, and initialize both."""
    editor.endpoint.set_fallback(PyglsLane(editor.endpoint, features))
    editor.endpoint.on_request_now("initialize", dict, lambda _: {"capabilities": {}})
    folders = [{"uri": "file:///home/project", "name": "project"}]
    capabilities = {"general": {"positionEncodings": ["utf-8"]}}
    params = {
        "processId": None,
        "rootUri": None,
        "capabilities": capabilities,
        "workspaceFolders": folders,
    }
    editor.say("initialize", params, id=0)
    editor.say("initialized", {})
    assert len(editor.answers(0)) == 1


async def test_a_feature_registers_and_answers_the_ordinary_way(editor: Editor) -> None:
    def features(server: LanguageServer) -> None:
        @server.feature(types.TEXT_DOCUMENT_HOVER)
        async def on_hover(params: types.HoverParams) -> types.Hover:
            place = f"{params.text_document.uri} {params.position.line}"
            return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, place))

        @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
        def on_code_lens(params: types.CodeLensParams) -> None:
            return None

    ready_with(editor, features)
    editor.say("textDocument/hover", AT, id=1)
    editor.say("textDocument/codeLens", AT, id="2")
    hover = {"contents": {"kind": "markdown", "value": "file:///a.py 2"}}
    assert await editor.answer(1) == {"jsonrpc": "2.0", "id": 1, "result": hover}
    assert await editor.answer("2") == {"jsonrpc": "2.0", "id": "2", "result": None}
    assert [len(editor.answers(i)) for i in (0, 1, "2")] == [1, 1, 1]


async def test_pygls_knows_the_client(editor: Editor) -> None:
    seen: list[object] = []

    def features(server: LanguageServer) -> None:
        @server.feature(types.TEXT_DOCUMENT_HOVER)
        def on_hover(params: types.HoverParams) -> None:
            seen.append(server.workspace.position_encoding)
            seen.append(server.client_capabilities.general is not None)

    ready_with(editor, features)
    editor.say("textDocument/hover", AT, id=1)
    await editor.answer(1)
    assert seen == ["utf-8", True]


async def test_a_shared_notification_is_heard_by_both_a_registered_one_by_us(
    editor: Editor,
) -> None:
    heard: list[str] = []

    def features(server: LanguageServer) -> None:
        for method in ("initialized", "workspace/didChangeWatchedFiles"):
            server.feature(method)(lambda params, m=method: heard.append(f"pygls {m}"))

    for method in ("initialized", "workspace/didChangeWatchedFiles"):

        def hear(params: Json, method: str = method) -> None:
            heard.append(f"ours {method}")

        editor.endpoint.on_notification(method, dict, hear)
    ready_with(editor, features)
    editor.say("workspace/didChangeWatchedFiles", {"changes": []})
    editor.say("textDocument/hover", AT, id=1)
    await editor.answer(1)
    assert heard == [
        "ours initialized",
        "ours workspace/didChangeWatchedFiles",
        "pygls initialized",
    ]


async def test_what_is_ours_alone_does_not_reach_pygls(editor: Editor) -> None:
    """A cancel of our own progress stays with us; others are still shared."""
    heard: list[object] = []

    def features(server: LanguageServer) -> None:
        @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
        def on_cancel(params: types.WorkDoneProgressCancelParams) -> None:
            heard.append(params.token)

    registry = ProgressRegistry(editor.endpoint, can_create=False)
    registry.start("Work", "ours", lambda: heard.append("ours, at once"))
    ready_with(editor, features)
    for token in ("ours", "of pygls"):
        editor.say("window/workDoneProgress/cancel", {"token": token})
    editor.say("textDocument/hover", AT, id=1)
    await editor.answer(1)
    assert heard == ["ours, at once", "of pygls"]


async def test_order_is_kept_while_pygls_is_loaded_and_after(editor: Editor) -> None:
    versions: list[int] = []

    def features(server: LanguageServer) -> None:
        @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
        def on_save(params: types.DidSaveTextDocumentParams) -> None:
            versions.append(int(params.text or ""))

    ready_with(editor, features)
    for number in range(50):
        params = {"textDocument": {"uri": "file:///a"}, "text": str(number)}
        editor.say("textDocument/didSave", params)
        if number == 25:
            editor.say("x/last", {}, id=1)
            await editor.answer(1)
    editor.say("x/last", {}, id=2)
    await editor.answer(2)
    assert versions == list(range(50))


async def test_what_pygls_does_not_serve_either_is_not_found(editor: Editor) -> None:
    ready_with(editor, lambda server: None)
    editor.say("textDocument/definition", AT, id=1)
    editor.say("$/unheardOf", {"a": {"b": 1}}, id=2)
    editor.say("$/unheardOf", {"a": {"b": 1}})
    editor.say("textDocument/didOpen", {"nonsense": 1})
    error = (await editor.answer(1))["error"]
    assert error["code"] == -32601
    assert "textDocument/definition" in error["message"]
    assert (await editor.answer(2))["error"]["code"] == -32601
    assert len(editor.heard) == 3


async def test_wrong_params_are_answered_by_a_sentence_that_names_the_field(
    editor: Editor, caplog: pytest.LogCaptureFixture
) -> None:
    def features(server: LanguageServer) -> None:
        server.feature(types.TEXT_DOCUMENT_HOVER)(lambda params: None)

    ready_with(editor, features)
    params = {"textDocument": {"uri": "secret"}, "position": {"line": "x"}}
    editor.say("textDocument/hover", params, id=1)
    error = (await editor.answer(1))["error"]
    assert error["code"] == -32602
    assert error["message"].startswith("Wrong parameters for textDocument/hover: ")
    assert "`position.line`" in error["message"]
    assert "secret" not in caplog.text


async def test_a_feature_that_fails_is_answered_by_our_table(
    editor: Editor, caplog: pytest.LogCaptureFixture
) -> None:
    failures: dict[str, Exception] = {
        "x/bug": ZeroDivisionError("/home/someone"),
        "x/model": errors.ModelCutError("The connection was cut."),
        "x/own": JsonRpcException("Not now.", code=-32801, data={"a": 1}),
    }

    def features(server: LanguageServer) -> None:
        for name, failure in failures.items():

            def fail(params: Json, failure: Exception = failure) -> None:
                raise failure

            server.feature(name)(fail)

    ready_with(editor, features)
    for name in failures:
        editor.say(name, {}, id=name)
    assert (await editor.answer("x/bug"))["error"] == {
        "code": -32603,
        "message": "Redline failed inside; details are in its log.",
    }
    assert (await editor.answer("x/model"))["error"]["data"]["cause"] == "model-cut"
    own = {"code": -32801, "message": "Not now.", "data": {"a": 1}}
    assert (await editor.answer("x/own"))["error"] == own
    assert "ZeroDivisionError" in caplog.text
    # Neither a box nor a second answer.
    assert len(editor.heard) == 4


async def test_a_cancel_reaches_the_feature_and_is_answered_once(
    editor: Editor,
) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    def features(server: LanguageServer) -> None:
        @server.feature("x/wait")
        async def on_wait(params: Json) -> None:
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

    ready_with(editor, features)
    editor.say("x/wait", {}, id=1)
    await began.wait()
    editor.say("$/cancelRequest", {"id": 1})
    assert (await editor.answer(1))["error"]["code"] == -32800
    await ended.wait()
    assert len(editor.answers(1)) == 1


async def test_shutdown_ends_the_features_that_run(editor: Editor) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    def features(server: LanguageServer) -> None:
        @server.feature("x/wait")
        async def on_wait(params: Json) -> None:
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

    ready_with(editor, features)
    editor.say("x/wait", {}, id=1)
    await began.wait()
    editor.say("shutdown", id=2)
    await editor.answer(2)
    assert ended.is_set()
    assert [m["id"] for m in editor.heard] == [0, 1, 2]
    assert editor.answers(1)[0]["error"]["code"] == -32800
    editor.say("exit")
    assert await editor.endpoint.wait_finished() == 0


async def test_a_feature_may_run_in_a_thread(editor: Editor) -> None:
    threads: list[int] = []

    def features(server: LanguageServer) -> None:
        @server.feature("x/thread")
        @server.thread()
        def on_thread(params: Json) -> str:
            threads.append(threading.get_ident())
            server.window_log_message(
                types.LogMessageParams(types.MessageType.Info, "from a thread")
            )
            return "done"

    ready_with(editor, features)
    editor.say("x/thread", {}, id=1)
    assert (await editor.answer(1))["result"] == "done"
    logged = await editor.hear("window/logMessage")
    assert logged["params"] == {"type": 3, "message": "from a thread"}
    assert threads != [threading.get_ident()]
    editor.say("exit")
    await editor.endpoint.wait_finished()


async def test_pygls_asks_the_editor_and_gets_its_answer(editor: Editor) -> None:
    answers: list[object] = []

    def features(server: LanguageServer) -> None:
        @server.feature("x/ask")
        async def on_ask(params: Json) -> None:
            edit = types.ApplyWorkspaceEditParams(types.WorkspaceEdit())
            answers.append(await server.workspace_apply_edit_async(edit))

    ready_with(editor, features)
    editor.say("x/ask", {}, id=1)
    asked = await editor.hear("workspace/applyEdit")
    editor.say(id=asked["id"], result={"applied": True})
    editor.say(id=asked["id"], result={"applied": False})
    editor.say(id="never asked", result=None)
    await editor.answer(1)
    assert answers == [types.ApplyWorkspaceEditResult(applied=True)]


async def test_an_unfit_answer_of_the_editor_fails_the_feature(editor: Editor) -> None:
    def features(server: LanguageServer) -> None:
        @server.feature("x/ask")
        async def on_ask(params: Json) -> None:
            edit = types.ApplyWorkspaceEditParams(types.WorkspaceEdit())
            await server.workspace_apply_edit_async(edit)

    ready_with(editor, features)
    editor.say("x/ask", {}, id=1)
    asked = await editor.hear("workspace/applyEdit")
    editor.say(id=asked["id"], result={"applied": {"no": "bool"}, "failedChange": "x"})
    assert (await editor.answer(1))["error"]["code"] == -32803


async def test_documents_of_pygls_are_out_of_bounds(editor: Editor) -> None:
    def features(server: LanguageServer) -> None:
        @server.feature(types.TEXT_DOCUMENT_HOVER)
        def on_hover(params: types.HoverParams) -> None:
            server.workspace.get_text_document(params.text_document.uri)

    ready_with(editor, features)
    editor.say("textDocument/hover", AT, id=1)
    assert (await editor.answer(1))["error"]["code"] == -32603


async def test_a_lane_that_cannot_be_loaded_serves_nothing_and_says_so(
    editor: Editor, caplog: pytest.LogCaptureFixture
) -> None:
    def features(server: LanguageServer) -> None:
        raise ImportError("broken")

    ready_with(editor, features)
    editor.say("textDocument/hover", AT, id=1)
    assert (await editor.answer(1))["error"]["code"] == -32601
    editor.say("textDocument/hover", AT, id=2)
    assert (await editor.answer(2))["error"]["code"] == -32601
    assert "pygls cannot be loaded" in caplog.text


async def test_loading_leaves_the_interpreter_as_it_was(editor: Editor) -> None:
    interval = sys.getswitchinterval()
    ready_with(editor, lambda server: None)
    editor.say("textDocument/hover", AT, id=1)
    await editor.answer(1)
    assert sys.getswitchinterval() == interval
