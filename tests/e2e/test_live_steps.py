"""Growing steps: an edit that enters the document while it is written."""

from __future__ import annotations

import asyncio

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import Json, lines, span
from tests.e2e.live_screen import numbered, with_changes
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import (
    APPLY_EDIT,
    WireEditor,
    answer_then_tell,
    fail,
    ignore,
    refuse,
    take,
)

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When
from redline.gateway.injected_faults import Cut

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/steps.py"
OLD = numbered(60)
PLACES = (3, 15, 27, 39, 59)
NEW = with_changes(OLD, *PLACES)
HEAD, TAIL = "# head\n", "# tail\n"
TEXT = HEAD + "".join(OLD) + TAIL
EDITED = HEAD + "".join(NEW) + TAIL
REGION = lines(1, 61)
SCRIPT = Script(otherwise=ScriptReply(chunks=tuple(NEW)))


def begin(editor: WireEditor, *, token: str | None = None) -> int:
    """Ask for the edit of the whole middle."""
    editor.open(URI, TEXT)
    return editor.edit(URI, REGION, token=token, sessionId="live", apply="stream")


def changed(*places: int) -> str:
    """The text with some of the changes."""
    return HEAD + "".join(with_changes(OLD, *places)) + TAIL


async def text_is(editor: WireEditor, text: str) -> None:
    """Wait until the document is so."""
    await editor.hear(lambda _: editor.text(URI) == text)


def check_steps(editor: WireEditor) -> list[Json]:
    """Steps are of whole lines, each for the version before it; returns them."""
    steps = editor.all_of(APPLY_EDIT)
    seen = []
    for params in steps:
        (document,) = params["edit"]["documentChanges"]
        seen.append(document["textDocument"]["version"])
        for edit in document["edits"]:
            assert edit["range"]["start"]["character"] == 0
            assert edit["range"]["end"]["character"] == 0
            assert edit["newText"] == "" or edit["newText"].endswith("\n")
            assert "<<<<" not in edit["newText"]
    assert seen == sorted(set(seen))
    return steps


async def take_back(editor: WireEditor) -> None:
    """Take the session back by its command: one edit."""
    before = len(editor.all_of(APPLY_EDIT))
    back = await editor.run_now("redline.takeBack", {"sessionId": "live"})
    assert back == {"sessionId": "live", "outcome": "takenBack"}
    assert len(editor.all_of(APPLY_EDIT)) == before + 1


@pytest.mark.parametrize("taking", [take, answer_then_tell])
async def test_whole_lines_enter_while_the_rest_is_written(
    redline: Redline, model: ScriptedModel, taking: object
) -> None:
    """The first changes are in the document when the model is half-way."""
    editor = redline.editor
    editor.take_edit = taking  # type: ignore[assignment]  # Either of two such.
    model.say(SCRIPT)
    hold = model.hold("improve it", after=35)
    edit = begin(editor)
    await hold.reached()
    await text_is(editor, changed(3, 15, 27))
    hold.release()
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "applied"
    assert outcome["checks"] == []
    assert editor.text(URI) == EDITED
    assert len(check_steps(editor)) >= 2
    await take_back(editor)
    assert editor.text(URI) == TEXT
    error = await editor.error(editor.run("redline.takeBack", {"sessionId": "live"}))
    assert error["data"]["cause"] == "unknown-session"


