"""Several places of a file in VS Code, which one edit changes."""

from __future__ import annotations

import re

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import Scene
from tests.editors.vscode.test_offer import saved
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def show(window: Window, scene: Scene, model: ScriptedModel, text: str) -> None:
    """Show a text, for which the model changes the line of each of two ranges."""
    reply = "".join(
        f"<<<<<<< RANGE {number}\n{line}\n>>>>>>> RANGE {number}\n"
        for number, line in ((1, "one = 10"), (2, "two = one + 1"))
    )
    model.say(Script(otherwise=ScriptReply(text=reply)))
    scene.file.write_text(text)
    await window.shows(text)


async def test_several_selections_are_one_edit(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """One request, one offer, one undo."""
    text = "one = 1\n\n\nthree = 3\n\n\ntwo = one\n"
    await show(window, scene, model, text)
    await window.press("Control+Home")
    # All places of the word.
    await window.press("Control+Shift+l")
    await window.instruct("ten times as much")
    await window.offer(re.compile(r"^\W*2 changes")).wait_for()
    await window.press("Control+Home")
    await window.accept()
    await window.marks(0)
    await window.shows("one = 10\n\n\nthree = 3\n\n\ntwo = one + 1\n")
    (task,) = model.tasks
    assert (task.instruction, task.reply_format) == ("ten times as much", "ranges")
    await window.press("Control+z")
    await window.shows(text)


async def test_all_comments_are_one_edit(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """They are done, and gone."""
    text = "# redline: ten\none = 1\n\n\nthree = 3\n\n\n# redline: add one\ntwo = one\n"
    await show(window, scene, model, text)
    await window.command("Redline: Do All redline: Comments in This File")
    await window.offer().wait_for()
    await window.accept()
    await window.press("Control+s")
    await saved(scene, "one = 10\n\n\nthree = 3\n\n\ntwo = one + 1\n")
    (task,) = model.tasks
    assert task.instruction == "Range 1: ten\nRange 2: add one"
