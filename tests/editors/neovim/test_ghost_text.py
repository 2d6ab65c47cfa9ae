"""Completions in Neovim: shown as ghost text, typed along, accepted."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.scene import TEXT, Scene

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINE = "x = math.floor(total([1, 2]))"
TAB, DISMISS, BACKSPACE = "\t", "\x1d", "\x7f"


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


async def test_each_frame_shows_the_whole_line(
    open_it: Open, scene: Scene, model: ScriptedModel
) -> None:
    """While it is typed along, and while it is accepted, the text has no gap."""
    scene.use_model(model, completes=True)
    model.say(Script(otherwise=ScriptReply(text=LINE)))
    neovim = await open_it(options="{ default_keys = true }")
    await neovim.is_ready()
    terminal = neovim.terminal
    terminal.type("Gox = ")
    await terminal.shows(r"^x = math\.floor\(total\(\[1, 2\]\)\)")
    await neovim.record()
    for n_typed, key in enumerate("math.fl", start=1):
        terminal.type(key)
        await neovim.is_text(f"{TEXT}x = {'math.fl'[:n_typed]}\n")
    # Behind these keys, what is shown is the answer to a request of their own.
    await neovim.until("#vim.lsp.get_clients()[1].requests == 0")
    terminal.type(TAB)
    await neovim.is_text(f"{TEXT}{LINE}\n")
    shown = [
        [line for line in frame if line.startswith("x =")] for frame in neovim.frames
    ]
    assert len(shown) > len("math.fl")
    assert all(lines == [LINE] for lines in shown)


async def test_dismissed(open_it: Open, scene: Scene, model: ScriptedModel) -> None:
    """What was dismissed is not shown again, in no frame; another text is."""
    scene.use_model(model, completes=True)
    model.say(Script(otherwise=ScriptReply(text=LINE)))
    neovim = await open_it(options="{ default_keys = true }")
    await neovim.is_ready()
    terminal = neovim.terminal
    terminal.type("Gox = ")
    await terminal.shows(r"^x = math\.floor")
    terminal.type(DISMISS)
    await terminal.hides(r"math\.floor\(total\(\[1")
    await neovim.record()
    terminal.type(f"m{BACKSPACE}")
    model.say(Script(otherwise=ScriptReply(text="x = ceil(total)")))
    terminal.type("c")
    await terminal.shows(r"^x = ceil\(total\)")
    await neovim.is_text(f"{TEXT}x = c\n")
    assert not [line for frame in neovim.frames for line in frame if "[1, 2]" in line]
