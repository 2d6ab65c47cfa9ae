"""Tests that are run from Neovim: by `:Redline run` and by code lenses."""

from __future__ import annotations

import pytest
from tests.e2e.debug_session import FIX, debug_script
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.failing_test import FAILED, write_failing_test
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import Neovim
from tests.editors.scene import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUICKFIX = """
return vim.tbl_map(function(item)
  local path = vim.api.nvim_buf_get_name(item.bufnr)
  return { vim.fs.basename(path), item.lnum, item.text }
end, vim.fn.getqflist())
"""
HAS_LENS = """(function(title)
  for _, lens in ipairs(vim.lsp.codelens.get({ bufnr = 0 })) do
    local found = lens.lens or lens
    if found.command and found.command.title == title then
      return true
    end
  end
end)(...)"""


async def opened(open_it: Open, scene: Scene, model: ScriptedModel) -> Neovim:
    """Open the test of a project in which it fails."""
    model.say(debug_script())
    neovim = await open_it(where=write_failing_test(scene))
    await neovim.is_ready()
    return neovim


async def test_failing_tests_are_listed(
    open_it: Open, scene: Scene, model: ScriptedModel
) -> None:
    """At the cursor, then of the file with the fix: the list is empty again."""
    neovim = await opened(open_it, scene, model)
    await neovim.command("4")
    await neovim.command("Redline run")
    await neovim.terminal.shows(FAILED)
    assert await neovim.lua(QUICKFIX) == [
        ["test_price.py", 5, "AssertionError: assert 25.0 == 2.5"]
    ]
    await neovim.until("#vim.diagnostic.get(0) == 1")
    (scene.project / "shop" / "price.py").write_text(FIX)
    await neovim.command("Redline run file")
    await neovim.terminal.shows("Passed:")
    await neovim.until("#vim.diagnostic.get(0) == 0")
    assert await neovim.lua(QUICKFIX) == []
    await neovim.command("Redline run output")
    await neovim.terminal.shows("1 passed")


async def test_the_lenses_run_and_debug(
    open_it: Open, scene: Scene, model: ScriptedModel
) -> None:
    """By `vim.lsp.codelens`."""
    neovim = await opened(open_it, scene, model)
    await neovim.lua("vim.lsp.codelens.enable(true, { bufnr = 0 })")
    await neovim.until(HAS_LENS, "Run test")
    await neovim.command("4")
    await neovim.lua("vim.lsp.codelens.run()")
    await neovim.terminal.shows(FAILED)
    await neovim.until(HAS_LENS, "Debug failure")
