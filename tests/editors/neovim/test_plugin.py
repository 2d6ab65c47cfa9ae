"""The plugin around the edits: status line, health, help, options, words."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import PLUGIN, Neovim
from tests.editors.scene import BETTER, Scene
from tests.editors.terminal import ENTER

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_status_line(neovim: Neovim, model: ScriptedModel) -> None:
    """The model, what it is doing, and how fast it was."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    hold = model.hold("improve it", after=2)
    terminal = neovim.terminal
    await terminal.shows("redline scripted$")
    terminal.type(f":4,5Redline edit improve it{ENTER}")
    await hold.reached()
    await terminal.shows("redline scripted writing$")
    hold.release()
    await terminal.shows("redline scripted 1 offered$")
    terminal.type(f":Redline reject{ENTER}")
    await terminal.shows(r"redline scripted \d+\.\d\ds( \d+/s)?$")
    terminal.type(f":Redline status{ENTER}")
    await terminal.shows("Connection: ready")


async def test_checkhealth(neovim: Neovim) -> None:
    """It names the version, the program, the server and its model."""
    await neovim.until("require('redline.status').of_buffer().connection == 'ready'")
    await neovim.command("checkhealth redline")
    await neovim.until("vim.bo.filetype == 'checkhealth'")
    report = await neovim.text()
    for part in (
        "OK Neovim",
        "OK server",
        "fast tier: scripted",
        "connection is ready",
    ):
        assert part in report
    assert "ERROR" not in report


async def test_checkhealth_finds_what_is_wrong(open_it: Open) -> None:
    """An unknown option, a value that does not fit, and a program that is missing."""
    neovim = await open_it(
        options="{ aply = 'end', apply = 'never' }",
        command="{ '/nowhere/redline', 'serve' }",
    )
    await neovim.until("vim.v.vim_did_enter == 1")
    await neovim.command("checkhealth redline")
    await neovim.until("vim.bo.filetype == 'checkhealth'")
    report = await neovim.text()
    assert "vim.g.redline.aply is not an option" in report
    assert 'vim.g.redline.apply cannot be "never", so it is "preview"' in report
    assert "the program '/nowhere/redline' is not there" in report


async def test_help(neovim: Neovim, scene: Scene) -> None:
    """`:help redline` opens, and names every word of `:Redline` and every `<Plug>`."""
    docs = scene.home / "docs" / "doc"
    docs.mkdir(parents=True)
    page = (PLUGIN / "doc" / "redline.txt").read_text()
    (docs / "redline.txt").write_text(page)
    await neovim.command(f"helptags {docs}")
    await neovim.command(f"set runtimepath+={docs.parent}")
    await neovim.command("help redline")
    await neovim.until("vim.bo.filetype == 'help'")
    words = await neovim.lua("return require('redline.commands').words()")
    assert [word for word in words if f"*:Redline-{word}*" not in page] == []
    maps = await neovim.lua(
        """
        local found = {}
        for _, mode in ipairs({ 'n', 'x' }) do
          for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
            if vim.startswith(map.lhs, '<Plug>(redline-') then
              table.insert(found, map.lhs)
            end
          end
        end
        return found
        """
    )
    assert len(maps) > 10
    assert [each for each in maps if f"*{each}*" not in page] == []


async def test_words_are_completed(neovim: Neovim) -> None:
    """And a word that is unknown is answered with those that are there."""
    completed = "return vim.fn.getcompletion(..., 'cmdline')"
    assert "redirect" in await neovim.lua(completed, "Redline ")
    assert await neovim.lua(completed, "Redline red") == ["redirect"]
    assert await neovim.lua(completed, "Redline accept ") == ["hunk"]


async def test_preview_keys_are_there_while_an_edit_is_shown(
    open_it: Open, model: ScriptedModel
) -> None:
    """Escape stops or rejects meanwhile; afterwards it is what it was."""
    neovim = await open_it(
        options="{ preview_keys = { stop = '<Esc>', accept = '<CR>' } }",
        more="vim.keymap.set('n', '<CR>', '<Cmd>let g:pressed = 1<CR>', {buffer = 1})",
    )
    await neovim.is_ready()
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    hold = model.hold("improve it", after=2)
    neovim.terminal.type(f":4,5Redline edit improve it{ENTER}")
    await hold.reached()
    await neovim.terminal.shows(r"redline: writing \(fast\), <Esc> to stop")
    neovim.terminal.type("\x1b")
    await neovim.terminal.hides("to stop")
    hold.release()
    neovim.terminal.type(f":4,5Redline edit begin at zero{ENTER}")
    await neovim.terminal.shows("redline: 1 change, <CR> to accept, <Esc> to reject")
    neovim.terminal.type(ENTER)
    await neovim.shows_hunks(0)
    await neovim.terminal.hides("to accept")
    assert BETTER in await neovim.text()
    neovim.terminal.type(ENTER)
    await neovim.until("vim.g.pressed == 1")


async def test_a_closed_buffer_is_forgotten(
    neovim: Neovim, model: ScriptedModel
) -> None:
    """Wiping a buffer with an open edit leaves nothing behind and no error."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim.terminal.type(f":4,5Redline edit begin at zero{ENTER}")
    await neovim.terminal.shows("redline: 1 change,")
    neovim.terminal.type(f":bwipeout!{ENTER}")
    await neovim.until("#require('redline.sessions').of_buffer(1) == 0")
    assert await neovim.lua("return vim.v.errmsg") == ""
