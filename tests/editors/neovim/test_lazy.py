"""Loaded late, as lazy.nvim documents it: https://lazy.folke.io/spec/lazy_loading.

lazy.nvim itself is not here. `MANAGER` does what it says of the plugin spec in our
documentation: the folder comes into 'runtimepath', its `plugin/` files are sourced,
`setup(opts)` of its only module is called, and what has triggered the loading is done
again. The plugin is the release, which has no other files than a user gets.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import PLUGIN, Neovim
from tests.editors.scene import BETTER, TEXT, TOTAL
from tests.editors.terminal import ENTER

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

CTRL_K = "\x0b"

REPOSITORY = PLUGIN.parents[1]

RELEASE = runpy.run_path(str(REPOSITORY / "publishing" / "neovim.py"))["release"]

SPEC = re.compile(r"^(\{.*\}) *-- lazy\.nvim", re.MULTILINE)

FIELDS = {
    "dir", "url", "name", "dev", "dependencies", "enabled", "cond", "priority", "lazy",
    "init", "opts", "config", "main", "build", "event", "cmd", "ft", "keys", "branch",
    "tag", "commit", "version", "pin", "submodules", "optional", "specs", "module",
    "import", "virtual",
}  # fmt: skip
"""What a spec may have: https://lazy.folke.io/spec."""

MANAGER = """
vim.o.statusline = ''
vim.opt.runtimepath:remove('{plugin}')
vim.g.redline = nil
spec = {spec}
spec.opts.next_edits = false
function load_redline()
  vim.opt.runtimepath:prepend(spec.dir)
  local files = vim.fn.glob(spec.dir .. '/plugin/**/*.{{vim,lua}}', false, true)
  for _, file in ipairs(files) do
    vim.cmd.source(file)
  end
  -- Its module is not named in the spec, so there must be exactly one.
  local all = {{ all = true, rtp = false, paths = {{ spec.dir }} }}
  local modules = vim.loader.find('*', all)
  assert(#modules == 1, vim.inspect(modules))
  require(modules[1].modname).setup(spec.opts)
end
function reload_redline()
  for name in pairs(package.loaded) do
    if name == 'redline' or vim.startswith(name, 'redline.') then
      package.loaded[name] = nil
    end
  end
  for name in vim.fs.dir(spec.dir .. '/plugin') do
    vim.g['loaded_' .. name:gsub('%..*', '')] = nil
  end
  load_redline()
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


AT_ONCE = "load_redline()"


@pytest.fixture
def manager(tmp_path: Path) -> str:
    """What the plugin manager does with the spec of our documentation."""
    folder = tmp_path / "redline.nvim"
    RELEASE(folder)
    guide = (REPOSITORY / "docs" / "how-to" / "neovim.md").read_text(encoding="utf-8")
    (spec,) = SPEC.findall(guide)
    here = spec.replace("~/redline.nvim", str(folder))
    assert str(folder) in here
    return MANAGER.format(plugin=PLUGIN, spec=here)


async def lands(neovim: Neovim) -> None:
    """Wait for an offer, and accept it by a key that `opts` has asked for."""
    await neovim.terminal.shows("1 change, <CR> to accept, <Esc> to reject")
    neovim.terminal.type(ENTER)
    await neovim.is_text(TEXT.replace(TOTAL, BETTER))


@pytest.mark.parametrize(
    "trigger", [AT_ONCE, VERY_LAZY, BY_FILETYPE], ids=["start", "event", "ft"]
)
async def test_loaded_by_an_event(
    open_it: Open, model: ScriptedModel, manager: str, trigger: str
) -> None:
    """The server attaches to the file that is open; the options count."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim = await open_it(more=manager + trigger)
    await neovim.is_ready()
    neovim.terminal.type(f"4GVj{CTRL_K}")
    await neovim.terminal.shows("╭ Edit ─")
    neovim.terminal.type(f"begin at zero{ENTER}")
    await lands(neovim)
    capabilities = "vim.lsp.get_clients({ name = 'redline' })[1].config.capabilities"
    is_asked = await neovim.lua(f"return {capabilities}.experimental.redline.nextEdit")
    assert is_asked is False


async def test_loaded_by_its_command(
    open_it: Open, model: ScriptedModel, manager: str
) -> None:
    """The command waits for the server that starts for it."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim = await open_it(more=manager + BY_COMMAND)
    await neovim.until("vim.bo.filetype == 'python'")
    await neovim.command("4,5Redline edit begin at zero")
    await lands(neovim)


async def test_loaded_by_its_key(
    open_it: Open, model: ScriptedModel, manager: str
) -> None:
    """The key is pressed again, and asks."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim = await open_it(more=manager + BY_KEY)
    await neovim.until("vim.bo.filetype == 'python'")
    neovim.terminal.type(f"4GVj{CTRL_K}")
    await neovim.terminal.shows("╭ Edit ─")
    neovim.terminal.type(f"begin at zero{ENTER}")
    await lands(neovim)


async def test_loaded_again(open_it: Open, model: ScriptedModel, manager: str) -> None:
    """By `:Lazy reload`: it works as before, and its server is still the only one."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim = await open_it(more=manager + AT_ONCE)
    await neovim.is_ready()
    await neovim.lua("reload_redline()")
    neovim.terminal.type(f"4GVj{CTRL_K}")
    await neovim.terminal.shows("╭ Edit ─")
    neovim.terminal.type(f"begin at zero{ENTER}")
    await lands(neovim)
    assert await neovim.lua("return #vim.lsp.get_clients({ name = 'redline' })") == 1


async def test_the_spec_has_only_documented_fields(open_it: Open, manager: str) -> None:
    """A misspelt one would be ignored without a word."""
    neovim = await open_it(more=manager)
    assert set(await neovim.lua("return vim.tbl_keys(spec)")) <= FIELDS
