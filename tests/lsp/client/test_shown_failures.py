"""Editors that do not show error answers also get a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from redline.lsp.client.window import show_failures
from redline.lsp.initialize import read_client
from redline.lsp.jsonrpc.rpc import ErrorCode, RpcError

if TYPE_CHECKING:
    from tests.lsp.conftest import Editor

SHOW = "window/showMessage"


def shown(editor: Editor) -> list[dict[str, Any]]:
    """The messages so far."""
    return [m["params"] for m in editor.heard if m.get("method") == SHOW]


@pytest.mark.parametrize(
    ("method", "error", "message"),
    [
        ("workspace/executeCommand", RpcError(-32803, "It broke."), "It broke."),
        ("codeAction/resolve", RpcError(-32801, "It is old."), "It is old."),
        ("workspace/executeCommand", RpcError(ErrorCode.REQUEST_CANCELLED, "x"), None),
        ("textDocument/codeAction", RpcError(-32803, "It broke."), None),
    ],
)
async def test_what_the_user_asked_for_and_did_not_cancel(
    ready: Editor, method: str, error: RpcError, message: str | None
) -> None:
    """The answer is the same, and a message comes with it."""

    def fail(_: object) -> object:
        raise error

    ready.endpoint.on_request_now(method, dict, fail)
    show_failures(ready.endpoint)
    ready.say(method, {}, id=1)
    assert ready.answers(1)[0]["error"]["code"] == error.code
    expected = (
        [] if message is None else [{"type": 1, "message": f"Redline: {message}"}]
    )
    assert shown(ready) == expected


async def test_without_it_the_answer_is_the_only_showing(ready: Editor) -> None:
    def fail(_: object) -> object:
        raise RpcError(-32803, "It broke.")

    ready.endpoint.on_request_now("workspace/executeCommand", dict, fail)
    ready.say("workspace/executeCommand", {}, id=1)
    assert ready.answers(1)[0]["error"]["message"] == "It broke."
    assert shown(ready) == []


RESOLVES = {
    "textDocument": {
        "codeAction": {
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit", "command"]},
        }
    }
}


@pytest.mark.parametrize(
    ("name", "is_plain"), [("helix", False), ("Neovim", True), ("", True)]
)
def test_what_is_known_of_editors_by_name(name: str, is_plain: bool) -> None:
    """Helix freezes while it resolves, and hides errors."""
    params = {"clientInfo": {"name": name}, "capabilities": RESOLVES}
    client = read_client(params)
    assert client.resolves_edits is is_plain
    assert client.hides_errors is not is_plain
