"""What the mouse does with an offer: the buttons above the file, its menu, a hover."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import AFTER, BEFORE, Scene, with_changes
from tests.editors.vscode.test_offer import offered
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def click_button(window: Window, name: str) -> None:
    """Click a button above the file."""
    await window.page.locator(".editor-actions").get_by_label(name).first.click()


async def test_buttons_above_the_file(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """They accept and reject all, and walk."""
    await offered(window, scene, model)
    await click_button(window, "Reject All Changes")
    await window.shows(BEFORE)
    await window.command("Redline: Bring Back the Last Offer")
    await window.offer("3 changes").wait_for()
    await window.marks(3)
    await window.press("Control+Home")
    await click_button(window, "Go to the Next Change")
    await window.cursor_in_offer()
    await click_button(window, "Accept All Changes")
    await window.marks(0)
    await window.shows(AFTER)


async def test_the_menu_of_a_change(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """It answers the change that was clicked on."""
    await offered(window, scene, model)
    await window.page.locator(".view-line", has_text="name_07").click(button="right")
    menu = window.page.locator(".monaco-menu")
    entry = menu.get_by_text("Reject This Change and Go On", exact=True).first
    # The mouse opens the menu below by itself, once: a click would open it again, and a
    # fresh menu ignores clicks until the mouse has moved.
    await menu.get_by_text("Redline", exact=True).first.hover()
    await entry.hover()
    await entry.click()
    await window.marks(2)
    await window.shows(with_changes(2, 12))


async def click_link(window: Window, line: str, name: str) -> None:
    """Click a link in the hover of a line."""
    # The line itself goes on to the right of its text, where no hover is.
    text = window.page.locator(".view-line span span", has_text=line).first
    link = window.page.locator(".monaco-hover a", has_text=name)
    await window.tooltip(text, name)
    await window.picture(f"hover-{line}")
    await link.click()


async def test_the_links_of_a_change(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """They answer the change below the mouse, wherever the cursor is."""
    await offered(window, scene, model)
    await window.go_to(1)
    await click_link(window, "name_07", "Reject this change")
    await window.marks(2)
    await window.shows(with_changes(2, 12))
    await window.cursor_in_offer()
    await click_link(window, "name_02", "Accept this change")
    await window.marks(1)
    await window.reject()
    await window.shows(with_changes(2))


async def test_the_hover_shows_all_that_went(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """The line shows the beginning of the first line that went, and how many went."""
    went = [f'    "{number:02} {"so that it is long, " * 5}",' for number in range(20)]
    before = "\n".join(["NAMES = [", *went, "]", ""])
    model.say(Script(otherwise=ScriptReply(text="NAMES: list[str] = []\n")))
    scene.file.write_text(before)
    await window.shows(before)
    await window.press("Control+a")
    await window.instruct("drop all names")
    await window.offer().wait_for()
    await window.marks(1)
    await window.paints_among("… (21 lines)")
    text = window.page.locator(".view-line span span", has_text="NAMES").first
    await window.tooltip(text, "These lines go:")
    hover = window.page.locator(".monaco-hover", has_text="These lines go:")
    await hover.get_by_text("19 so that it is long").wait_for()
    await window.picture("hover-all-that-went")
    shown = (await hover.inner_text()).replace("\u00a0", " ")
    assert [line for line in went if line.strip() not in shown] == []
    await window.reject()
    await window.shows(before)
