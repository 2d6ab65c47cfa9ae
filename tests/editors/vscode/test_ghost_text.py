"""Completions in VS Code: ghost text that stays while it is typed along."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import Scene
from tests.editors.vscode.conftest import OpenWindow, write_settings
from tests.editors.vscode.frames import recorded

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "def cost(price, count):\n    total =\n"
LINE = "    total = price * count"
ON = {"redline.complete.enabled": True, "editor.inlineSuggest.enabled": True}


async def test_typed_along_and_accepted(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """Each frame shows the whole line; a word is accepted, then the rest."""
    model.say(Script(otherwise=ScriptReply(text="total = price * count")))
    scene.file.write_text(TEXT)
    write_settings(scene.project, model, ON)
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.go_to(2)
    await window.press("End")
    await window.type(" ")
    await window.suggests("price * count")
    await window.shows_line(LINE)
    await window.picture("ghost-text")
    n_requests = model.n("create")
    async with recorded(window.page) as recording:
        for n_typed, key in enumerate("price", start=1):
            await window.type(key)
            await window.suggests("price * count"[n_typed:])
        n_typed_along = model.n("create")
        # Until the rest is suggested, Tab would indent the line.
        await window.suggests(" * count")
        await window.press("Control+ArrowRight")
        await window.suggests("* count")
        await window.press("Tab")
        await window.suggests("")
        await window.press("Enter")
        await window.shows(f"def cost(price, count):\n{LINE}\n\n")
    shown = [
        line.text.replace("\u00a0", " ").rstrip()
        for frame in recording.frames
        for line in frame.lines
        if line.number == 2
    ]
    assert len(shown) > 1
    assert set(shown) == {LINE}
    assert n_typed_along == n_requests


async def test_dismissed(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """Escape hides the text, which is not shown again; another one is."""
    model.say(Script(otherwise=ScriptReply(text="total = price * count")))
    scene.file.write_text(TEXT)
    write_settings(scene.project, model, ON)
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.go_to(2)
    await window.press("End")
    await window.type(" ")
    await window.suggests("price * count")
    await window.press("Escape")
    await window.suggests("")
    n_requests = model.n("create")
    async with recorded(window.page) as recording:
        await window.type("p")
        # What agrees with the key is not shown, so another text is requested.
        await model.until(lambda: model.n("create") > n_requests)
        model.say(Script(otherwise=ScriptReply(text="total = pair(count)")))
        await window.type("a")
        await window.suggests("ir(count)")
    assert not [
        line.text
        for frame in recording.frames
        for line in frame.lines
        if line.number == 2 and "rice" in line.text
    ]
