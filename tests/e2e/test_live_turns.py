"""Edits of one file that wait for each other to land, while the user types."""

from __future__ import annotations

import pytest
from tests.e2e.conftest import Connect
from tests.e2e.editor_document import lines, span
from tests.e2e.live_screen import Screen, numbered, with_changes
from tests.e2e.redline_session import Redline
from tests.e2e.wire_editor import APPLY_EDIT, ignore, take

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

URI = "file:///project/live_turns.py"
OLD = numbered(40)
NEW = with_changes(OLD, 3, 15, 27)
TEXT = "# head\n" + "".join(OLD)
SCRIPT = Script(
    rules=(
        ScriptRule(
            when=When(instruction="the head"), reply=ScriptReply(text="# new head\n")
        ),
        ScriptRule(
            when=When(contains="typed = True"), reply=ScriptReply(text="{{target}}")
        ),
    ),
    otherwise=ScriptReply(chunks=tuple(NEW)),
)


async def test_what_waited_is_not_applied_to_a_text_planned_anew(
    redline: Redline, connect: Connect
) -> None:
    """A hunk is accepted while another edit is on its way; then the user types where it
    stands, and the edit begins anew: the hunk is of a text that is no more."""
    editor = redline.editor
    model = await connect(SCRIPT, edit={"on_typing": "replan"})
    hold = model.hold("improve it", after=30)
    editor.open(URI, TEXT)
    edit = editor.edit(URI, lines(1, 41), sessionId="live", apply="preview")
    await hold.reached()
    screen = await Screen(editor, "live").until(lambda s: len(s.settled) > 1)
    editor.take_edit = ignore
    head = editor.edit(URI, lines(0, 1), "the head", apply="end")
    request = await editor.hear(lambda m: m.get("method") == APPLY_EDIT)
    accept = editor.run(
        "redline.accept", {"sessionId": "live", "hunks": screen.settled[:1]}
    )
    await editor.run_now("redline.status", {})
    editor.type(URI, span((10, 0), (10, 0)), "typed = True\n")
    typed = editor.text(URI)
    await editor.run_now("redline.status", {})
    take(editor, request)
    editor.take_edit = take
    await editor.answer(head)
    await editor.answer(accept)
    hold.release()
    assert (await editor.result(edit))["outcome"] == "unchanged"
    assert editor.text(URI) == typed.replace("# head", "# new head")
