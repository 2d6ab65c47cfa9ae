"""Code actions in Neovim: the menu that `gra` opens, and what its entries do."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import Neovim
from tests.editors.scene import BETTER, TEXT, TOTAL, Scene
from tests.editors.terminal import ENTER

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITED = TEXT.replace(TOTAL, BETTER)
SAYING = Script(otherwise=ScriptReply(text=BETTER))


async def test_code_action(neovim: Neovim, model: ScriptedModel) -> None:
    """One is chosen from the menu, shown before it is in the text, rejected, accepted,
    and undone in one step."""
    model.say(SAYING)
    neovim.terminal.type("5G")
    await neovim.choose("Simplify")
    await neovim.terminal.shows("redline: 1 change,")
    await neovim.shows_hunks(1)
    assert await neovim.text() == TEXT
    await neovim.reject()
    await neovim.choose("Simplify")
    await neovim.terminal.shows("redline: 1 change,")
    await neovim.command("Redline accept")
    await neovim.is_text(EDITED)
    neovim.terminal.type("u")
    await neovim.is_text(TEXT)


async def test_instruction_comment(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """A `redline:` comment is done, and gone."""
    scene.file.write_text(TEXT.replace(TOTAL, f"# redline: begin at zero\n{TOTAL}"))
    neovim = await open_it()
    await neovim.is_ready()
    model.say(SAYING)
    neovim.terminal.type("4G")
    await neovim.choose("Do this with Redline: begin at zero")
    await neovim.terminal.shows("redline: 2 changes,")
    await neovim.command("Redline accept")
    await neovim.is_text(EDITED)
    assert model.tasks[0].instruction.startswith("begin at zero\n")


async def test_the_menu_stops_an_edit(neovim: Neovim, model: ScriptedModel) -> None:
    model.say(SAYING)
    hold = model.hold("improve it", after=2)
    neovim.terminal.type(f"5G:4,5Redline edit improve it{ENTER}")
    await hold.reached()
    await neovim.choose("Stop: improve it")
    await neovim.terminal.hides(", :Redline stop")
    hold.release()
    assert await neovim.text() == TEXT


async def test_the_menu_asks_for_another_instruction(
    neovim: Neovim, model: ScriptedModel
) -> None:
    """The server offers it to clients that can ask; Neovim asks by `vim.ui.input`."""
    model.say(SAYING)
    hold = model.hold("improve it", after=2)
    neovim.terminal.type(f"5G:4,5Redline edit improve it{ENTER}")
    await hold.reached()
    await neovim.choose("Redirect")
    await neovim.terminal.shows("╭ Instead ─")
    neovim.terminal.type(f"begin at zero{ENTER}")
    await neovim.terminal.shows("redline: 1 change,")
    hold.release()
    assert model.tasks[-1].instruction == "begin at zero"


async def test_an_explanation_is_shown(neovim: Neovim, model: ScriptedModel) -> None:
    """In a window at the cursor; the buffer stays as it is."""
    model.say(Script(otherwise=ScriptReply(text="It adds *all* prices.")))
    neovim.terminal.type(f":4,5Redline explain{ENTER}")
    await neovim.terminal.shows("It adds all prices|It adds \\*all\\* prices")
    assert await neovim.text() == TEXT


@pytest.mark.parametrize("by_menu", [False, True])
async def test_tests_are_written_and_opened(
    neovim: Neovim, model: ScriptedModel, scene: Scene, by_menu: bool
) -> None:
    model.say(
        Script(
            otherwise=ScriptReply(
                text="from prices import total\n\n\n"
                "def test_total():\n    assert total([1]) == 1\n"
            )
        )
    )
    if by_menu:
        neovim.terminal.type("5G")
        await neovim.choose("Write tests")
    else:
        neovim.terminal.type(f":4,5Redline tests{ENTER}")
    await neovim.terminal.shows("def test_total")
    name = await neovim.lua("return vim.api.nvim_buf_get_name(0)")
    assert name == str(scene.project / "test_prices.py") or "test_prices" in name


async def test_all_comments_are_one_edit(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """They are shown together, and gone."""
    head, *_ = TEXT.splitlines(keepends=True)
    text = f"# redline: say why\n{TEXT}".replace(
        TOTAL, f"# redline: begin at zero\n{TOTAL}"
    )
    scene.file.write_text(text)
    neovim = await open_it()
    await neovim.is_ready()
    reply = (
        f"<<<<<<< RANGE 1\n# Why.\n{head}>>>>>>> RANGE 1\n"
        f"<<<<<<< RANGE 2\n{BETTER}>>>>>>> RANGE 2\n"
    )
    model.say(Script(otherwise=ScriptReply(text=reply)))
    await neovim.command("Redline comments")
    await neovim.terminal.shows(r"redline: \d changes, :Redline accept or reject")
    await neovim.command("Redline accept")
    await neovim.is_text("# Why.\n" + EDITED)
    assert [task.instruction for task in model.tasks] == [
        "Range 1: say why\nRange 2: begin at zero"
    ]
