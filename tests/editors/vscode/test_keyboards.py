"""Every default key, typed on keyboards of other countries."""

from __future__ import annotations

import json

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import AFTER, BEFORE, INVOICE, Scene
from tests.editors.vscode.conftest import ROOT, OpenWindow, write_settings
from tests.editors.vscode.keyboard import LAYOUTS, Layout, press
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

PACKAGE = ROOT / "editors" / "vscode" / "package.json"


class Keys:
    """The keys of one layout in a window, and which of them were pressed."""

    def __init__(self, window: Window, layout: Layout) -> None:
        self.pressed: set[str] = set()
        self._window = window
        self._layout = layout

    async def __call__(self, *bindings: str) -> None:
        self.pressed.update(bindings)
        page = await self._window.page.context.new_cdp_session(self._window.page)
        await press(page, self._layout, *bindings)
        await page.detach()


@pytest.mark.parametrize("country", LAYOUTS)
async def test_every_default_key(
    open_window: OpenWindow,
    scene: Scene,
    model: ScriptedModel,
    country: str,
) -> None:
    """Ask, walk, answer, follow a next edit: each key does on it what it is for."""
    layout = LAYOUTS[country]
    scene.file.write_text(BEFORE)
    (scene.project / "invoice.py").write_text(INVOICE)
    write_settings(scene.project, model, {"keyboard.layout": layout.name})
    window = await open_window(scene.project, scene.file)
    await window.layout(layout.name)
    await window.ready()
    await window.focus()
    keys = Keys(window, layout)
    await the_box(window, keys)
    await the_changes(window, keys, model)
    await the_candidates(window, keys, model)
    await the_next_edit(window, keys, scene)
    bound = json.loads(PACKAGE.read_text())["contributes"]["keybindings"]
    assert keys.pressed >= {each["key"] for each in bound}


async def the_box(window: Window, keys: Keys) -> None:
    """Both keys open it; Up and Down go through what was asked before."""
    line = window.box("Redline").locator("input")
    for key in ("ctrl+'", "shift+alt+e"):
        await keys(key)
        await window.box("Redline: edit").wait_for()
        await keys("escape")
        await window.box("Redline").wait_for(state="hidden")
    await keys("shift+alt+e")
    await window.box("Redline: edit").wait_for()
    name = window.box("Redline").get_by_text("prices.py", exact=True).first
    await window.type("@pri")
    await name.wait_for()
    await keys("tab")
    await window.has_value(line, "@prices.py ")
    await window.type("@pri")
    await name.wait_for()
    await keys("escape")
    await name.wait_for(state="hidden")
    await window.has_value(line, "@prices.py @pri")
    await keys("escape")
    await window.box("Redline").wait_for(state="hidden")


async def the_changes(window: Window, keys: Keys, model: ScriptedModel) -> None:
    """One is accepted, one rejected, and the rest accepted."""
    model.say(Script(otherwise=ScriptReply(text=AFTER)))
    await keys("ctrl+a")
    await keys("shift+alt+e")
    await window.box("Redline: edit").wait_for()
    await window.type("improve it")
    await keys("enter")
    await window.offer("3 changes").wait_for()
    await window.marks(3)
    await window.press("Control+Home")
    await keys("f7")
    await window.cursor_in_offer()
    await keys("shift+alt+y")
    await window.offer("2 changes").wait_for()
    await keys("shift+f7", "shift+alt+n")
    await window.offer("1 change").wait_for()
    await keys("alt+enter")
    await window.marks(0)
    await window.offer().wait_for(state="hidden")
    await keys("shift+alt+e")
    line = window.box("Redline: edit").locator("input")
    await line.wait_for()
    await keys("up")
    await window.has_value(line, "improve it")
    await keys("down")
    await window.has_value(line, "")
    await keys("escape")
    await window.box("Redline").wait_for(state="hidden")


async def the_candidates(window: Window, keys: Keys, model: ScriptedModel) -> None:
    """The next one is shown, and Escape rejects it."""
    first = ScriptRule(when=When(nth=1), reply=ScriptReply(text="name_19 = 20\n"))
    other = ScriptReply(text="name_19 = 21\n")
    model.say(Script(rules=(first,), otherwise=other))
    before = await window.lines()
    await window.select(20, 20)
    await window.command("Redline: Edit with an Instruction, Several Candidates…")
    await window.box("Redline: edit").wait_for()
    await window.type("improve it")
    await keys("enter")
    await window.offer("Candidate 1 of").wait_for()
    await keys("shift+alt+j")
    await window.offer("Candidate 2 of").wait_for()
    await keys("escape")
    await window.offer().wait_for(state="hidden")
    await window.shows("\n".join(before))


async def the_next_edit(window: Window, keys: Keys, scene: Scene) -> None:
    """It is accepted by the key that is not Tab."""
    await window.open_file(scene.project / "invoice.py")
    await window.go_to(2)
    await window.press("Home", "Control+Shift+ArrowRight")
    await window.type("unit_price")
    await window.paints("unit_price", "Tab", "2 more")
    await keys("shift+alt+t")
    await window.shows_line('sum(row["count"] * unit_price for')
