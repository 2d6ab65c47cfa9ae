"""An edit in Emacs as overlays: shown, walked, accepted, rejected, compared."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.emacs.conftest import Open
from tests.editors.emacs.emacs import (
    CONTROL_A,
    CONTROL_C,
    CONTROL_D,
    CONTROL_E,
    CONTROL_K,
    CONTROL_N,
    CONTROL_Y,
    UNDO,
    Emacs,
)
from tests.editors.scene import BETTER, TEXT, TOTAL, Scene
from tests.editors.terminal import ENTER

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINES = [f"name_{i:02} = [{i}]\n" for i in range(20)]
CHANGED = [
    line.replace("[", "[0, ") if i in (2, 12) else line for i, line in enumerate(LINES)
]
ONE_LEFT = "".join([*LINES[:3], *CHANGED[3:]])


async def test_rejected_and_brought_back(emacs: Emacs, model: ScriptedModel) -> None:
    """Nothing was in the buffer; the model is not asked again."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await emacs.edit(4, 2, "begin at zero")
    await emacs.terminal.shows("C-c C-a to accept, C-c C-k to reject")
    emacs.terminal.type(f"{CONTROL_C}{CONTROL_K}")
    await emacs.terminal.hides(r"sum\(prices, 0")
    await emacs.terminal.shows("rejected; M-x redline-bring-back restores it")
    await emacs.has(TEXT)
    emacs.terminal.type(f"\x1bxredline-bring-back{ENTER}")
    await emacs.terminal.shows(r"sum\(prices, 0")
    await emacs.accept()
    await emacs.has(TEXT.replace(TOTAL, BETTER))
    assert len(model.tasks) == 1