async def test_one_unanswered_step_at_a_time(
    redline: Redline, model: ScriptedModel
) -> None:
    """However long the editor takes, nothing more is sent, and then all at once."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=15)
    edit = begin(editor)
    await hold.reached()
    editor.take_edit = ignore
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    hold.release()
    await model.until(lambda: model.n("ended") == 1)
    await editor.run_now("redline.status", {})
    assert len(editor.all_of(APPLY_EDIT)) == 1
    editor.take_edit = take
    take(editor, request)
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == EDITED
    assert len(check_steps(editor)) <= 3


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
async def test_any_line_ends_and_no_final_one(
    redline: Redline, model: ScriptedModel, ends: str
) -> None:
    """The lines keep theirs, and the file ends as it did."""
    editor = redline.editor
    model.say(SCRIPT)
    old, new = ("".join(each).rstrip("\n").replace("\n", ends) for each in (OLD, NEW))
    editor.open(URI, old)
    edit = editor.edit(
        URI,
        lines(0, 59) | {"end": {"line": 59, "character": 5}},
        sessionId="live",
        apply="stream",
    )
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == new
    await take_back(editor)
    assert editor.text(URI) == old


@pytest.mark.parametrize("how", [refuse, fail])
@pytest.mark.parametrize("n_taken", [0, 1])
async def test_the_editor_refuses_a_step(
    redline: Redline, model: ScriptedModel, how: object, n_taken: int
) -> None:
    """The edit fails; what is in the document is whole, and can be taken back."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=15 if n_taken else 2)
    edit = begin(editor)
    if n_taken:
        await text_is(editor, changed(3))
    await hold.reached()
    editor.take_edit = how  # type: ignore[assignment]  # Either of two such.
    hold.release()
    error = await editor.error(edit)
    assert error["data"]["cause"] == "edit-not-landed"
    assert editor.text(URI) == changed(*PLACES[:n_taken])
    assert len(editor.all_of(APPLY_EDIT)) == n_taken + 1
    editor.take_edit = take
    if n_taken:
        assert "in the document" in error["message"]
        await take_back(editor)
    assert editor.text(URI) == TEXT


@pytest.mark.parametrize("is_on_its_way", [True, False])
async def test_typing_elsewhere(
    redline: Redline, model: ScriptedModel, is_on_its_way: bool
) -> None:
    """The steps move with their text, also one that is on its way."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=15)
    edit = begin(editor)
    if is_on_its_way:
        editor.take_edit = ignore
        request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    else:
        await text_is(editor, changed(3))
    editor.type(URI, span((0, 0), (0, 0)), "# typed\n")
    last = editor.text(URI).count("\n")
    editor.type(URI, span((last, 0), (last, 0)), "# and here\n")
    if is_on_its_way:
        editor.take_edit = take
        take(editor, request)
    hold.release()
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == "# typed\n" + EDITED + "# and here\n"
    await take_back(editor)
    assert editor.text(URI) == "# typed\n" + TEXT + "# and here\n"


@pytest.mark.parametrize("line", [2, 4, 50])
async def test_typing_inside(redline: Redline, model: ScriptedModel, line: int) -> None:
    """It stops; everything typed and everything written stays."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=15)
    edit = begin(editor)
    await text_is(editor, changed(3))
    editor.type(URI, span((line, 0), (line, 0)), "typed_")
    text = editor.text(URI)
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "stopped"
    assert "in the document" in outcome["message"]
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    assert editor.text(URI) == text
    error = await editor.error(editor.run("redline.takeBack", {"sessionId": "live"}))
    assert error["code"] == -32803
    assert editor.text(URI) == text


async def test_typing_inside_while_a_step_is_on_its_way(
    redline: Redline, model: ScriptedModel
) -> None:
    """The step is refused as stale and not made again."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=15)
    editor.take_edit = ignore
    edit = begin(editor)
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    editor.type(URI, span((9, 0), (9, 0)), "typed_")
    text = editor.text(URI)
    editor.take_edit = take
    take(editor, request)
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "stopped"
    hold.release()
    assert editor.text(URI) == text
    assert len(editor.all_of(APPLY_EDIT)) == 1


async def test_an_undo_of_a_step(redline: Redline, model: ScriptedModel) -> None:
    """It stops the edit, and the text is as the user wants it."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=15)
    edit = begin(editor)
    await text_is(editor, changed(3))
    editor.type(URI, span((4, 0), (5, 0)), OLD[3])
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "stopped"
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await editor.run_now("redline.status", {})
    assert editor.text(URI) == TEXT


async def by_command(editor: WireEditor, edit: int) -> None:
    """`redline.stop`."""
    assert await editor.run_now("redline.stop", {}) == {"stopped": ["live"]}
    assert (await editor.result(edit))["outcome"] == "stopped"


