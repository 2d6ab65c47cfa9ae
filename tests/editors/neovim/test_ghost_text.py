"""Completions in Neovim: shown as ghost text, typed along, accepted."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.scene import TEXT, Scene

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINE = "x = math.floor(total([1, 2]))"
TAB = "\t"


async def test_ghost_text(open_it: Open, scene: Scene, model: ScriptedModel) -> None:
    """It is shown at the cursor, stays while it is typed along, and Tab accepts it."""
    scene.use_model(model, completes=True)
    model.say(Script(otherwise=ScriptReply(text=LINE)))
    neovim = await open_it(options="{ default_keys = true }")
    await neovim.is_ready()
    terminal = neovim.terminal
    terminal.type("Gox = ")
    await terminal.shows(r"^x = math\.floor\(total\(\[1, 2\]\)\)")
    assert await neovim.text() == f"{TEXT}x = \n"
    terminal.type("math")
    await neovim.is_text(f"{TEXT}x = math\n")
    await terminal.shows(r"^x = math\.floor\(total\(\[1, 2\]\)\)")
    terminal.type(TAB)
    await neovim.is_text(f"{TEXT}{LINE}\n")
    # Where nothing is shown, the key is a tab.
    terminal.type(f"\x1bggO{TAB}")
    await neovim.until("vim.api.nvim_get_current_line():find('^%s+$') ~= nil")
