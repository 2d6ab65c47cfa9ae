"""Emacs with Eglot: its code actions, and the commands of `redline.el`."""

from __future__ import annotations

import pytest
from PIL import Image
from tests.e2e.redline_session import KEY
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.emacs.conftest import Open
from tests.editors.emacs.emacs import CONTROL_C, CONTROL_K, UNDO, Emacs
from tests.editors.scene import BETTER, OTHER, TEXT, TOTAL, Scene, kill_server
from tests.editors.terminal import ENTER

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITED = TEXT.replace(TOTAL, BETTER)
SAYING = Script(otherwise=ScriptReply(text=BETTER))
BETTER_SHOWN = r"sum\(prices, 0\.0\)"


async def test_edit_accepted_and_undo_in_one_step(
    emacs: Emacs, model: ScriptedModel
) -> None:
    """An instruction on a region lands; one undo takes it back."""
    model.say(SAYING)
    await emacs.edit(4, 2, "begin at zero")
    await emacs.terminal.shows(r"return sum\(prices\)\n +return sum\(prices, 0.0\)")
    await emacs.has(TEXT)
    await emacs.accept()
    await emacs.has(EDITED)
    assert model.tasks[0].target == TOTAL
    emacs.terminal.type(UNDO)
    await emacs.terminal.hides(BETTER_SHOWN)
    await emacs.has(TEXT)


async def test_an_image(scene: Scene, emacs: Emacs, model: ScriptedModel) -> None:
    """Its file goes to the server, which knows that this model reads no images."""
    Image.new("RGB", (8, 4)).save(scene.project / "a shot.png")
    await emacs.go(4)
    emacs.terminal.type("\x1bx")
    emacs.terminal.type(f"redline-edit-by-image{ENTER}")
    await emacs.terminal.shows("^Image:")
    emacs.terminal.type(f"a\x11 shot.png{ENTER}")
    await emacs.terminal.shows("^Edit total:")
    emacs.terminal.type(f"like this{ENTER}")
    await emacs.terminal.shows("does not read images")
    assert model.tasks == []
    await emacs.has(TEXT)


async def test_what_is_assumed_and_sent_is_shown(
    emacs: Emacs, model: ScriptedModel
) -> None:
    """Below the instruction, before anything is sent; Enter sends it as it is."""
    model.say(SAYING)
    terminal = emacs.terminal
    await emacs.go(4)
    terminal.type(f"{CONTROL_C}e")
    await terminal.shows("^Edit total:")
    await terminal.shows("^To scripted: about ")
    terminal.type("improve this")
    await terminal.shows("^Taken for granted: Only `total` changes.")
    await terminal.shows("^Its behaviour stays the same.")
    terminal.type(" as in @gone.py")
    await terminal.shows("^@gone.py names no file of this workspace.")
    assert model.prompts == []
    terminal.type("\x7f" * len(" as in @gone.py"))
    await terminal.shows("^Taken for granted: Only `total` changes.")
    terminal.type(ENTER)
    await emacs.accept()
    await emacs.has(EDITED)
    assert [task.instruction for task in model.tasks] == ["improve this"]


async def test_edit_stopped_half_way(emacs: Emacs, model: ScriptedModel) -> None:
    """Emacs goes on while it is written; after a stop the text is as it was."""
    model.say(SAYING)
    hold = model.hold("begin at zero", after=2)
    await emacs.edit(4, 2, "begin at zero")
    await hold.reached()
    emacs.terminal.type(f"{CONTROL_C}s")
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await emacs.terminal.shows("Redline: Stopped")
    await emacs.has(TEXT)


async def test_edit_redirected(emacs: Emacs, model: ScriptedModel) -> None:
    """Another instruction while it is written; what it writes then lands."""
    rule = ScriptRule(when=When(instruction="exactly"), reply=ScriptReply(text=OTHER))
    model.say(Script(rules=(rule,), otherwise=ScriptReply(text=BETTER)))
    hold = model.hold("begin at zero", after=2)
    await emacs.edit(4, 2, "begin at zero")
    await hold.reached()
    await emacs.go(5)
    emacs.terminal.type(f"{CONTROL_C}r")
    await emacs.terminal.shows("^Instead:")
    emacs.terminal.type(f"add exactly{ENTER}")
    await emacs.terminal.shows(r"math\.fsum\(prices\)")
    hold.release()
    await emacs.accept()
    await emacs.has(TEXT.replace(TOTAL, OTHER))
    assert model.tasks[-1].earlier == "begin at zero"


