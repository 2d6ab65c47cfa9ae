"""Completions in Emacs: shown, typed along, accepted in parts, chosen, dismissed."""

from __future__ import annotations

import pytest
import pytest_asyncio
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.emacs.conftest import Open
from tests.editors.emacs.emacs import CONTROL_A, CONTROL_E, Emacs
from tests.editors.scene import TEXT, Scene
from tests.editors.terminal import ENTER

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINE = "x = math.floor(total([1, 2]))"
NEXT = "y = total([x])"
META_F, META_N = "\x1bf", "\x1bn"
CONTROL_B, CONTROL_G, TAB, BACKSPACE, END = "\x02", "\x07", "\t", "\x7f", "\x1b>"


@pytest_asyncio.fixture(loop_scope="session")
async def emacs(open_it: Open, scene: Scene, model: ScriptedModel) -> Emacs:
    """An Emacs at the end of a file that is completed by a line, then another."""
    scene.use_model(model, completes=True)
    model.say(Script(otherwise=ScriptReply(text=f"{LINE}\n{NEXT}")))
    emacs = await open_it()
    await model.until(lambda: model.n_connected > 0)
    emacs.terminal.type(f"{END}x = ")
    await emacs.terminal.shows(r"^ *x = math\.floor\(total\(\[1, 2\]\)\)")
    return emacs


async def test_typed_along_and_accepted(emacs: Emacs, model: ScriptedModel) -> None:
    """It is no text of the buffer until it is accepted; the next line follows it."""
    await emacs.has(f"{TEXT}x = ")
    emacs.terminal.type("math")
    await emacs.has(f"{TEXT}x = math")
    await emacs.terminal.shows(r"^ *x = math\.floor\(total\(\[1, 2\]\)\)")
    emacs.terminal.type(TAB)
    await emacs.has(f"{TEXT}{LINE}")
    await emacs.terminal.shows(r"^ *y = total\(\[x\]\)")
    emacs.terminal.type(CONTROL_E)
    await emacs.has(f"{TEXT}{LINE}\n{NEXT}")
    assert model.n("create") == 1


async def test_a_word_and_a_line(emacs: Emacs) -> None:
    """The rest stays shown behind an accepted word."""
    emacs.terminal.type(META_F)
    await emacs.has(f"{TEXT}x = math")
    emacs.terminal.type(f"{META_F}{META_F}")
    await emacs.has(f"{TEXT}x = math.floor")
    await emacs.terminal.shows(r"^ *x = math\.floor\(total\(\[1, 2\]\)\)")
    emacs.terminal.type(CONTROL_E)
    await emacs.has(f"{TEXT}{LINE}")


async def test_dismissed_and_contradicted(emacs: Emacs, model: ScriptedModel) -> None:
    """What was dismissed is not shown again; then the keys are the editor's again."""
    emacs.terminal.type(CONTROL_G)
    await emacs.terminal.hides("math.floor")
    model.say(Script(otherwise=ScriptReply(text="x = max(first)")))
    emacs.terminal.type("ma")
    await emacs.terminal.shows(r"^ *x = max\(first")
    emacs.terminal.type("z")
    await emacs.terminal.hides("first")
    emacs.terminal.type(BACKSPACE)
    await emacs.terminal.shows(r"^ *x = max\(first")
    emacs.terminal.type(f"{CONTROL_G}{CONTROL_A}{CONTROL_E}!")
    await emacs.has(f"{TEXT}x = ma!")


async def test_chosen(emacs: Emacs, model: ScriptedModel) -> None:
    """On request there are several to choose from, between brackets as well."""
    emacs.terminal.type(f"{CONTROL_G}{3 * BACKSPACE}f(){CONTROL_B}")
    await emacs.has(f"{TEXT}xf()")
    model.say(Script(otherwise=ScriptReply(text="xf(first)")))
    emacs.terminal.type(f"\x1bxredline-complete-at-point{ENTER}")
    await emacs.terminal.shows("Redline: one completion")
    await emacs.terminal.shows(r"^ *xf\(first\) *\n")
    emacs.terminal.type(TAB)
    await emacs.has(f"{TEXT}xf(first)")
