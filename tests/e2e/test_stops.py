"""Stopping an edit in each of its states, in each of the ways there are.

After it: no message but the end, an unchanged file, the model's server notified.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.e2e.conftest import Connect, Start
from tests.e2e.editor_document import Json, lines
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import APPLY_EDIT, WireEditor, ignore, take

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

REQUEST_CANCELLED = -32800

URI = "file:///project/stop.py"
TEXT = "a = 1\nb = 2\nc = 3\n"
REPLY = ("a = 10\n", "b = 20\n", "c = 30\n")
EDITED = "".join(REPLY)
TOKEN = "progress-of-the-editor"
SESSION = "session-of-the-editor"

Way = Callable[[WireEditor, int], Coroutine[Any, Any, None]]


async def by_request(editor: WireEditor, edit: int) -> None:
    """`$/cancelRequest`: the one answer is that it was cancelled."""
    editor.cancel(edit)
    assert (await editor.error(edit))["code"] == REQUEST_CANCELLED


async def by_progress(editor: WireEditor, edit: int) -> None:
    """The cancel button of the progress: the answer is an outcome."""
    editor.notify("window/workDoneProgress/cancel", {"token": TOKEN})
    assert (await editor.result(edit))["outcome"] == "stopped"


async def by_session(editor: WireEditor, edit: int) -> None:
    """`redline.stop` of this session."""
    stopped = await editor.run_now("redline.stop", {"sessionId": SESSION})
    assert stopped == {"stopped": [SESSION]}
    assert (await editor.result(edit))["outcome"] == "stopped"


async def by_document(editor: WireEditor, edit: int) -> None:
    """`redline.stop` of the file's sessions."""
    stopped = await editor.run_now("redline.stop", {"uri": URI})
    assert stopped == {"stopped": [SESSION]}
    assert (await editor.result(edit))["outcome"] == "stopped"


async def by_all(editor: WireEditor, edit: int) -> None:
    """`redline.stop` without a session."""
    stopped = await editor.result(editor.run("redline.stop"))
    assert stopped == {"stopped": [SESSION]}
    assert (await editor.result(edit))["outcome"] == "stopped"


WAYS = [by_request, by_progress, by_session, by_document, by_all]


def begin(editor: WireEditor, apply: str, instruction: str = "improve it") -> int:
    """Ask for the edit that is to be stopped."""
    editor.open(URI, TEXT)
    return editor.edit(
        URI, lines(0, 3), instruction, token=TOKEN, sessionId=SESSION, apply=apply
    )


def hunks_after(editor: WireEditor, at: int) -> list[Json]:
    """The preview's messages that came late."""
    return [m for m in editor.heard[at:] if m.get("method") == "redline/edit/hunks"]


@pytest.mark.parametrize("apply", ["end", "preview"])
@pytest.mark.parametrize("n_deltas", [0, 1, 3])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_a_stop_while_the_model_writes(
    redline: Redline, model: ScriptedModel, way: Way, n_deltas: int, apply: str
) -> None:
    """Silence, the file as it was, and the model's server sees the abort."""
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(chunks=REPLY)))
    hold = model.hold("improve it", after=n_deltas)
    edit = begin(editor, apply)
    await hold.reached()
    await way(editor, edit)
    at = len(editor.heard)
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await editor.run_now("redline.status", {})
    assert hunks_after(editor, at) == []
    assert editor.text(URI) == TEXT
    ended = editor.all_of("redline/edit/ended")
    assert [each["outcome"] for each in ended] == ["stopped"] * (apply == "preview")


async def test_the_next_edit_after_a_stop_pays_no_handshake(
    redline: Redline, model: ScriptedModel
) -> None:
    """The warm spare takes it, while the stopped one's socket is dropped."""
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(text=EDITED)))
    hold = model.hold("hold it", after=1)
    await model.until(lambda: model.n_connected == 2)
    model.entries.clear()
    edit = begin(editor, "end", "hold it")
    await hold.reached()
    await by_session(editor, edit)
    outcome = await editor.result(editor.edit(URI, lines(0, 3), apply="end"))
    assert outcome["outcome"] == "applied"
    kinds = [entry.kind for entry in model.entries]
    last_request = len(kinds) - kinds[::-1].index("create")
    assert "opened" not in kinds[:last_request]
    hold.release()


async def test_a_stop_before_the_settings_are_there(
    start: Start, model: ScriptedModel
) -> None:
    """An edit that waits for the first settings can be stopped too."""
    model.say(Script(otherwise=ScriptReply(text=EDITED)))
    withheld = asyncio.Event()
    redline = await start(model=model, settings=withheld)
    editor = redline.editor
    question = await editor.hear(lambda m: m.get("method") == "workspace/configuration")
    for way in WAYS:
        edit = begin(editor, "end")
        await way(editor, edit)
    assert model.entries == []
    editor.reply(question, [None])
    edit = begin(editor, "end")
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == EDITED


