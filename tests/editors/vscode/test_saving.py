"""What is in the file when the editor saves by itself, or formats, beside an offer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import AFTER, BEFORE, Scene
from tests.editors.vscode.conftest import OpenWindow, write_settings
from tests.editors.vscode.test_offer import saved
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

TYPED = '{\n    "a": 1,\n    "b": 2,\n    "c": 3,\n    "d":4\n}'
"""Without a line end at its end, which VS Code's formatter of JSON takes away."""

PROPOSED = TYPED.replace('"a": 1', '"a": 10').replace('"c": 3', '"c": 30')


async def offered(
    window: Window, model: ScriptedModel, text: str, *, n_changes: int
) -> None:
    """Have a new text of the whole file offered."""
    model.say(Script(otherwise=ScriptReply(text=text)))
    await window.ready()
    await window.focus()
    await window.press("Control+a")
    await window.instruct("improve it")
    await window.offer(f"{n_changes} changes").wait_for()
    # Until then it may still be written.
    await window.offer().wait_for()
    await window.shows(text)


async def saved_with_an_offer(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> Window:
    """Have what an offer proposes saved by the editor itself."""
    scene.file.write_text(BEFORE)
    auto_save = {"files.autoSave": "afterDelay", "files.autoSaveDelay": 100}
    write_settings(scene.project, model, auto_save)
    window = await open_window(scene.project, scene.file)
    await offered(window, model, AFTER, n_changes=3)
    await saved(scene, AFTER)
    return window


async def test_format_on_save(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """The user's lines are formatted and saved; the proposed ones wait on."""
    scene = replace(scene, name="prices.json")
    scene.file.write_text(TYPED)
    write_settings(scene.project, model, {"editor.formatOnSave": True})
    window = await open_window(scene.project, scene.file)
    await offered(window, model, PROPOSED, n_changes=2)
    await window.press("Control+s")
    own = TYPED.replace('"d":4', '"d": 4')
    await saved(scene, own)
    await window.offer("2 changes").wait_for()
    await window.marks(2)
    await window.shows(PROPOSED.replace('"d":4', '"d": 4'))
    await window.reject()
    await window.shows(own)
    assert scene.file.read_text() == own


async def test_auto_save(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """What the editor shows is saved; the offer waits, and can still be rejected."""
    window = await saved_with_an_offer(open_window, scene, model)
    await window.offer("3 changes").wait_for()
    await window.marks(3)
    await window.reject()
    await window.offer().wait_for(state="hidden")
    await saved(scene, BEFORE)
    await window.shows(BEFORE)


async def test_a_reload_after_an_auto_save(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """What was saved with the proposal is still a proposal, with a way back."""
    window = await saved_with_an_offer(open_window, scene, model)
    await window.reload()
    await window.offer("3 changes").wait_for()
    await window.marks(3)
    await window.shows(AFTER)
    await window.focus()
    await window.command("Redline: Reject All Changes")
    await window.offer().wait_for(state="hidden")
    await saved(scene, BEFORE)
    await window.shows(BEFORE)


async def test_a_change_on_disk(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """Another program writes a saved file: a message says that the offer is gone, and
    brings back what still fits."""
    window = await saved_with_an_offer(open_window, scene, model)
    changed = BEFORE.replace("name_07 = 7", "name_07 = 70")
    scene.file.write_text(changed)
    message = window.message("An offer of Redline was dropped")
    await message.wait_for()
    await window.picture("offer-dropped")
    await window.shows(changed)
    await window.offer().wait_for(state="hidden")
    await message.get_by_role("button", name="Bring It Back").click()
    await window.offer("2 changes").wait_for()
    await window.marks(2)
    await window.shows(AFTER.replace("name_07 = 10 * 7", "name_07 = 70"))
