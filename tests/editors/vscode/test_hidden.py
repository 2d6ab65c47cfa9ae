"""What an editor does not show: changes out of sight, folded, and in other files."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import Scene
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

FOLDABLE = """\
def total(prices):
    found = 0.0
    for price in prices:
        if price > 0:
            found += price
    return found


def area(radius):
    return 3 * radius * radius
"""

UNFOLDED = FOLDABLE.replace("found += price", "found += round(price, 2)")


async def begin(window: Window) -> None:
    """Ask for an edit of the whole file."""
    await window.focus()
    await window.press("Control+a")
    await window.instruct("change it")
    await window.offer().wait_for()


async def test_a_change_in_a_folded_region(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """It is unfolded; what has no change stays folded."""
    scene.file.write_text(FOLDABLE)
    await window.shows(FOLDABLE)
    model.say(Script(otherwise=ScriptReply(text=UNFOLDED)))
    await window.command("Fold All")
    await window.shows("def total(prices):\n\n\ndef area(radius):\n")
    await begin(window)
    await window.shows(UNFOLDED[: UNFOLDED.index("    return 3")])
    await window.marks(1)
    await window.picture("unfolded")


async def test_the_first_change_comes_into_sight(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """As soon as it is painted; a key goes to it."""
    lines = [f"name_{number:03} = {number}\n" for number in range(200)]
    scene.file.write_text("".join(lines))
    await window.shows_line("name_000 = 0")
    lines[150] = "name_150 = changed\n"
    model.say(Script(otherwise=ScriptReply(text="".join(lines))))
    await window.select(1, 199)
    # The cursor goes to the begin of the lines.
    await window.instruct("change it")
    await window.offer("1 change").wait_for()
    await window.shows_line("name_150 = changed")
    await window.marks(1)
    await window.picture("first-change-in-sight")
    await window.press("F7")
    await window.cursor_in_offer()


async def test_a_key_leads_to_an_offer_in_another_file(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """The status bar says that it waits, and the key of the next change goes there."""
    scene.file.write_text(FOLDABLE)
    await window.shows(FOLDABLE)
    other = scene.project / f"other_{scene.name}"
    other.write_text("x = 1\n")
    model.say(Script(otherwise=ScriptReply(text=UNFOLDED)))
    await begin(window)
    await window.open_file(other)
    await window.shows("x = 1\n")
    await window.offer("1 change in another file").wait_for()
    await window.picture("offer-elsewhere")
    await window.press("F7")
    await window.shows(UNFOLDED)
    await window.cursor_in_offer()
    await window.offer("1 change").wait_for()
