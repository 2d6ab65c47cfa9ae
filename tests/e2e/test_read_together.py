"""Messages that are read at once take effect in their order, as if one by one."""

from __future__ import annotations

import pytest
from tests.e2e.editor_document import lines, span
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

REQUEST_CANCELLED = -32800

URI = "file:///project/together.py"
TEXT = "# top\na = 1\nb = 2\n"
SCRIPT = Script(otherwise=ScriptReply(text="a = 10\n"))


async def test_an_edit_and_its_cancel(redline: Redline, model: ScriptedModel) -> None:
    """The request is answered once: it was cancelled. No session is left of it."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)
    with editor.at_once():
        edit = editor.edit(URI, lines(1, 2), sessionId="gone", apply="end")
        editor.cancel(edit)
    assert (await editor.error(edit))["code"] == REQUEST_CANCELLED
    again = editor.edit(URI, lines(1, 2), sessionId="gone", apply="end")
    assert (await editor.result(again))["outcome"] == "applied"
    assert len(model.tasks) == 1


@pytest.mark.parametrize("which", [{"sessionId": "s"}, {"uri": URI}, {}], ids=range(3))
async def test_an_edit_and_its_stop(
    redline: Redline, model: ScriptedModel, which: object
) -> None:
    """The stop finds the edit that was asked for right before it."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)
    with editor.at_once():
        edit = editor.edit(URI, lines(1, 2), sessionId="s", apply="end")
        stop = editor.run("redline.stop", which)
    assert await editor.result(stop) == {"stopped": ["s"]}
    assert (await editor.result(edit))["outcome"] == "stopped"
    assert editor.text(URI) == TEXT
    assert model.tasks == []


async def test_an_edit_and_typing_above_it(
    redline: Redline, model: ScriptedModel
) -> None:
    """The range is one of the text before what was typed after the request."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)
    with editor.at_once():
        edit = editor.edit(URI, lines(1, 2), apply="end")
        editor.type(URI, span((0, 0), (0, 0)), "# new\n")
    assert (await editor.result(edit))["outcome"] == "applied"
    assert model.tasks[0].target == "a = 1\n"
    assert editor.text(URI) == "# new\n# top\na = 10\nb = 2\n"


async def test_an_edit_and_typing_inside_it(
    redline: Redline, model: ScriptedModel
) -> None:
    """The edit is stopped before it began."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)
    with editor.at_once():
        edit = editor.edit(URI, lines(1, 2), apply="end")
        editor.type(URI, span((1, 0), (1, 1)), "z")
    assert (await editor.result(edit))["outcome"] == "stopped"
    assert editor.text(URI) == TEXT.replace("a", "z")


async def test_an_edit_and_the_end_of_its_document(
    redline: Redline, model: ScriptedModel
) -> None:
    """The edit is stopped, and opening the file again starts afresh."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)
    with editor.at_once():
        edit = editor.edit(URI, lines(1, 2), apply="end")
        editor.close_document(URI)
        editor.open(URI, "another = file\n")
    assert (await editor.result(edit))["outcome"] == "stopped"
    assert editor.text(URI) == "another = file\n"


async def test_two_edits_of_one_range(redline: Redline, model: ScriptedModel) -> None:
    """The second takes over before the first has begun."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)
    with editor.at_once():
        first = editor.edit(URI, lines(1, 2), apply="end")
        second = editor.edit(URI, lines(1, 2), sessionId="second", apply="end")
    outcome = await editor.result(first)
    assert (outcome["outcome"], outcome["supersededBy"]) == ("superseded", "second")
    assert (await editor.result(second))["outcome"] == "applied"
    assert len(model.tasks) == 1


async def test_a_whole_file_opened_edited_and_closed(
    redline: Redline, model: ScriptedModel
) -> None:
    """A hundred edits and their cancels in one write: each is answered once."""
    editor = redline.editor
    model.say(SCRIPT)
    edits = []
    with editor.at_once():
        editor.open(URI, TEXT)
        for _ in range(100):
            edits.append(editor.edit(URI, lines(1, 2), apply="end"))
            editor.cancel(edits[-1])
        editor.close_document(URI)
    for edit in edits:
        assert (await editor.error(edit))["code"] == REQUEST_CANCELLED
    assert model.tasks == []
