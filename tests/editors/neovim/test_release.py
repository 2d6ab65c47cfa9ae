"""The release of the plugin, installed by Neovim's own plugin manager."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import PLUGIN

pytestmark = pytest.mark.asyncio(loop_scope="session")

RELEASE = runpy.run_path(str(PLUGIN.parents[1] / "publishing" / "neovim.py"))["release"]


async def test_installed_by_vim_pack(open_it: Open, tmp_path: Path) -> None:
    """By its tag from a git repository; `:checkhealth` finds nothing wrong."""
    folder = tmp_path / "redline.nvim"
    tag = RELEASE(folder)
    # In the place of the plugin from the working tree.
    more = f"""
    vim.o.statusline = ''
    vim.opt.packpath:prepend(vim.fn.stdpath('data') .. '/site')
    vim.opt.runtimepath:remove('{PLUGIN}')
    vim.pack.add({{ {{ src = 'file://{folder}', version = '{tag}' }} }},
      {{ confirm = false }})
    """
    neovim = await open_it(more=more)
    await neovim.is_ready()
    (loaded,) = await neovim.lua(
        "return vim.api.nvim_get_runtime_file('lua/redline/init.lua', true)"
    )
    assert str(PLUGIN) not in loaded
    await neovim.until("require('redline.status').of_buffer().connection == 'ready'")
    await neovim.command("checkhealth redline")
    await neovim.until("vim.bo.filetype == 'checkhealth'")
    report = await neovim.text()
    assert "OK server" in report
    assert [word for word in ("WARNING", "ERROR") if word in report] == []
    await neovim.command("help redline")
    await neovim.until("vim.bo.filetype == 'help'")
