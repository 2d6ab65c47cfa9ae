"""The server behind Neovim: dying, missing, without a model, with a wrong key."""

from __future__ import annotations

import pytest
from tests.e2e.redline_session import KEY
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import Neovim
from tests.editors.scene import BETTER, TEXT, TOTAL, Scene
from tests.editors.terminal import ENTER

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITED = TEXT.replace(TOTAL, BETTER)
SAYING = Script(otherwise=ScriptReply(text=BETTER))

KILL = """
local client = vim.lsp.get_clients({ name = 'redline' })[1]
for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
  local process = vim.api.nvim_get_proc(pid)
  if process and not process.name:find('nvim') then
    vim.uv.kill(pid, 'sigkill')
  end
end
return client.id
"""


async def test_server_killed_and_back(open_it: Open, model: ScriptedModel) -> None:
    """An edit that ran is gone, the text is as it was, and the next edit works."""
    neovim = await open_it(more="vim.opt.cmdheight = 5")
    await neovim.is_ready()
    model.say(SAYING)
    hold = model.hold("improve it", after=2)
    neovim.terminal.type(f":4,5Redline edit improve it{ENTER}")
    await hold.reached()
    old = await neovim.lua(KILL)
    await neovim.terminal.shows("was started again. Edits that were being written are")
    await neovim.until("vim.lsp.get_clients({ name = 'redline' })[1].id ~= ...", old)
    await neovim.is_ready()
    hold.release()
    await neovim.terminal.hides(", :Redline stop")
    assert await neovim.text() == TEXT
    neovim.terminal.type(f":4,5Redline edit begin at zero{ENTER}")
    await neovim.terminal.shows("redline: 1 change,")
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.is_text(EDITED)


async def test_a_server_that_dies_again_and_again_is_left_alone(
    open_it: Open,
) -> None:
    """After the bound a message says so; `:Redline restart` tries once more."""
    neovim = await open_it(options="{ restarts = 1 }", more="vim.opt.cmdheight = 5")
    await neovim.is_ready()
    old = await neovim.lua(KILL)
    await neovim.until(
        "(vim.lsp.get_clients({ name = 'redline' })[1] or { id = ... }).id ~= ...", old
    )
    await neovim.is_ready()
    await neovim.lua(KILL)
    await neovim.terminal.shows("keeps dying and is not restarted")
    await neovim.until("#vim.lsp.get_clients({ name = 'redline' }) == 0")
    neovim.terminal.type(f":Redline restart{ENTER}")
    await neovim.is_ready()


async def test_wrong_key_message(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """It says what is wrong and what to do, without the key; nothing is painted."""
    scene.use_model(model, key="E2E_WRONG_KEY")
    neovim = await open_it(more="vim.opt.cmdheight = 6")
    await neovim.is_ready()
    neovim.terminal.type(f":4,5Redline edit begin at zero{ENTER}")
    await neovim.terminal.shows("redline: .*key")
    await neovim.terminal.hides(", :Redline stop")
    assert KEY not in neovim.terminal.text
    assert await neovim.text() == TEXT


async def test_without_a_model(scene: Scene, open_it: Open) -> None:
    """The built-in rules engine does what it can; the status line says what it is."""
    (scene.home / "config" / "redline" / "config.toml").unlink()
    neovim = await open_it()
    await neovim.is_ready()
    await neovim.terminal.shows("redline no model")
    neovim.terminal.type(f":4,5Redline edit rename total to whole{ENTER}")
    await neovim.terminal.shows("redline: 1 change,")
    await neovim.terminal.shows("whole")
    neovim.terminal.type(f":Redline accept{ENTER}")
    await neovim.until('vim.api.nvim_buf_get_lines(0, 3, 4, true)[1]:find("def whole")')
    neovim.terminal.type(f":Redline status{ENTER}")
    await neovim.terminal.shows("- fast, standard, deep: rules")
    assert "no model 0" not in neovim.terminal.text


async def test_a_missing_program_is_named(open_it: Open) -> None:
    """The message says what is not there, and how to get it or name it."""
    neovim = await open_it(
        command="{ '/nowhere/redline', 'serve' }", more="vim.opt.cmdheight = 6"
    )
    await neovim.until("vim.v.vim_did_enter == 1")
    neovim.terminal.type(f":Redline edit begin at zero{ENTER}")
    await neovim.terminal.shows("the program '/nowhere/redline' is not there")
    await neovim.terminal.shows(":help redline-install")


async def test_inline_completions_only_where_the_server_has_them(
    neovim: Neovim,
) -> None:
    """They are on exactly if the server announces them."""
    announced = await neovim.lua(
        "return vim.lsp.get_clients({ name = 'redline' })[1]"
        ".server_capabilities.inlineCompletionProvider ~= nil"
    )
    enabled = await neovim.lua(
        "return vim.lsp.inline_completion.is_enabled({ bufnr = 0 })"
    )
    assert enabled == announced
