"""Loaded late, as lazy.nvim documents it: https://lazy.folke.io/spec/lazy_loading.

lazy.nvim itself is not here. `MANAGER` does what it says of a plugin with `opts`: the
folder comes into 'runtimepath', its `plugin/` files are sourced, `setup(opts)` is
called, and what has triggered the loading is done again.
"""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import PLUGIN, Neovim
from tests.editors.scene import BETTER, TEXT, TOTAL
from tests.editors.terminal import ENTER

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

CTRL_K = "\x0b"

MANAGER = f"""
vim.o.statusline = ''
vim.opt.runtimepath:remove('{PLUGIN}')
vim.g.redline = nil
function load_redline()
  vim.opt.runtimepath:prepend('{PLUGIN}')
  for _, file in ipairs(vim.fn.glob('{PLUGIN}/plugin/**/*.lua', false, true)) do
    vim.cmd.source(file)
  end
  require('redline').setup({{ default_keys = true, next_edits = false }})
end
"""

VERY_LAZY = """
vim.api.nvim_create_autocmd('UIEnter', {
  once = true,
  callback = function() vim.schedule(load_redline) end,
})
"""

BY_FILETYPE = """
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'python',
  once = true,
  callback = function(event)
    load_redline()
    vim.api.nvim_exec_autocmds('FileType', { buffer = event.buf, modeline = false })
  end,
})
"""

BY_COMMAND = """
vim.api.nvim_create_user_command('Redline', function(command)
  vim.api.nvim_del_user_command('Redline')
  load_redline()
  vim.cmd({ cmd = 'Redline', args = command.fargs, bang = command.bang,
    range = { command.line1, command.line2 } })
end, { range = true, bang = true, nargs = '*' })
"""

BY_KEY = """
vim.keymap.set({ 'n', 'x' }, '<C-k>', function()
  vim.keymap.del({ 'n', 'x' }, '<C-k>')
  load_redline()
  vim.api.nvim_feedkeys(vim.keycode('<Ignore><C-k>'), 'im', false)
end)
"""


async def lands(neovim: Neovim) -> None:
    """Wait for an offer, and accept it by a key that `opts` has asked for."""
    await neovim.terminal.shows("1 change, <CR> to accept, <Esc> to reject")
    neovim.terminal.type(ENTER)
    await neovim.is_text(TEXT.replace(TOTAL, BETTER))


@pytest.mark.parametrize("trigger", [VERY_LAZY, BY_FILETYPE], ids=["event", "ft"])
async def test_loaded_by_an_event(
    open_it: Open, model: ScriptedModel, trigger: str
) -> None:
    """The server attaches to the file that is open; the options count."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim = await open_it(more=MANAGER + trigger)
    await neovim.is_ready()
    neovim.terminal.type(f"4GVj{CTRL_K}")
    await neovim.terminal.shows("╭ Edit ─")
    neovim.terminal.type(f"begin at zero{ENTER}")
    await lands(neovim)
    capabilities = "vim.lsp.get_clients({ name = 'redline' })[1].config.capabilities"
    is_asked = await neovim.lua(f"return {capabilities}.experimental.redline.nextEdit")
    assert is_asked is False


async def test_loaded_by_its_command(open_it: Open, model: ScriptedModel) -> None:
    """The command waits for the server that starts for it."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim = await open_it(more=MANAGER + BY_COMMAND)
    await neovim.until("vim.bo.filetype == 'python'")
    await neovim.command("4,5Redline edit begin at zero")
    await lands(neovim)


async def test_loaded_by_its_key(open_it: Open, model: ScriptedModel) -> None:
    """The key is pressed again, and asks."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim = await open_it(more=MANAGER + BY_KEY)
    await neovim.until("vim.bo.filetype == 'python'")
    neovim.terminal.type(f"4GVj{CTRL_K}")
    await neovim.terminal.shows("╭ Edit ─")
    neovim.terminal.type(f"begin at zero{ENTER}")
    await lands(neovim)
