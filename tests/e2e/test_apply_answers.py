"""How an editor may answer `workspace/applyEdit`, and what its user sees.

An edit has landed when the document shows it, for any answer.
"""

from __future__ import annotations

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import (
    APPLY_EDIT,
    TakeEdit,
    WireEditor,
    answer_then_tell,
    drop,
    fail,
    ignore,
    refuse,
    take,
)

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/apply.py"
TEXT = "a = 1\nb = 2\n"
EDITED = "a = 10\nb = 2\n"
SCRIPT = Script(otherwise=ScriptReply(text="a = 10\n"))


def tell_and_never_answer(editor: WireEditor, request: Json) -> None:
    """Apply the edit, and lose the answer."""
    editor.tell(editor.apply(request["params"]) or ())


def tell_and_fail(editor: WireEditor, request: Json) -> None:
    """Apply the edit, then answer with an error."""
    tell_and_never_answer(editor, request)
    fail(editor, request)


def tell_and_refuse(editor: WireEditor, request: Json) -> None:
    """Apply the edit, then say that it was not applied."""
    tell_and_never_answer(editor, request)
    refuse(editor, request)


def answer_without_sense(editor: WireEditor, request: Json) -> None:
    """Apply the edit, and answer something else."""
    tell_and_never_answer(editor, request)
    editor.reply(request, None)


@pytest.mark.parametrize(
    "take_edit",
    [
        take,
        answer_then_tell,
        tell_and_never_answer,
        tell_and_fail,
        tell_and_refuse,
        answer_without_sense,
    ],
    ids=lambda take_edit: take_edit.__name__,
)
async def test_an_edit_that_shows_has_landed(
    redline: Redline, model: ScriptedModel, take_edit: TakeEdit
) -> None:
    """The outcome is that it was applied, once, and nothing is sent again."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.take_edit = take_edit
    editor.open(URI, TEXT)
    outcome = await editor.result(editor.edit(URI, lines(0, 1), apply="end"))
    assert outcome["outcome"] == "applied"
    assert editor.text(URI) == EDITED
    assert len(editor.all_of(APPLY_EDIT)) == 1


@pytest.mark.parametrize(
    "take_edit", [refuse, fail, drop], ids=lambda take_edit: take_edit.__name__
)
async def test_an_edit_that_does_not_show(
    redline: Redline, connect: Connect, take_edit: TakeEdit
) -> None:
    """The request fails and says that nothing was changed; the next edit works."""
    editor = redline.editor
    await connect(SCRIPT, limits={"landing_s": 0.1})
    editor.take_edit = take_edit
    editor.open(URI, TEXT)
    error = await editor.error(editor.edit(URI, lines(0, 1), apply="end"))
    assert error["code"] == -32803
    assert error["data"]["cause"] == "edit-not-landed"
    assert "Nothing was changed" in error["message"]
    assert editor.text(URI) == TEXT
    editor.take_edit = take
    again = editor.edit(URI, lines(0, 1), apply="end")
    assert (await editor.result(again))["outcome"] == "applied"


@pytest.mark.parametrize(
    "take_edit", [refuse, fail, drop], ids=lambda take_edit: take_edit.__name__
)
async def test_an_offer_whose_edit_does_not_show(
    redline: Redline, connect: Connect, take_edit: TakeEdit
) -> None:
    """Accepting fails, the offer stays, and can be accepted again."""
    editor = redline.editor
    await connect(SCRIPT, limits={"landing_s": 0.1})
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(0, 1), sessionId="offer", apply="preview")
    assert (await editor.result(edit))["outcome"] == "offered"
    editor.take_edit = take_edit
    error = await editor.error(editor.run("redline.accept", {"sessionId": "offer"}))
    assert error["data"]["cause"] == "edit-not-landed"
    assert editor.text(URI) == TEXT
    editor.take_edit = take
    accepted = await editor.run_now("redline.accept", {"sessionId": "offer"})
    assert accepted == {"outcome": "accepted", "remaining": 0}
    assert editor.text(URI) == EDITED


async def test_an_editor_that_never_answers(
    redline: Redline, model: ScriptedModel
) -> None:
    """The user can give up on it at once, and a late answer does no harm."""
    editor = redline.editor
    model.say(SCRIPT)
    editor.take_edit = ignore
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(0, 1), apply="end")
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    editor.cancel(edit)
    assert (await editor.error(edit))["code"] == -32800
    refuse(editor, request)
    refuse(editor, request)
    assert editor.text(URI) == TEXT