async def by_progress(editor: WireEditor, edit: int) -> None:
    """The cancel button."""
    editor.notify("window/workDoneProgress/cancel", {"token": "steps"})
    assert (await editor.result(edit))["outcome"] == "stopped"


async def by_request(editor: WireEditor, edit: int) -> None:
    """`$/cancelRequest`."""
    editor.cancel(edit)
    assert (await editor.error(edit))["code"] == -32800


WAYS = [by_command, by_progress, by_request]


async def is_over(editor: WireEditor) -> None:
    """Wait until the session has ended."""
    await editor.hear(
        lambda m: (
            m.get("method") == "$/progress" and m["params"]["value"]["kind"] == "end"
        )
    )


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_a_stop_takes_the_steps_back(
    redline: Redline, model: ScriptedModel, way: object
) -> None:
    """By one edit, to exactly what was there; the next edit is not hindered."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=40)
    edit = begin(editor, token="steps")
    await text_is(editor, changed(3, 15, 27))
    n_steps = len(editor.all_of(APPLY_EDIT))
    await way(editor, edit)  # type: ignore[operator]  # One of the ways above.
    await is_over(editor)
    assert editor.text(URI) == TEXT
    assert len(editor.all_of(APPLY_EDIT)) == n_steps + 1
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    again = editor.edit(URI, REGION, apply="end")
    assert (await editor.result(again))["outcome"] == "applied"
    assert editor.text(URI) == EDITED


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_a_stop_while_a_step_is_on_its_way(
    redline: Redline, model: ScriptedModel, way: object
) -> None:
    """It lands, and is taken back."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=15)
    editor.take_edit = ignore
    edit = begin(editor, token="steps")
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    stopping = asyncio.ensure_future(
        way(editor, edit)  # type: ignore[operator]  # One of the ways above.
    )
    await model.until(lambda: model.n("stopped") == 1)
    assert len(editor.all_of(APPLY_EDIT)) == 1
    editor.take_edit = take
    take(editor, request)
    await stopping
    await is_over(editor)
    hold.release()
    assert editor.text(URI) == TEXT
    assert len(editor.all_of(APPLY_EDIT)) == 2


@pytest.mark.parametrize("how", [refuse, fail])
async def test_a_stop_while_a_step_is_refused(
    redline: Redline, model: ScriptedModel, how: object
) -> None:
    """Then there is nothing to take back: it is stopped, not failed."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=15)
    editor.take_edit = ignore
    edit = begin(editor)
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    stopped = await editor.run_now("redline.stop", {})
    assert stopped == {"stopped": ["live"]}
    how(editor, request)  # type: ignore[operator]  # Either of two such.
    assert (await editor.result(edit))["outcome"] == "stopped"
    hold.release()
    assert editor.text(URI) == TEXT
    assert len(editor.all_of(APPLY_EDIT)) == 1


async def test_a_stop_that_keeps_the_steps(redline: Redline, connect: Connect) -> None:
    """With `edit.on_stop = "keep"` they stay, and can be taken back."""
    editor = redline.editor
    model = await connect(SCRIPT, edit={"on_stop": "keep"})
    hold = model.hold("improve it", after=40)
    edit = begin(editor)
    await text_is(editor, changed(3, 15, 27))
    await by_command(editor, edit)
    hold.release()
    assert editor.text(URI) == changed(3, 15, 27)
    await take_back(editor)
    assert editor.text(URI) == TEXT


async def test_the_taking_back_is_refused(
    redline: Redline, model: ScriptedModel
) -> None:
    """A stop then says what is in the document; the command can still do it."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=40)
    edit = begin(editor)
    await text_is(editor, changed(3, 15, 27))
    editor.take_edit = refuse
    await editor.run_now("redline.stop", {})
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "stopped"
    assert "What was written is there" in outcome["message"]
    hold.release()
    editor.take_edit = take
    await take_back(editor)
    assert editor.text(URI) == TEXT