@pytest.mark.parametrize("way", WAYS[1:], ids=lambda way: way.__name__)
async def test_a_stop_while_the_edit_is_applied(
    redline: Redline, model: ScriptedModel, way: Way
) -> None:
    """It is on its way to the editor: too late, it lands, and nothing was stopped."""
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(text=EDITED)))
    editor.take_edit = ignore
    edit = begin(editor, "end")
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    if way is by_progress:
        editor.notify("window/workDoneProgress/cancel", {"token": TOKEN})
    else:
        which = {"by_session": {"sessionId": SESSION}, "by_document": {"uri": URI}}
        stopped = await editor.run_now("redline.stop", which.get(way.__name__, {}))
        assert stopped == {"stopped": []}
    take(editor, request)
    assert (await editor.result(edit))["outcome"] == "applied"
    assert editor.text(URI) == EDITED


async def test_a_cancel_while_the_edit_is_applied(
    redline: Redline, model: ScriptedModel
) -> None:
    """The request is answered at once; the edit, which cannot be called back, lands."""
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(text=EDITED)))
    editor.take_edit = ignore
    edit = begin(editor, "end")
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    await by_request(editor, edit)
    take(editor, request)
    assert editor.text(URI) == EDITED
    await editor.hear(
        lambda m: (
            m.get("method") == "$/progress" and m["params"]["value"]["kind"] == "end"
        )
    )
    again = editor.edit(URI, lines(0, 3), apply="end")
    assert (await editor.result(again))["outcome"] == "unchanged"


LEFT_OUT = "a = 10\n# ... rest of the code unchanged ...\n"


@pytest.mark.parametrize(
    ("reply", "outcome"), [(EDITED, "offered"), (LEFT_OUT, "held")]
)
@pytest.mark.parametrize("arguments", [{"sessionId": SESSION}, {"uri": URI}, {}])
async def test_a_stop_of_what_waits(
    redline: Redline, model: ScriptedModel, arguments: Json, reply: str, outcome: str
) -> None:
    """It goes away, and cannot be accepted any more."""
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(text=reply)))
    edit = begin(editor, "preview")
    assert (await editor.result(edit))["outcome"] == outcome
    stopped = await editor.run_now("redline.stop", arguments)
    assert stopped == {"stopped": [SESSION]}
    assert editor.all_of("redline/edit/ended")[0]["outcome"] == "stopped"
    error = await editor.error(editor.run("redline.accept", {"sessionId": SESSION}))
    assert error["data"]["cause"] == "unknown-session"
    assert editor.text(URI) == TEXT


async def test_a_cancel_that_comes_too_late(
    redline: Redline, model: ScriptedModel
) -> None:
    """An answered request is over; a cancel has no effect."""
    editor = redline.editor
    model.say(Script(otherwise=ScriptReply(text=EDITED)))
    edit = begin(editor, "preview")
    assert (await editor.result(edit))["outcome"] == "offered"
    editor.cancel(edit)
    editor.cancel(10**6)
    editor.notify("$/cancelRequest", {"id": "no such id"})
    editor.notify("$/cancelRequest", {})
    editor.notify("window/workDoneProgress/cancel", {"token": TOKEN})
    editor.notify("window/workDoneProgress/cancel", {"token": 7})
    accepted = await editor.run_now("redline.accept", {"sessionId": SESSION})
    assert accepted == {"outcome": "accepted", "remaining": 0}
    assert editor.text(URI) == EDITED


async def test_a_stop_that_keeps_what_was_written(
    redline: Redline, connect: Connect
) -> None:
    """With `edit.on_stop = "keep"` the part that is there is offered."""
    editor = redline.editor
    script = Script(otherwise=ScriptReply(chunks=REPLY))
    model = await connect(script, edit={"on_stop": "keep"})
    hold = model.hold("improve it", after=2)
    edit = begin(editor, "preview")
    await hold.reached()
    await editor.hear(
        lambda m: m.get("method") == "redline/edit/hunks" and m["params"]["hunks"]
    )
    await editor.run_now("redline.stop", {"sessionId": SESSION})
    outcome = await editor.result(edit)
    assert outcome["outcome"] == "offered"
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await editor.run_now("redline.accept", {"sessionId": SESSION})
    text = editor.text(URI)
    assert text.startswith("a = 10\n")
    assert text.endswith("c = 3\n")