async def test_code_action(emacs: Emacs, model: ScriptedModel) -> None:
    """One is chosen by its title, and shown before it is in the text; it is rejected,
    accepted and undone like any edit."""
    model.say(SAYING)
    await emacs.choose(5, "Simplify with Redline")
    await emacs.terminal.shows("1 change, C-c C-a to accept, C-c C-k to reject")
    await emacs.terminal.shows(rf"return sum\(prices\)\n +return {BETTER_SHOWN}")
    await emacs.has(TEXT)
    emacs.terminal.type(f"{CONTROL_C}{CONTROL_K}")
    await emacs.terminal.hides(BETTER_SHOWN)
    await emacs.choose(5, "Simplify with Redline")
    await emacs.accept()
    await emacs.has(EDITED)
    emacs.terminal.type(UNDO)
    await emacs.terminal.hides(BETTER_SHOWN)
    await emacs.has(TEXT)


async def test_code_action_stopped_half_way(emacs: Emacs, model: ScriptedModel) -> None:
    """The mode line names the model that writes; C-g stops it, and is as always
    afterwards."""
    model.say(SAYING)
    hold = model.hold_model("scripted", after=2)
    await emacs.choose(5, "Simplify with Redline")
    await hold.reached()
    await emacs.terminal.shows(r"Edit\[scripted\]")
    emacs.terminal.type("\x07")
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await emacs.terminal.shows("Redline: Stopped")
    await emacs.terminal.hides(r"Edit\[")
    emacs.terminal.type("\x07")
    await emacs.terminal.shows("^Quit")
    await emacs.has(TEXT)


async def test_tests_are_written_and_opened(emacs: Emacs, model: ScriptedModel) -> None:
    """By a code action; Emacs goes on meanwhile."""
    code = (
        "from prices import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
    )
    model.say(Script(otherwise=ScriptReply(text=code)))
    await emacs.choose(5, "Write tests")
    await emacs.terminal.shows(r"Proceed\? \(y or n\)")
    emacs.terminal.type("y")
    await emacs.terminal.shows("def test_total")
    await emacs.terminal.shows("test_prices.py")


async def test_instruction_comment(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """A `redline:` comment is done, and gone."""
    scene.file.write_text(TEXT.replace(TOTAL, f"# redline: begin at zero\n{TOTAL}"))
    emacs = await open_it()
    model.say(SAYING)
    await emacs.choose(4, "Do this with Redline: begin at zero")
    await emacs.accept()
    await emacs.has(EDITED)


async def test_progress_shown(emacs: Emacs, model: ScriptedModel) -> None:
    """While an edit is written the mode line says so."""
    model.say(SAYING)
    hold = model.hold("begin at zero", after=2)
    await emacs.edit(4, 2, "begin at zero")
    await hold.reached()
    await emacs.terminal.shows(r"\[eglot:project/\d+/\?%\]")
    hold.release()
    await emacs.terminal.shows(BETTER_SHOWN)


async def test_server_killed_and_back(
    scene: Scene, emacs: Emacs, model: ScriptedModel
) -> None:
    """Eglot starts it again by itself, and the next edit works."""
    model.say(SAYING)
    await model.until(lambda: model.n_connected > 0)
    kill_server(scene)
    await model.until(lambda: model.n_connected == 0)
    await model.until(lambda: model.n_connected > 0)
    await emacs.terminal.shows(r"\[eglot:")
    await emacs.edit(4, 2, "begin at zero")
    await emacs.accept()
    await emacs.has(EDITED)


async def test_wrong_key_message(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """It says what is wrong, without the key, and the text is as it was."""
    scene.use_model(model, key="E2E_WRONG_KEY")
    emacs = await open_it()
    await emacs.edit(4, 2, "begin at zero")
    await emacs.terminal.shows("Redline: .*key")
    assert KEY not in emacs.terminal.text
    await emacs.has(TEXT)


async def test_without_a_model(scene: Scene, open_it: Open) -> None:
    """The built-in rules engine does what it can."""
    (scene.home / "config" / "redline" / "config.toml").unlink()
    emacs = await open_it()
    await emacs.edit(4, 2, "rename total to whole")
    await emacs.terminal.shows("def whole")
