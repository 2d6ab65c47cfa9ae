"""What an editor does not show, or shows elsewhere: folded regions, wrapped lines."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import Scene
from tests.editors.vscode.conftest import OpenWindow, write_settings
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

LONG = "description: " + "a word after another, and one more " * 5

WRAPPED = f"""\
first = 1
{LONG}
second = 2
{LONG}
third = 3
"""

REPLACED = f"""\
first = 1
NOTHING = of("that", is_left=True)
also("new")
second = 2
# {"What comes is longer than the window is wide, so that it does not fit. " * 3}
{LONG}
third = 3
"""


_LEFT_OF_ROWS = """() => [...document.querySelectorAll('.view-line span')]
  .map((span) => getComputedStyle(span, '::before'))
  .filter(({ content, position }) => content !== 'none' && position === 'absolute')
  .map(({ left }) => left)"""


async def begin(window: Window) -> None:
    """Ask for an edit of the whole file."""
    await window.focus()
    await window.press("Control+a")
    await window.instruct("change it")
    await window.lens("Accept").wait_for()


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
    await window.paints("round(", ", 2)")
    await window.picture("unfolded")
    await window.shows(FOLDABLE[: FOLDABLE.index("    return 3")])


async def test_cards_on_wrapped_lines(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """They stand inside the window, whole."""
    scene.file.write_text(WRAPPED)
    write_settings(
        scene.project,
        model,
        {"editor.wordWrap": "on", "redline.checks.off": ["syntax"]},
    )
    model.say(Script(otherwise=ScriptReply(text=REPLACED)))
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await begin(window)
    await window.picture("wrapped")
    painted = await window.painted()
    assert painted[:2] == ['NOTHING = of("that", is_left=True)', 'also("new")']
    assert [row[:2] for row in painted[2:]] == ["# ", "↪ ", "↪ "]
    assert await window.page.evaluate(_LEFT_OF_ROWS) == ["0px"] * 5
