"""A next edit as VS Code shows it: drawn at its place, or a hint that leads there."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import INVOICE, Scene
from tests.editors.vscode.conftest import OpenWindow, write_settings
from tests.editors.vscode.themes import use_theme
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def pictures(window: Window, scene: Scene, name: str) -> None:
    """Take a picture in a light theme and in a dark one."""
    for kind in ("light", "dark"):
        await use_theme(window, scene.project, kind)
        await window.picture(f"{name}-{kind}")


async def fits(window: Window, name: str) -> None:
    """All that is painted is in sight in a window of 700 pixels."""
    toggle = window.page.get_by_label("Toggle Primary Side Bar").first
    side = window.page.locator(".part.sidebar .monaco-list-row").first
    await toggle.click()
    await side.wait_for(state="hidden")
    await window.page.set_viewport_size({"width": 700, "height": 800})
    await window.painted_in_sight()
    await window.picture(name)
    await window.page.set_viewport_size({"width": 1280, "height": 800})
    await toggle.click()
    await side.wait_for()
    await window.focused()


async def test_a_rename_place_by_place(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """Drawn near the cursor, led to further away, and hinted at out of sight."""
    scene.file.write_text(INVOICE)
    write_settings(scene.project, model)
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.go_to(2)
    await window.press("Home", "Control+Shift+ArrowRight")
    await window.type("unit_price")
    await window.paints("unit_price", "Tab", "2 more")
    await pictures(window, scene, "next-edit")
    await fits(window, "next-edit-narrow")
    await window.press("Tab")
    await window.shows_line('sum(row["count"] * unit_price for')
    await window.paints("Tab", "↓ line 8", "unit_price")
    await pictures(window, scene, "next-edit-further")
    await fits(window, "next-edit-further-narrow")
    await window.press("Tab")
    await window.paints("unit_price", "Tab", "1 more")
    await window.press("Tab")
    await window.shows_line("rows at {unit_price}")
    await window.paints("Tab", "↓ line 69")
    await pictures(window, scene, "next-edit-out-of-sight")
    # Before the text of another line Tab indents, and the hint names the other key.
    await window.go_to(7)
    await window.paints("Shift+Alt+T", "↓ line 69: price → unit_price")
    await window.press("Tab")
    await window.shows_line('        lines.append("")')
    # Typing elsewhere hides the hint, until the cursor is somewhere else.
    await window.paints()
    await window.press("End", "ArrowDown", "End")
    await window.paints("Tab", "↓ line 69")
    await window.press("Tab")
    await window.paints("unit_price", "Tab")
    await window.press("Escape")
    await window.paints()
    await window.shows_line("return lines, round(total / price)")


async def test_the_places_of_one_line_are_one_edit(
    window: Window, scene: Scene
) -> None:
    """Each place is drawn, and one Tab takes them all."""
    file = scene.project / "area.py"
    file.write_text("def area(width):\n    return width * width\n")
    await window.open_file(file)
    await window.go_to(1)
    await window.press("End", "ArrowLeft", "ArrowLeft", "Control+Shift+ArrowLeft")
    await window.type("side")
    await window.paints("side", "side", "Tab")
    await window.picture("next-edit-one-line")
    await window.press("Tab")
    await window.shows("def area(side):\n    return side * side\n")


ARROWS = """() => [...document.querySelectorAll('.editor-instance .margin .cgmr')]
  .filter((each) => getComputedStyle(each).backgroundImage.includes('data:image/svg'))
  .map((each) => each.getBoundingClientRect())
  .map(({ left, right, top }) => [left > 0 && right < window.innerWidth, top])"""


async def test_an_arrow_is_in_sight_where_the_hint_is_not(
    window: Window, scene: Scene
) -> None:
    """Behind a long line, in a narrow window with the side bar."""
    filler = "    # Nothing.\n" * 60
    unused = ", ".join(f"unused_{number}" for number in range(9))
    file = scene.project / "long.py"
    file.write_text(f"def area(width, {unused}):\n{filler}    return width\n")
    await window.open_file(file)
    await window.page.set_viewport_size({"width": 700, "height": 800})
    await window.go_to(1)
    await window.press("Home", *["Control+ArrowRight"] * 3)
    await window.press("Control+Shift+ArrowLeft")
    await window.type("side")
    await window.paints("Tab", "↓ 62")
    await window.picture("next-edit-narrow-with-side-bar")
    line = await window.page.locator(".editor-instance .view-line").first.bounding_box()
    assert line
    assert await window.page.evaluate(ARROWS) == [[True, line["y"]]]
    await window.press("Escape")
    await window.paints()
    assert await window.page.evaluate(ARROWS) == []
    await window.page.set_viewport_size({"width": 1280, "height": 800})


async def test_a_rename_in_another_file(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """A hint names the file; Tab opens it there, and accepts what is drawn."""
    main = scene.project / "shop" / "main.py"
    main.parent.mkdir()
    main.write_text("import sys\n\nfrom prices import total\n\nprint(total([1]))\n")
    write_settings(scene.project, model)
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.go_to(4)
    await window.press("Home", *["Control+ArrowRight"] * 2, "Control+Backspace")
    await window.type("sum_of")
    await window.paints("Tab", "→ shop/main.py:3: total → sum_of · 1 more")
    await window.picture("next-edit-other-file")
    await window.press("Tab")
    await window.tab("main.py").wait_for()
    await window.paints("sum_of", "Tab", "1 more")
    await window.picture("next-edit-in-other-file")
    await window.press("Tab")
    await window.shows_line("from prices import sum_of")
    await window.paints("sum_of", "Tab")
    await window.press("Tab")
    await window.shows_line("print(sum_of([1]))")
    await window.paints()


async def test_a_model_is_asked(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """What it answers is drawn and taken like an edit of a rule."""
    reply = "H\n@@ prices.py\n-    return items[-1]\n+    return items[-1] or None\n"
    model.say(Script(otherwise=ScriptReply(text=reply)))
    more = {"redline.next_edit.model": "scripted", "redline.complete.enabled": False}
    write_settings(scene.project, model, more)
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.go_to(9)
    await window.press("End")
    # At once: an answer that comes between two keys would wait until the cursor leaves
    # the line.
    await window.page.keyboard.insert_text(" + 0")
    await window.paints("Tab", "↓ line 13", " or None")
    await window.picture("next-edit-model")
    await window.press("Tab")
    await window.paints(" or None", "Tab")
    await window.press("Tab")
    await window.shows_line("return items[-1] or None")
