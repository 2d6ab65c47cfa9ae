"""What a server still says when it was asked to end, or has just begun."""

from __future__ import annotations

import asyncio

import pytest
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import Redline
from tests.outside.commands import Desk
from tests.outside.conftest import Scripted, Serve

TEXT = "import os\n\n\ndef f(a):\n    return a + 1\n"

N_REQUESTS = 500
"""After a shutdown, one by one: longer than a status is held back."""

TIMES = range(2)


async def shut_down_and_listen(redline: Redline) -> list[Json]:
    """Shut down; returns what was said after the answer, but for answers."""
    editor = redline.editor
    request = editor.ask("shutdown", None)
    answer = await editor.answer(request)
    for _ in range(N_REQUESTS):
        late = await editor.error(editor.ask("textDocument/hover", {}))
        assert late["code"] == -32600
    editor.notify("exit", None)
    assert await redline.process.gone() == 0
    after = editor.heard[editor.heard.index(answer) + 1 :]
    return [message for message in after if "method" in message]


@pytest.mark.parametrize("time", TIMES)
async def test_with_an_edit_running(
    desk: Desk, serve: Serve, gateway: Scripted, time: int
) -> None:
    """No status comes after the answer to `shutdown`."""
    slow = {"text": "def f(x):\n", "repeat": 100_000, "tokens_per_s": 40}
    model = await gateway({"otherwise": slow})
    redline = await serve(desk.settings(model.url))
    uri = (desk.project / "a.py").as_uri()
    redline.editor.open(uri, TEXT)
    redline.editor.edit(uri, lines(3, 5), apply="preview")
    await redline.editor.hear_method("redline/edit/hunks")
    assert await shut_down_and_listen(redline) == []


@pytest.mark.parametrize("time", TIMES)
async def test_right_after_an_edit(
    desk: Desk, serve: Serve, gateway: Scripted, time: int
) -> None:
    """Nor what an edit that has just ended would have said."""
    model = await gateway({})
    redline = await serve(desk.settings(model.url))
    uri = (desk.project / "a.py").as_uri()
    redline.editor.open(uri, TEXT)
    await redline.editor.result(redline.editor.edit(uri, lines(3, 5)))
    assert await shut_down_and_listen(redline) == []


def titles(menu: list[Json]) -> set[str]:
    return {action["title"] for action in menu}


async def test_the_first_menu_without_a_model(desk: Desk, serve: Serve) -> None:
    """It offers what works: the same as the menu of a moment later."""
    redline = await serve()
    editor = redline.editor
    uri = desk.write("a.py", TEXT).as_uri()
    editor.open(uri, TEXT)
    params = {
        "textDocument": {"uri": uri},
        "range": lines(3, 5),
        "context": {"diagnostics": []},
    }
    first = await editor.result(editor.ask("textDocument/codeAction", params))

    def is_ready(message: Json) -> bool:
        if message.get("method") != "redline/status":
            return False
        return not message["params"]["tiers"][0]["isModel"]

    await editor.hear(is_ready)
    settled = await editor.result(editor.ask("textDocument/codeAction", params))
    assert titles(first) == titles(settled)
    assert len(first) > 1
    await redline.end()


async def test_quick_stops_of_the_rules_engine(desk: Desk, serve: Serve) -> None:
    """The embedded gateway has nothing to say on standard error."""
    redline = await serve()
    editor = redline.editor
    text = "def f(a):\n    raise KeyError(a)\n" * 400
    uri = desk.write("a.py", text).as_uri()
    editor.open(uri, text)
    await editor.result(editor.edit(uri, lines(0, 2), "add docstrings"))
    for _ in range(10):
        with editor.at_once():
            edit = editor.edit(uri, lines(0, 700), "add docstrings", apply="preview")
            stop = editor.run("redline.stop", {})
        await asyncio.gather(editor.answer(edit), editor.answer(stop))
    await redline.end()
    assert redline.process.complaints == ""
