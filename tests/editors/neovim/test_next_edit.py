"""Next edits in Neovim: painted at their place, gone to, accepted, dismissed."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.scene import INVOICE, Scene
from tests.editors.terminal import ENTER, ESCAPE

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

TAB = "\t"


async def test_a_rename_place_by_place(open_it: Open, scene: Scene) -> None:
    """Painted near the cursor, led to further away, and hinted at out of sight."""
    scene.file.write_text(INVOICE)
    neovim = await open_it(options="{ default_keys = true }")
    await neovim.is_ready()
    terminal = neovim.terminal
    terminal.type(f"2Gwcwunit_price{ESCAPE}")
    await terminal.shows(r"\* priceunit_price for row in rows\)\s+Tab  2 more")
    assert terminal.background("unit_price for") != terminal.background("for row in")
    terminal.type(TAB)
    await terminal.shows(r"\* unit_price for row in rows\)\s+Tab  ↓ line 8 · 1 more")
    await terminal.shows(r"rows at \{priceunit_price\}")
    terminal.type(TAB)
    await terminal.shows(r"rows at \{priceunit_price\}\"\)\s+Tab  1 more")
    terminal.type(TAB)
    await terminal.shows(r"at \{unit_price\}\"\)\s+Tab  ↓ line 69: price → unit_price")
    # In Insert mode Tab indents before the text of another line; typing there hides it.
    terminal.type(f"7GI{TAB}")
    await terminal.shows(r"^\s+lines\.append\(\"\"\)$")
    await neovim.until("vim.api.nvim_get_current_line():find('^     ?%s') ~= nil")
    terminal.type(f"{ESCAPE}j")
    await terminal.shows(r"Tab  ↓ line 69: price → unit_price")
    terminal.type(TAB)
    await terminal.shows(r"round\(total / priceunit_price\)\s+Tab$")
    terminal.type(ESCAPE)
    await terminal.hides("priceunit_price")
    # Its keys are what they were before.
    assert await neovim.lua("return vim.fn.maparg('<Tab>', 'n')") == ""
    terminal.type(f":write{ENTER}")
    await neovim.until("not vim.bo.modified")
    assert scene.file.read_text().endswith("round(total / price)\n")


async def test_a_new_line(open_it: Open, scene: Scene) -> None:
    """It is shown as a line of its own, and taken by a key of the user's."""
    scene.file.write_text("def root(x):\n    return x\n")
    keys = "vim.keymap.set({ 'n', 'i' }, '<C-l>', '<Plug>(redline-next-edit)')"
    neovim = await open_it(more=keys)
    await neovim.is_ready()
    terminal = neovim.terminal
    terminal.type("2G$cwmath.sqrt(x)")
    await terminal.shows("^import math")
    terminal.type("\x0c")
    await neovim.until("vim.api.nvim_buf_get_lines(0, 0, 1, true)[1] == 'import math'")
    assert "math.sqrt(x)" in await neovim.text()


async def test_a_rename_in_another_file(open_it: Open, scene: Scene) -> None:
    """A hint names the file; Tab opens it there, and accepts what is painted."""
    main = scene.project / "shop" / "main.py"
    main.parent.mkdir()
    main.write_text("import sys\n\nfrom prices import total\n\nprint(total([1]))\n")
    neovim = await open_it(options="{ default_keys = true }")
    await neovim.is_ready()
    terminal = neovim.terminal
    terminal.type(f"4Gwcwsum_of{ESCAPE}")
    await terminal.shows(r"Tab  → shop/main.py:3: total → sum_of · 1 more")
    terminal.type(TAB)
    await terminal.shows(r"import totalsum_of\s+Tab  1 more")
    terminal.type(TAB)
    await terminal.shows(r"print\(totalsum_of\(\[1\]\)\)\s+Tab$")
    terminal.type(TAB)
    await neovim.until(
        "vim.api.nvim_buf_get_lines(0, 2, 5, true)[3] == 'print(sum_of([1]))'"
    )
    terminal.type(f":write{ENTER}")
    await neovim.until("not vim.bo.modified")
    assert "total" not in main.read_text()


async def test_a_model_is_asked(
    open_it: Open, scene: Scene, model: ScriptedModel
) -> None:
    """What it answers is painted and taken like an edit of a rule."""
    reply = "H\n@@ prices.py\n-    return items[-1]\n+    return items[-1] or None\n"
    model.say(Script(otherwise=ScriptReply(text=reply)))
    scene.use_model(model, next_edits="scripted")
    neovim = await open_it(options="{ default_keys = true }")
    await neovim.is_ready()
    terminal = neovim.terminal
    terminal.type(f"9GA + 0{ESCAPE}")
    await terminal.shows(r"return items\[-1\] or None")
    terminal.type(f"{TAB}{TAB}")
    await neovim.until(
        "vim.api.nvim_buf_get_lines(0, 12, 13, true)[1]"
        " == '    return items[-1] or None'"
    )
