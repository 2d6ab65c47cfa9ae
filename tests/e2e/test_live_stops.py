"""Stops of a preview: what is kept, what is wasted, what follows."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import Json, lines
from tests.e2e.live_screen import HUNKS, Screen, numbered, offered, with_changes
from tests.e2e.redline_session import Redline
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import WireEditor

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/live_stops.py"
OLD = numbered(40)
NEW = with_changes(OLD, 3, 15, 27)
HEAD, TAIL = "# head\n", "# tail\n"
TEXT = HEAD + "".join(OLD) + TAIL
REGION = lines(1, 41)
SCRIPT = Script(otherwise=ScriptReply(chunks=tuple(NEW)))

Way = Callable[[WireEditor, int], Coroutine[Any, Any, Json | None]]
"""Stops an edit; returns its outcome, if it has one."""


async def by_command(editor: WireEditor, edit: int) -> Json | None:
    """`redline.stop`."""
    assert await editor.run_now("redline.stop", {}) == {"stopped": ["live"]}
    outcome: Json = await editor.result(edit)
    return outcome


async def by_progress(editor: WireEditor, edit: int) -> Json | None:
    """The cancel button of the progress."""
    editor.notify("window/workDoneProgress/cancel", {"token": "live"})
    outcome: Json = await editor.result(edit)
    return outcome


async def by_request(editor: WireEditor, edit: int) -> Json | None:
    """`$/cancelRequest`."""
    editor.cancel(edit)
    assert (await editor.error(edit))["code"] == -32800
    return None


async def by_typing(editor: WireEditor, edit: int) -> Json | None:
    """Other lines in place of all that it edits."""
    editor.type(URI, REGION, "typed\n" * len(OLD))
    outcome: Json = await editor.result(edit)
    return outcome


async def by_closing(editor: WireEditor, edit: int) -> Json | None:
    """The document goes away."""
    editor.close_document(URI)
    outcome: Json = await editor.result(edit)
    return outcome


WAYS = [by_command, by_progress, by_request, by_typing, by_closing]


def begin(editor: WireEditor, *, apply: str = "preview") -> int:
    """Ask for the edit."""
    editor.open(URI, TEXT)
    return editor.edit(URI, REGION, token="live", sessionId="live", apply=apply)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_a_stop_of_what_is_painted(
    redline: Redline, model: ScriptedModel, way: Way
) -> None:
    """Silence but for the end; what was received is counted; the next lane is warm."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=20)
    await model.until(lambda: model.n_connected == 2)
    model.entries.clear()
    wasted = (await editor.run_now("redline.status", {}))["wastedTokens"]
    edit = begin(editor)
    await hold.reached()
    await Screen(editor, "live").until(lambda s: len(s.hunks) == 2)
    outcome = await way(editor, edit)
    if outcome is not None:
        assert outcome["outcome"] == "stopped"
        assert outcome["usage"]["wastedTokens"] >= len("".join(NEW[:16])) // 4
    at = len(editor.heard)
    status = await editor.run_now("redline.status", {})
    assert status["wastedTokens"] >= wasted + len("".join(NEW[:16])) // 4
    assert status["sessions"] == []
    if URI in editor.documents:
        await editor.result(editor.edit(URI, REGION, instruction="once more"))
        # The spare took it: whatever was opened, it was not waited for.
        kinds = [entry.kind for entry in model.entries]
        assert "opened" not in kinds[: len(kinds) - kinds[::-1].index("create")]
    # Released before, the stopped answer might end first.
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    late = [m for m in editor.heard[at:] if m.get("method") == HUNKS]
    assert late == []
    (ended,) = editor.all_of("redline/edit/ended")
    assert ended["outcome"] == "stopped"


