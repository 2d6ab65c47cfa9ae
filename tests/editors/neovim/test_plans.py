"""Plans and debugging in Neovim, by `:Redline`."""

from __future__ import annotations

import pytest
from tests.e2e.debug_session import OUTPUT, debug_script, write_project
from tests.e2e.plan_session import plan_script, write_shop
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.neovim import Neovim
from tests.editors.scene import Scene
from tests.editors.terminal import ENTER

pytestmark = pytest.mark.asyncio(loop_scope="session")

HAS_LINE = """(function(path, line)
  local buffer = vim.fn.bufnr(path)
  return buffer > 0 and vim.api.nvim_buf_is_loaded(buffer)
    and vim.tbl_contains(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), line)
end)(...)"""


SAID = """
local _, n_times = vim.fn.execute('messages'):gsub(..., '')
return n_times
"""
"""How often a text was said."""


async def test_a_plan_is_written_run_and_applied(
    neovim: Neovim, model: ScriptedModel, scene: Scene
) -> None:
    """In its document, whose name has its first words and its id."""
    write_shop(scene.project)
    model.say(plan_script())
    await neovim.command("Redline plan Double the prices of a cart.")
    await neovim.terminal.shows("^# Plan")
    # One server has the plan, its document and the buffers that it changes.
    clients = "return #vim.lsp.get_clients({ name = 'redline' })"
    assert await neovim.lua(clients) == 1
    name = await neovim.lua("return vim.fs.basename(vim.api.nvim_buf_get_name(0))")
    assert name.startswith("double-the-prices-of-cart-")
    await neovim.command("Redline plan run")
    await neovim.terminal.shows("The plan is ready to be applied")
    neovim.terminal.type(ENTER)
    await neovim.command("Redline plan apply")
    for label in ("s1 Price", "s2 Cart"):
        await neovim.terminal.shows(label)
        neovim.terminal.type(ENTER)
    # Neovim lists what it has changed, and may ask for Enter before it goes on.
    await neovim.terminal.shows("The plan is applied")
    neovim.terminal.type(ENTER)
    cart = str(scene.project / "shop" / "cart.py")
    line = "        return sum(one.doubled() for one in self.prices)"
    await neovim.until(HAS_LINE, cart, line)
    assert await neovim.lua(SAID, "lan is applied") == 1
    await neovim.command("Redline plan back")
    for path in ("shop/cart.py", "shop/price.py"):
        await neovim.terminal.shows(f"Take back {path}")
        neovim.terminal.type(ENTER)
    await neovim.terminal.shows("The plan is taken back")
    neovim.terminal.type(ENTER)
    line = "        return sum(one.cents for one in self.prices)"
    await neovim.until(HAS_LINE, cart, line)


async def test_a_failure_in_a_buffer_is_debugged(
    neovim: Neovim, model: ScriptedModel, scene: Scene
) -> None:
    """The message has the cause."""
    write_project(scene.project)
    model.say(debug_script())
    lines = OUTPUT.splitlines()
    await neovim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", lines)
    await neovim.command("Redline debug")
    await neovim.terminal.shows("Cents are divided by 10")