async def test_changes_one_by_one(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Go to the next change, accept it, reject the other; colours tell them apart."""
    scene.file.write_text("".join(LINES))
    emacs = await open_it()
    terminal = emacs.terminal
    model.say(Script(otherwise=ScriptReply(chunks=tuple(CHANGED))))
    await emacs.edit(1, 20, "improve it")
    await terminal.shows(r"name_02 = \[2\]\n *name_02 = \[0, 2\]\n *name_03")
    await terminal.shows("Redline: 2 changes, C-c C-a to accept")
    plain = terminal.background("name_05")
    assert terminal.background("name_02 = [0") != plain
    assert terminal.background("name_02 = [2") != plain
    await emacs.go(1)
    terminal.type(f"{CONTROL_C}{CONTROL_N}{CONTROL_C}{CONTROL_N}")
    await terminal.shows(r"L13\b")
    await terminal.shows("change 2 of 2")
    terminal.type(f"{CONTROL_C}{CONTROL_Y}")
    await terminal.hides(r"name_12 = \[12\]")
    terminal.type(f"{CONTROL_C}{CONTROL_D}")
    await terminal.hides(r"name_02 = \[0")
    await emacs.has(ONE_LEFT)


async def test_what_was_taken_for_granted(emacs: Emacs, model: ScriptedModel) -> None:
    """A vague instruction runs, and the choices say what it left open."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await emacs.edit(4, 2, "make this better")
    await emacs.terminal.shows("C-c C-a to accept")
    await emacs.terminal.shows("Taken for granted: Only `total` changes. Its behaviour")
    await emacs.accept()
    await emacs.has(TEXT.replace(TOTAL, BETTER))


async def test_compared(emacs: Emacs, model: ScriptedModel) -> None:
    """Ediff shows the buffer beside the text as it would be, then all is as before."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    terminal = emacs.terminal
    both = r"return sum\(prices\)\n +return sum\(prices, 0.0\)"
    await emacs.edit(4, 2, "begin at zero")
    await terminal.shows(both)
    await terminal.shows("C-c C-a to accept")
    terminal.type(f"{CONTROL_C}{CONTROL_E}")
    await terminal.shows(r"\*redline: prices.py\*")
    await terminal.shows("Ediff Control Panel|diff -- of 1")
    await terminal.hides(both)
    terminal.type("qy")
    await terminal.hides("Ediff Control Panel|diff -- of 1")
    await terminal.hides(r"\*redline: prices.py\*")
    await terminal.shows(both)
    terminal.type(f"{CONTROL_C}{CONTROL_A}")
    await terminal.shows("Edit successful")
    await emacs.has(TEXT.replace(TOTAL, BETTER))


async def test_changes_out_of_sight(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """Where they begin is said, and a key leads there; point stays where it was."""
    lines = [f"name_{i:02} = [{i}]\n" for i in range(90)]
    changed = [*lines[:5], "name_05 = []\n", *lines[6:]]
    scene.file.write_text("".join(lines))
    emacs = await open_it()
    model.say(Script(otherwise=ScriptReply(text="".join(changed))))
    await emacs.edit(1, 90, "improve it")
    await emacs.terminal.shows("1 change from line 6, C-c C-a to accept")
    assert "name_05" not in emacs.terminal.text
    emacs.terminal.type(f"{CONTROL_C}{CONTROL_N}")
    await emacs.terminal.shows(r"name_05 = \[5\]\n *name_05 = \[\]")


async def test_the_definition_is_named(emacs: Emacs, model: ScriptedModel) -> None:
    """Without a region; the prompt completes a tier, and has a history."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await emacs.go(5)
    emacs.terminal.type(f"{CONTROL_C}e")
    await emacs.terminal.shows("^Edit total:")
    emacs.terminal.type("begin at zero #d\t")
    await emacs.terminal.shows("^Edit total: begin at zero #deep")
    emacs.terminal.type(ENTER)
    await emacs.accept()
    assert model.tasks[0].target == TOTAL
    assert model.tasks[0].instruction == "begin at zero"
    await emacs.go(5)
    emacs.terminal.type(f"{CONTROL_C}e")
    await emacs.terminal.shows("^Edit total: *$")
    emacs.terminal.type("\x1bp")
    await emacs.terminal.shows("^Edit total: begin at zero #deep")
    emacs.terminal.type("\x07")
    await emacs.has(TEXT.replace(TOTAL, BETTER))


@pytest.mark.parametrize(("typed", "tag"), [("#d", "#deep"), ("#th", "#thorough")])
async def test_what_is_named_writes(
    scene: Scene, open_it: Open, model: ScriptedModel, typed: str, tag: str
) -> None:
    """A tier or a model after `#` is completed and not sent itself; the mode line names
    the model that writes."""
    scene.use_model(model, deep="thorough")
    by_thorough = ScriptRule(
        when=When(model="thorough"), reply=ScriptReply(text=BETTER)
    )
    model.say(Script(rules=(by_thorough,)))
    hold = model.hold_model("thorough", after=1)
    emacs = await open_it()
    await emacs.go(5)
    emacs.terminal.type(f"{CONTROL_C}e")
    await emacs.terminal.shows("^Edit total:")
    emacs.terminal.type(f"begin at zero {typed}\t")
    await emacs.terminal.shows(f"^Edit total: begin at zero {tag}")
    await emacs.terminal.shows("^To thorough: about ")
    emacs.terminal.type(ENTER)
    await hold.reached()
    await emacs.terminal.shows(r"Edit\[thorough\]")
    hold.release()
    await emacs.accept()
    await emacs.has(TEXT.replace(TOTAL, BETTER))
    assert [task.instruction for task in model.tasks] == ["begin at zero"]


async def test_an_import_above_the_lines(emacs: Emacs, model: ScriptedModel) -> None:
    """It is a change of its own, undone with the rest, and can be rejected alone."""
    code = "def total(prices):\n    return json.dumps(prices)\n"
    model.say(Script(otherwise=ScriptReply(text=f"import json\n\n\n{code}")))
    edited = TEXT.replace(TOTAL, code)
    await emacs.edit(4, 2, "as JSON")
    await emacs.terminal.shows("2 changes, C-c C-a to accept")
    await emacs.terminal.shows("^  import json")
    await emacs.accept()
    await emacs.has(f"import json\n{edited}")
    emacs.terminal.type(UNDO)
    await emacs.terminal.hides("json")
    await emacs.has(TEXT)
    await emacs.edit(4, 2, "as JSON")
    await emacs.terminal.shows("2 changes, C-c C-a to accept")
    await emacs.go(1)
    emacs.terminal.type(f"{CONTROL_C}{CONTROL_D}")
    await emacs.terminal.hides("^  import json")
    emacs.terminal.type(f"{CONTROL_C}{CONTROL_A}")
    await emacs.terminal.hides(r"\(Python Edit")
    await emacs.has(edited)


async def test_an_import_that_is_needless_now(
    emacs: Emacs, model: ScriptedModel
) -> None:
    """Its removal is a change of its own, undone with the rest, and can be rejected
    alone."""
    area = "def area(radius):\n    return math.pi * radius * radius\n"
    code = "def area(radius):\n    return 3.14159 * radius * radius\n"
    model.say(Script(otherwise=ScriptReply(text=code)))
    edited = TEXT.replace(area, code)
    await emacs.edit(8, 2, "use a number")
    await emacs.terminal.shows("2 changes, C-c C-a to accept")
    await emacs.accept()
    await emacs.has(edited.replace("import math\n\n", ""))
    emacs.terminal.type(UNDO)
    await emacs.terminal.hides("3.14159")
    await emacs.has(TEXT)
    await emacs.edit(8, 2, "use a number")
    await emacs.terminal.shows("2 changes, C-c C-a to accept")
    await emacs.go(1)
    emacs.terminal.type(f"{CONTROL_C}{CONTROL_D}{CONTROL_C}{CONTROL_A}")
    await emacs.terminal.hides(r"\(Python Edit")
    await emacs.has(edited)


async def test_files_and_definitions_are_completed(
    scene: Scene, emacs: Emacs, model: ScriptedModel
) -> None:
    """`@` completes those that can be sent, never what the user excludes; the model is
    sent the text of those that are named."""
    (scene.project / "taxes.py").write_text("RATE = 0.19\n")
    (scene.project / "rounding rules.md").write_text("Half to even.\n")
    (scene.project / "secret.env").write_text("KEY=1\n")
    (scene.project / ".redlineignore").write_text("*.env\n")
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await emacs.go(5)
    emacs.terminal.type(f"{CONTROL_C}e")
    await emacs.terminal.shows("^Edit total:")
    typed = "^Edit total: like "
    emacs.terminal.type("like @tax\t")
    await emacs.terminal.shows(f"{typed}@taxes.py")
    emacs.terminal.type(" @roun\t")
    await emacs.terminal.shows(f'{typed}@taxes.py @"rounding rules.md"')
    emacs.terminal.type(" @are\t")
    instruction = 'like @taxes.py @"rounding rules.md" @prices.py#area'
    await emacs.terminal.shows(f"^Edit total: {instruction}")
    emacs.terminal.type(" @secret\t")
    await emacs.terminal.shows("No match")
    emacs.terminal.type("\x7f" * len(" @secret"))
    emacs.terminal.type(ENTER)
    await emacs.accept()
    assert model.tasks[0].instruction == instruction
    assert "RATE = 0.19" in str(model.prompts[0])
    assert "Half to even." in str(model.prompts[0])


async def test_a_file_without_a_last_line_end(
    scene: Scene, open_it: Open, model: ScriptedModel
) -> None:
    """The last line is painted and replaced like any other."""
    scene.file.write_text("a = 1\nb = 2")
    emacs = await open_it()
    model.say(Script(otherwise=ScriptReply(text="a = 1\nb = 3\nc = 4\n")))
    await emacs.go(1)
    emacs.terminal.type(f"\x00\x1b>{CONTROL_C}e")
    await emacs.terminal.shows("^Edit:")
    emacs.terminal.type(f"improve it{ENTER}")
    await emacs.terminal.shows(r"b = 2\n *b = 3\n *c = 4")
    await emacs.accept()
    await emacs.has("a = 1\nb = 3\nc = 4")