@pytest.mark.parametrize("way", [by_command, by_progress], ids=lambda w: w.__name__)
async def test_a_stop_that_keeps_what_is_painted(
    redline: Redline, connect: Connect, way: Way
) -> None:
    """What is written is offered as it was painted; the rest is as it was."""
    editor = redline.editor
    model = await connect(SCRIPT, edit={"on_stop": "keep"})
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.hunks) == 2)
    painted = screen.edits()
    outcome = await way(editor, edit)
    assert outcome is not None
    assert outcome["outcome"] == "offered"
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    screen.refresh()
    assert len(screen.settled) == 2
    first = screen.edits(screen.settled[0])
    assert first == painted[:1]
    # The second had begun, and no old line was given up for it yet.
    kept = screen.applied(URI)
    accepted = {"sessionId": "live", "hunks": screen.settled[:1]}
    done = await editor.run_now("redline.accept", accepted)
    assert done == {"outcome": "offered", "remaining": 1}
    assert editor.text(URI) == HEAD + "".join(with_changes(OLD, 3)) + TAIL
    await screen.until(lambda s: s.is_current)
    assert screen.applied(URI) == kept
    await editor.run_now("redline.accept", {"sessionId": "live"})
    assert editor.text(URI) == kept
    await editor.run_now("redline.takeBack", {"sessionId": "live"})
    assert editor.text(URI) == TEXT


async def test_a_stop_that_has_nothing_to_keep(
    redline: Redline, connect: Connect
) -> None:
    """Then it is a stop."""
    editor = redline.editor
    model = await connect(SCRIPT, edit={"on_stop": "keep"})
    hold = model.hold("improve it", after=2)
    edit = begin(editor)
    await hold.reached()
    await by_command(editor, edit)
    assert (await editor.result(edit))["outcome"] == "stopped"
    hold.release()


async def test_a_stop_of_what_was_kept(redline: Redline, connect: Connect) -> None:
    """The second stop is final."""
    editor = redline.editor
    model = await connect(SCRIPT, edit={"on_stop": "keep"})
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    await Screen(editor, "live").until(lambda s: len(s.hunks) == 2)
    await by_command(editor, edit)
    assert await editor.run_now("redline.stop", {}) == {"stopped": ["live"]}
    (ended,) = editor.all_of("redline/edit/ended")
    assert ended["outcome"] == "stopped"
    hold.release()
    assert editor.text(URI) == TEXT


async def test_a_follow_up_of_what_was_kept(redline: Redline, connect: Connect) -> None:
    """It continues from the part that was written."""
    editor = redline.editor
    model = await connect(SCRIPT, edit={"on_stop": "keep"})
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.hunks) == 2)
    await by_command(editor, edit)
    kept = screen.refresh().applied(URI)
    at = len(editor.heard)
    arguments = {"sessionId": "live", "instruction": "go on"}
    assert (await editor.run_now("redline.redirect", arguments))["accepted"]
    hold.release()
    await editor.hear(
        lambda m: (
            m.get("method") == "redline/status"
            and [s["state"] for s in m["params"]["sessions"]] == ["offered"]
        ),
        after=at,
    )
    assert HEAD + (model.tasks[-1].draft or "") + TAIL == kept
    assert screen.refresh().applied(URI) == HEAD + "".join(NEW) + TAIL


async def test_a_stop_after_hunks_were_accepted(
    redline: Redline, model: ScriptedModel
) -> None:
    """What was you accepted is kept, is said to, and can be taken back."""
    editor = redline.editor
    model.say(SCRIPT)
    hold = model.hold("improve it", after=20)
    edit = begin(editor)
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: s.settled)
    accepted = {"sessionId": "live", "hunks": screen.settled[:1]}
    await editor.run_now("redline.accept", accepted)
    outcome = await by_command(editor, edit)
    assert outcome is not None
    assert "you accepted is kept" in outcome["message"]
    hold.release()
    assert editor.text(URI) == HEAD + "".join(with_changes(OLD, 3)) + TAIL
    await editor.run_now("redline.takeBack", {"sessionId": "live"})
    assert editor.text(URI) == TEXT


async def test_a_stop_of_an_offer_after_hunks_were_accepted(
    redline: Redline, model: ScriptedModel
) -> None:
    """The rest goes away."""
    editor = redline.editor
    model.say(SCRIPT)
    screen = await offered(editor, begin(editor))
    accepted = {"sessionId": "live", "hunks": screen.settled[:1]}
    await editor.run_now("redline.accept", accepted)
    assert await editor.run_now("redline.stop", {}) == {"stopped": ["live"]}
    assert editor.text(URI) == HEAD + "".join(with_changes(OLD, 3)) + TAIL
    await editor.run_now("redline.takeBack", {"sessionId": "live"})
    assert editor.text(URI) == TEXT
