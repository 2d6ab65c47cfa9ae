"""The user types while an edit is written: nothing typed is lost or misplaced."""

from __future__ import annotations

import pytest
from tests.e2e.editor_document import Json, lines, span
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import WireEditor, refuse, take

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/typing.py"
TEXT = "# top\ndef a():\n    return 1\n\nb = 2\n"
REGION = lines(1, 3)
DELTAS = ("def a():\n", "    return", " 10\n")
SCRIPT = Script(otherwise=ScriptReply(chunks=DELTAS))

INSIDE = [
    (span((1, 4), (1, 5)), "renamed"),
    (span((2, 0), (2, 0)), "\n"),
    # At the end border is inside.
    (span((2, 12), (2, 12)), "0"),
    # Over a border.
    (span((0, 3), (1, 3)), ""),
    (span((2, 4), (4, 1)), "x"),
    (span((0, 0), (5, 0)), ""),
]


@pytest.mark.parametrize("n_deltas", [0, 2])
@pytest.mark.parametrize(("where", "text"), INSIDE, ids=range(len(INSIDE)))
async def test_typing_inside_the_range(
    redline: Redline, model: ScriptedModel, where: Json, text: str, n_deltas: int
) -> None:
    """It stops the edit at once, keeps what was typed, and tells the model's server."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=n_deltas)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, REGION, apply="end")
    await hold.reached()
    editor.type(URI, where, text)
    typed = editor.text(URI)
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "stopped"
    assert "your text is kept" in outcome["message"]
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    assert editor.text(URI) == typed
    assert not editor.all_of("workspace/applyEdit")


OUTSIDE = [
    (span((0, 0), (0, 0)), "one\ntwo\n", "one\ntwo\n# top\n{}\nb = 2\n"),
    (span((0, 0), (1, 0)), "", "{}\nb = 2\n"),
    (span((4, 0), (5, 0)), "", "# top\n{}\n"),
    (span((4, 5), (4, 5)), "22", "# top\n{}\nb = 222\n"),
    # Exactly at the start border is outside.
    (span((1, 0), (1, 0)), "new()\n", "# top\nnew()\n{}\nb = 2\n"),
    (span((3, 0), (3, 0)), "below\n", "# top\n{}below\n\nb = 2\n"),
]


@pytest.mark.parametrize("n_deltas", [0, 2])
@pytest.mark.parametrize(("where", "text", "around"), OUTSIDE, ids=range(len(OUTSIDE)))
async def test_typing_outside_the_range(
    redline: Redline,
    model: ScriptedModel,
    where: Json,
    text: str,
    around: str,
    n_deltas: int,
) -> None:
    """The edit moves with its text and lands in the right place, in the new version."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=n_deltas)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, REGION, apply="end")
    await hold.reached()
    editor.type(URI, where, text)
    hold.release()
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == around.format("".join(DELTAS))
    (applied,) = editor.all_of("workspace/applyEdit")
    document = applied["edit"]["documentChanges"][0]["textDocument"]
    assert document == {"uri": URI, "version": 2}


async def test_many_changes_above(redline: Redline, model: ScriptedModel) -> None:
    """However often the text moves, the edit is where its text is."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=1)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, REGION, apply="end")
    await hold.reached()
    for _ in range(50):
        editor.type(URI, span((0, 0), (0, 0)), "# one more\n")
    hold.release()
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == "# one more\n" * 50 + TEXT.replace("1", "10")


async def test_the_file_is_replaced(redline: Redline, model: ScriptedModel) -> None:
    """A reload from disk takes the range away: the edit stops."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=1)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, REGION, apply="end")
    await hold.reached()
    editor.replace_all(URI, "from = disk\n")
    assert (await editor.result(edit))["outcome"] == "stopped"
    hold.release()
    assert editor.text(URI) == "from = disk\n"


@pytest.mark.parametrize("n_deltas", [0, 2])
async def test_the_file_is_closed(
    redline: Redline, model: ScriptedModel, n_deltas: int
) -> None:
    """The edit stops; opened again, the file is new and can be edited."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=n_deltas)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, REGION, apply="end")
    await hold.reached()
    editor.close_document(URI)
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "stopped"
    assert "closed" in outcome["message"]
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    editor.open(URI, TEXT)
    again = await editor.result(editor.edit(URI, REGION, apply="end"))
    assert again["outcome"] == "applied"
    assert editor.text(URI) == TEXT.replace("1", "10")


async def test_typing_elsewhere_while_the_edit_is_applied(
    redline: Redline, model: ScriptedModel
) -> None:
    """The stale edit is refused by the editor, and made again for the new version."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)

    def type_first(editor: WireEditor, request: Json) -> None:
        editor.take_edit = take
        editor.type(URI, span((0, 0), (0, 0)), "typed = 0\n")
        take(editor, request)

    editor.take_edit = type_first
    outcome = await editor.result(editor.edit(URI, REGION, apply="end"))
    assert outcome["outcome"] == "applied"
    assert editor.text(URI) == "typed = 0\n" + TEXT.replace("1", "10")
    versions = [
        params["edit"]["documentChanges"][0]["textDocument"]["version"]
        for params in editor.all_of("workspace/applyEdit")
    ]
    assert versions == [1, 2]


async def test_typing_inside_while_the_edit_is_applied(
    redline: Redline, model: ScriptedModel
) -> None:
    """What was typed stays, and the edit is dropped."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)

    def type_first(editor: WireEditor, request: Json) -> None:
        editor.type(URI, span((2, 11), (2, 12)), "7")
        take(editor, request)

    editor.take_edit = type_first
    outcome = await editor.result(editor.edit(URI, REGION, apply="end"))
    assert outcome["outcome"] == "stopped"
    assert "your text is kept" in outcome["message"]
    assert editor.text(URI) == TEXT.replace("1", "7")


async def test_closing_while_the_edit_is_applied(
    redline: Redline, model: ScriptedModel
) -> None:
    """There is no document left to show the edit: it counts as stopped."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.open(URI, TEXT)

    def close_first(editor: WireEditor, request: Json) -> None:
        editor.close_document(URI)
        refuse(editor, request)

    editor.take_edit = close_first
    outcome = await editor.result(editor.edit(URI, REGION, apply="end"))
    assert outcome["outcome"] == "stopped"
    assert "closed" in outcome["message"]