@pytest.mark.parametrize("is_on_its_way", [True, False])
async def test_closing_the_document(
    redline: Redline, model: ScriptedModel, is_on_its_way: bool
) -> None:
    """The edit stops, and nothing is sent for a document that is not open."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=15)
    if is_on_its_way:
        editor.take_edit = ignore
    edit = begin(editor)
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    if not is_on_its_way:
        await text_is(editor, changed(3))
    editor.close_document(URI)
    if is_on_its_way:
        refuse(editor, request)
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "stopped"
    assert "closed" in outcome["message"]
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    assert len(editor.all_of(APPLY_EDIT)) == 1
    editor.open(URI, TEXT)
    error = await editor.error(editor.run("redline.takeBack", {"sessionId": "live"}))
    assert error["data"]["cause"] == "unknown-session"


async def test_closing_after_a_stop(redline: Redline, model: ScriptedModel) -> None:
    """While the steps are taken back: it ends all the same."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=15)
    edit = begin(editor)
    await text_is(editor, changed(3))
    editor.take_edit = ignore
    stopping = editor.run("redline.stop", {})
    await editor.hear(lambda _: len(editor.all_of(APPLY_EDIT)) == 2)
    editor.close_document(URI)
    assert (await editor.result(edit))["outcome"] == "stopped"
    assert await editor.result(stopping) == {"stopped": ["live"]}
    hold.release()


async def test_taking_back_after_typing(redline: Redline, model: ScriptedModel) -> None:
    """Typing elsewhere does not matter; inside, it is refused and nothing happens."""
    editor = redline.editor
    model.say(SCRIPT)
    edit = begin(editor)
    assert (await editor.result(edit))["outcome"] == "applied"
    editor.type(URI, span((0, 0), (0, 0)), "# typed\n")
    editor.type(URI, span((20, 3), (20, 3)), "typed")
    text = editor.text(URI)
    n_edits = len(editor.all_of(APPLY_EDIT))
    error = await editor.error(editor.run("redline.takeBack", {"sessionId": "live"}))
    assert error["data"]["cause"] == "edit-not-landed"
    assert "undo" in error["message"]
    assert editor.text(URI) == text
    assert len(editor.all_of(APPLY_EDIT)) == n_edits


async def test_problems_are_told_at_the_end(
    redline: Redline, model: ScriptedModel
) -> None:
    """The steps are in the document by then: `checks` says what is wrong with them."""
    editor = redline.editor
    chunks = (*NEW[:50], "# ... rest of the code unchanged ...\n")
    model.say(Script(otherwise=ScriptReply(chunks=chunks)))
    edit = begin(editor)
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "applied"
    assert [check["rule"] for check in outcome["checks"]] == ["elision"]
    assert editor.text(URI) == HEAD + "".join(chunks) + TAIL
    await take_back(editor)
    assert editor.text(URI) == TEXT


async def test_nothing_to_change(redline: Redline, model: ScriptedModel) -> None:
    """No step, no edit."""
    editor = redline.editor
    edit = begin(editor)
    assert (await editor.result(edit))["outcome"] == "unchanged"
    assert not editor.all_of(APPLY_EDIT)


async def test_the_model_is_cut_after_steps(
    redline: Redline, model: ScriptedModel
) -> None:
    """It begins again unseen; the steps that were right stay."""
    editor = redline.editor
    cut = ScriptReply(chunks=tuple(NEW), faults=(Cut(at=40),))
    model.say(
        Script(
            rules=(ScriptRule(when=When(nth=1), reply=cut),), otherwise=SCRIPT.otherwise
        )
    )
    edit = begin(editor)
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == EDITED
    assert len(model.tasks) == 2
    await take_back(editor)
    assert editor.text(URI) == TEXT


async def test_the_model_fails_after_steps(
    redline: Redline, model: ScriptedModel
) -> None:
    """The error says that a part is in the document; it can be taken back."""
    editor = redline.editor
    model.say(
        Script(otherwise=ScriptReply(chunks=tuple(NEW[:30]), failed="server_error"))
    )
    hold = model.hold("improve it", after=30)
    edit = begin(editor)
    await text_is(editor, changed(3, 15))
    hold.release()
    error = await editor.error(edit)
    assert "in the document" in error["message"]
    assert editor.text(URI) == changed(3, 15)
    await take_back(editor)
    assert editor.text(URI) == TEXT
