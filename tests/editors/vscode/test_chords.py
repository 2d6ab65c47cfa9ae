"""The chords of an edit, by the keys of `package.json`, in the real window."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.chords import ChordCount
from tests.editors.scene import AFTER, BEFORE, Scene, with_changes
from tests.editors.vscode.conftest import ROOT
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

PACKAGE = ROOT / "editors" / "vscode" / "package.json"

NAMES = {
    "alt": "Alt",
    "ctrl": "Control",
    "enter": "Enter",
    "escape": "Escape",
    "shift": "Shift",
}


class Hand:
    """Presses the key of a command, as `package.json` has it, or one of VS Code."""

    def __init__(self, window: Window, count: ChordCount) -> None:
        bound = json.loads(PACKAGE.read_text())["contributes"]["keybindings"]
        self._keys = {each["command"]: each["key"] for each in reversed(bound)}
        self._window = window
        self._count = count

    async def __call__(self, command: str) -> None:
        strokes = self._keys.get(command, command).split(" ")
        self._count.press(len(strokes))
        await self._window.press(*map(_as_pressed, strokes))


def _as_pressed(stroke: str) -> str:
    parts = [NAMES.get(part, part) for part in stroke.split("+")]
    return "+".join(part.upper() if part[1:].isdigit() else part for part in parts)


async def ask(window: Window, hand: Hand, instruction: str, title: str) -> None:
    """Ask for an edit of the selection, or for another one."""
    await hand("redline.instruct")
    await window.box(title).locator("input:focus").wait_for()
    await window.type(instruction)
    await hand("enter")
    await window.box("Redline").wait_for(state="hidden")


async def offered(window: Window, hand: Hand) -> None:
    """Have three changes of the whole file offered."""
    await window.press("Control+a")
    await ask(window, hand, "improve it", "Redline: edit")
    await window.offer("3 changes").wait_for()
    await window.offer().wait_for()
    await window.shows(AFTER)


def replies(*, held: Sequence[str]) -> Script:
    """Improve all, or say something else if that is what is asked for."""
    other = ScriptRule(
        when=When(instruction="otherwise"), reply=ScriptReply(text=with_changes(4))
    )
    slow = ScriptRule(
        when=When(instruction="slowly"), reply=ScriptReply(chunks=tuple(held))
    )
    return Script(rules=(other, slow), otherwise=ScriptReply(text=AFTER))


async def test_no_task_takes_more_chords_than_elsewhere(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """Ask, accept, undo, stop, redirect, walk, answer one change, reject."""
    count = ChordCount()
    hand = Hand(window, count)
    model.say(replies(held=AFTER.splitlines(keepends=True)))
    scene.file.write_text(BEFORE)
    await window.shows(BEFORE)
    with count.task("ask and accept all"):
        await offered(window, hand)
        await hand("redline.acceptAll")
        await window.marks(0)
    await window.shows(AFTER)
    await window.press("Control+z")
    await window.shows(BEFORE)
    for task in ("stop while it writes", "redirect"):
        hold = model.hold("slowly", after=5)
        await window.press("Control+a")
        await ask(window, hand, "slowly", "Redline: edit")
        await hold.reached()
        await window.offer("Redline is writing").wait_for()
        await window.marks(1)
        with count.task(task):
            if task == "redirect":
                await ask(window, hand, "otherwise", "Redline: redirect")
                hold.release()
                await window.offer("1 change").wait_for()
                await window.shows(with_changes(4))
            else:
                await hand("redline.stopHere")
                await window.shows(BEFORE)
                hold.release()
    with count.task("reject all"):
        await hand("redline.rejectAll")
        await window.shows(BEFORE)
    await offered(window, hand)
    await window.press("Control+Home")
    with count.task("go to the next change"):
        await hand("redline.nextChange")
        await window.cursor_in_offer()
    with count.task("accept a change"):
        await hand("redline.acceptHunk")
        await window.marks(2)
    await window.cursor_in_offer()
    with count.task("reject a change"):
        await hand("redline.rejectHunk")
        await window.marks(1)
    await window.cursor_in_offer()
    await window.shows(with_changes(2, 12))
    count.check()
