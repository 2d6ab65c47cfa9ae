"""Completions in Helix, which has no ghost text: an item of its popup."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.helix.conftest import Open
from tests.editors.scene import TEXT, Scene

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINE = "y = math.floor(total([1, 2]))"


async def test_the_popup(open_it: Open, scene: Scene, model: ScriptedModel) -> None:
    """The rest of the line is an item, which is chosen and accepted."""
    scene.use_model(model, completes=True)
    model.say(Script(otherwise=ScriptReply(text=LINE)))
    helix = await open_it()
    terminal = helix.terminal
    terminal.type("geoy = ma")
    await terminal.shows(r"^\W*\d+\W+y = ma$")
    await helix.has_completion("math.floor(total([1, 2]))")
    terminal.type("\x0e")
    await terminal.shows(r"^\W*\d+\W+y = math\.floor\(total\(\[1, 2\]\)\)")
    helix.escape()
    await terminal.shows("NOR")
    # Helix indents the new line.
    await helix.saves(f"{TEXT}    {LINE}\n")
