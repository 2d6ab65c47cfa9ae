"""An edit in VS Code: asked for, painted, taken or left."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import BETTER, OTHER, TEXT, TOTAL
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Reply, Rule, Script, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITED = TEXT.replace(TOTAL, BETTER)


async def test_edit_accepted(window: Window, model: ScriptedModel) -> None:
    """Select, type an instruction, see it, accept it; one undo takes it back."""
    model.say(Script(otherwise=Reply(text=BETTER)))
    await window.select(4, 5)
    await window.ask()
    await window.picture("instruction-box")
    await window.type("begin at zero")
    await window.press("Enter")
    await window.lens("Accept").wait_for()
    await window.paints(", 0.0")
    await window.picture("offered")
    await window.shows(TEXT)
    await window.press("Control+Enter")
    await window.shows(EDITED)
    await window.paints()
    assert model.tasks[0].instruction == "begin at zero"
    assert model.tasks[0].target == TOTAL
    await window.press("Control+z")
    await window.shows(TEXT)
    await window.press("Control+y")
    await window.shows(EDITED)
