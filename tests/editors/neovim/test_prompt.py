"""The window in which an instruction is typed, and the default keys around it."""

from __future__ import annotations

import pytest
import pytest_asyncio
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.neovim.conftest import Open
from tests.editors.neovim.neovim import Neovim
from tests.editors.scene import BETTER, TEXT, TOTAL, Scene
from tests.editors.terminal import ENTER, ESCAPE

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

CTRL_K, CTRL_N, TAB, UP = "\x0b", "\x0e", "\t", "\x1b[A"
EDITED = TEXT.replace(TOTAL, BETTER)
TYPED = "vim.api.nvim_get_current_line() == ..."


@pytest_asyncio.fixture(loop_scope="session")
async def keyed(open_it: Open, model: ScriptedModel) -> Neovim:
    """A Neovim with the default keys."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim = await open_it(options="{ default_keys = true }")
    await neovim.is_ready()
    return neovim


async def ask(neovim: Neovim, instruction: str) -> None:
    """Ask for an edit of lines 4 and 5 by the default keys."""
    neovim.terminal.type(f"4GVj{CTRL_K}")
    await neovim.terminal.shows("╭ Edit ─")
    neovim.terminal.type(f"{instruction}{ENTER}")
    await neovim.terminal.shows("redline: 1 change, <CR> to accept, <Esc> to reject")


async def test_three_chords_ask_and_accept(keyed: Neovim) -> None:
    """Ctrl+K, Enter, Enter; one undo takes it back."""
    await ask(keyed, "begin at zero")
    keyed.terminal.type(ENTER)
    await keyed.is_text(EDITED)
    keyed.terminal.type("u")
    await keyed.is_text(TEXT)


@pytest.mark.parametrize("key", [ESCAPE, CTRL_N])
async def test_one_key_rejects(keyed: Neovim, model: ScriptedModel, key: str) -> None:
    """Escape alone, or the key for it; the offer counts as rejected."""
    await ask(keyed, "begin at zero")
    keyed.terminal.type(key)
    await keyed.shows_hunks(0)
    await keyed.terminal.hides("to accept")
    assert await keyed.text() == TEXT
    assert "no edit" not in keyed.terminal.text


async def test_ctrl_k_redirects_what_is_shown(
    keyed: Neovim, model: ScriptedModel
) -> None:
    await ask(keyed, "begin at zero")
    keyed.terminal.type(CTRL_K)
    await keyed.terminal.shows("╭ Instead ─")
    keyed.terminal.type(f"as a decimal{ENTER}")
    await model.until(lambda: len(model.tasks) == 2)
    assert model.tasks[-1].instruction == "as a decimal"


async def test_earlier_instructions_come_back(keyed: Neovim) -> None:
    """Up walks through them, and a prompt that was closed keeps its text."""
    await ask(keyed, "begin at zero")
    keyed.terminal.type(ESCAPE)
    await keyed.shows_hunks(0)
    await keyed.command("4,5Redline edit use a decimal")
    await keyed.terminal.shows("to accept")
    keyed.terminal.type(ESCAPE)
    await keyed.shows_hunks(0)
    keyed.terminal.type(f"V{CTRL_K}{UP}")
    await keyed.until(TYPED, "use a decimal")
    keyed.terminal.type(UP)
    await keyed.until(TYPED, "begin at zero")
    keyed.terminal.type(f"!{ESCAPE}")
    await keyed.terminal.hides("╭ Edit ─")
    keyed.terminal.type(f"V{CTRL_K}")
    await keyed.until(TYPED, "begin at zero!")


async def test_files_and_tiers_are_completed(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """`@` completes definitions and files, no ignored ones, and `#` the tiers."""
    (scene.project / "taxes.py").write_text("RATE = 0.19\n")
    (scene.project / "secret.env").write_text("KEY=1\n")
    (scene.project / ".gitignore").write_text("secret.env\n")
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    neovim = await open_it(options="{ default_keys = true }")
    await neovim.is_ready()
    neovim.terminal.type(f"4GV{CTRL_K}like @tax{TAB}")
    await neovim.until(TYPED, "like @taxes.py")
    neovim.terminal.type(f" #d{TAB}")
    await neovim.until(TYPED, "like @taxes.py #deep")
    neovim.terminal.type(f" @are{TAB}")
    await neovim.until(TYPED, "like @taxes.py #deep @prices.py#area")
    neovim.terminal.type(f" @secret{TAB}")
    await neovim.until(TYPED, "like @taxes.py #deep @prices.py#area @secret")
    neovim.terminal.type(ENTER)
    await neovim.terminal.shows("redline: ")


@pytest.mark.parametrize(("typed", "tag"), [("#d", "#deep"), ("#th", "#thorough")])
async def test_what_is_named_writes(
    scene: Scene, open_it: Open, model: ScriptedModel, typed: str, tag: str
) -> None:
    """A tier or a model after `#` is completed and not sent itself; the status line
    names the model that writes."""
    scene.use_model(model, deep="thorough")
    by_thorough = ScriptRule(
        when=When(model="thorough"), reply=ScriptReply(text=BETTER)
    )
    model.say(Script(rules=(by_thorough,)))
    hold = model.hold_model("thorough", after=1)
    neovim = await open_it(options="{ default_keys = true }")
    await neovim.is_ready()
    await neovim.terminal.shows("redline scripted")
    neovim.terminal.type(f"4GVj{CTRL_K}begin at zero {typed}{TAB}")
    await neovim.until(TYPED, f"begin at zero {tag}")
    await neovim.terminal.shows("To thorough: about ")
    neovim.terminal.type(ENTER)
    await hold.reached()
    await neovim.terminal.shows(r"redline: writing \(deep\)")
    await neovim.terminal.shows("redline thorough writing")
    hold.release()
    await neovim.terminal.shows("redline: 1 change, ")
    await neovim.terminal.shows("redline thorough ")
    assert [task.instruction for task in model.tasks] == ["begin at zero"]
    neovim.terminal.type(ENTER)
    await neovim.is_text(EDITED)


async def test_what_is_assumed_and_sent_is_shown(
    keyed: Neovim, model: ScriptedModel
) -> None:
    """Below the text, before anything is sent; the window grows for it."""
    terminal = keyed.terminal
    terminal.type(f"4GVj{CTRL_K}")
    await terminal.shows("To scripted: about ")
    terminal.type("improve this")
    await terminal.shows("Taken for granted: Only `total` changes.")
    await terminal.shows("Its behaviour stays the same.")
    await terminal.shows(r"% of its window \(range ")
    terminal.type(" as in @gone.py")
    await terminal.shows("@gone.py names no file of this workspace.")
    await terminal.hides("Taken for granted")
    assert model.prompts == []
    terminal.type(f"{ESCAPE}4GVj{CTRL_K}")
    await keyed.until(TYPED, "improve this as in @gone.py")
    await terminal.shows("@gone.py names no file of this workspace.")


async def test_the_first_change_comes_into_sight(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """After a long selection, the cursor goes to it; Ctrl+O leads back."""
    lines = [f"name_{i:03} = [{i}]\n" for i in range(200)]
    changed = [
        line.replace("[", "[0, ") if i == 20 else line for i, line in enumerate(lines)
    ]
    scene.file.write_text("".join(lines))
    model.say(Script(otherwise=ScriptReply(text="".join(changed[9:190]))))
    neovim = await open_it(options="{ default_keys = true }")
    await neovim.is_ready()
    neovim.terminal.type(f"10GV190G{CTRL_K}")
    await neovim.terminal.shows("╭ Edit ─")
    neovim.terminal.type(f"improve it{ENTER}")
    await neovim.terminal.shows(r"^name_020 = \[20\].*\nname_020 = \[0, 20\]")
    assert await neovim.lua("return vim.fn.line('.')") == 21
    neovim.terminal.type("\x0f")
    await neovim.until("vim.fn.line('.') == 190")


async def test_an_edit_without_a_selection_names_its_definition(
    keyed: Neovim, model: ScriptedModel
) -> None:
    """It is marked while the instruction is typed, and sent as a whole."""
    plain = keyed.terminal.background("def area")
    keyed.terminal.type(f"5G{CTRL_K}")
    await keyed.terminal.shows("╭ Edit total ─")
    assert keyed.terminal.background("def total") != plain
    keyed.terminal.type(f"begin at zero{ENTER}")
    await keyed.terminal.shows("redline: 1 change")
    assert model.tasks[0].target == TOTAL
    assert keyed.terminal.background("def total") == plain


async def test_a_rejected_offer_comes_back(keyed: Neovim, model: ScriptedModel) -> None:
    """Without asking the model again."""
    await ask(keyed, "begin at zero")
    keyed.terminal.type(ESCAPE)
    await keyed.shows_hunks(0)
    keyed.terminal.type(f":Redline offer{ENTER}")
    await keyed.terminal.shows("redline: 1 change, <CR> to accept")
    keyed.terminal.type(ENTER)
    await keyed.is_text(EDITED)
    assert len(model.tasks) == 1
