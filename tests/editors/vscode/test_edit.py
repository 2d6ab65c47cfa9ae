"""An edit in VS Code: asked for, painted, taken or left."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, expect
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import (
    AFTER,
    BEFORE,
    BETTER,
    OTHER,
    TEXT,
    TOTAL,
    Scene,
    with_changes,
)
from tests.editors.vscode.conftest import OpenWindow, write_settings
from tests.editors.vscode.frames import count_bare, count_jumps, recorded
from tests.editors.vscode.window import WAIT_MS, Window

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITED = TEXT.replace(TOTAL, BETTER)


async def begin(window: Window, instruction: str = "begin at zero") -> None:
    """Ask for an edit of the first function."""
    await window.select(4, 5)
    await window.instruct(instruction)


async def test_edit_accepted(window: Window, model: ScriptedModel) -> None:
    """Select, type an instruction, see it, accept it; one undo takes it back."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await window.select(4, 5)
    await window.ask()
    await window.picture("instruction-box")
    await window.type("begin at zero")
    await window.press("Enter")
    await window.offer().wait_for()
    await window.marks(1)
    await window.shows(EDITED)
    await window.picture("offered")
    await window.accept()
    await window.marks(0)
    await window.shows(EDITED)
    assert model.tasks[0].instruction == "begin at zero"
    assert model.tasks[0].target == TOTAL
    await window.press("Control+z")
    await window.shows(TEXT)
    await window.press("Control+y")
    await window.shows(EDITED)


async def test_what_was_taken_for_granted(window: Window, model: ScriptedModel) -> None:
    """A vague instruction says what it leaves open, while it is typed and in the
    preview."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await window.select(4, 5)
    await window.ask()
    await window.type("make this better")
    assumed = "Taken for granted: Only `total` changes. Its behaviour stays the same."
    for sentence in assumed.split(". "):
        await window.box(sentence).wait_for()
    await window.picture("assumptions-typed")
    await window.press("Enter")
    offer = window.offer()
    await offer.wait_for()
    await expect(offer).to_contain_text("3 assumptions", timeout=WAIT_MS)
    await window.tooltip(offer, assumed)
    await window.picture("assumptions-offered")
    await window.accept()
    await window.shows(EDITED)


async def test_the_definition_and_earlier_instructions(
    window: Window, model: ScriptedModel
) -> None:
    """Without a selection the edit is about the definition; Up shows instructions."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await window.go_to(5)
    await window.ask()
    await window.box("Redline: edit total, lines 4 to 5").wait_for()
    await window.picture("definition")
    await window.type("begin at zero")
    await window.press("Enter")
    await window.offer().wait_for()
    assert model.tasks[0].target == TOTAL
    await window.reject()
    await window.shows(TEXT)
    await window.ask()
    await window.type("some")
    field = window.box("Redline").locator("input")
    await window.press("ArrowUp")
    await has_value(field, "begin at zero")
    await window.press("ArrowDown")
    await has_value(field, "some")


async def has_value(field: Locator, text: str) -> None:
    """Wait until a field has a text."""
    await expect(field).to_have_value(text, timeout=WAIT_MS)


async def test_edit_stopped_half_way(window: Window, model: ScriptedModel) -> None:
    """Escape stops it while it is written; the file is as it was, and nothing comes."""
    model.say(
        Script(otherwise=ScriptReply(chunks=(*OTHER.splitlines(True), "# more\n")))
    )
    hold = model.hold("begin at zero", after=2)
    await begin(window)
    await hold.reached()
    await window.offer("Redline is writing").wait_for()
    await window.shows_line("    return math.fsum(prices)")
    await window.picture("writing")
    await window.reject()
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await window.offer("Redline is writing").wait_for(state="hidden")
    await window.shows(TEXT)
    await window.marks(0)
    assert await window.page.locator(".tab.dirty").count() == 0


async def test_edit_rejected_and_brought_back(
    window: Window, model: ScriptedModel
) -> None:
    """The file is as it was, and no change of it waits to be saved."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await begin(window)
    await window.offer().wait_for()
    await window.shows(EDITED)
    await window.reject()
    await window.shows(TEXT)
    await window.offer().wait_for(state="hidden")
    assert await window.page.locator(".tab.dirty").count() == 0
    await window.command("Redline: Bring Back the Last Offer")
    await window.offer().wait_for()
    await window.marks(1)
    assert await window.page.get_by_text("Redline: Rejected.").count() == 0
    await window.shows(EDITED)
    await window.accept()
    await window.marks(0)
    await window.shows(EDITED)


async def test_redirect_while_it_writes(window: Window, model: ScriptedModel) -> None:
    """The same key asks for another instruction; what is accepted is the new one."""
    script = Script(
        rules=(
            ScriptRule(when=When(instruction="math"), reply=ScriptReply(text=OTHER)),
            ScriptRule(
                reply=ScriptReply(chunks=(*BETTER.splitlines(True), "# more\n"))
            ),
        )
    )
    model.say(script)
    hold = model.hold("begin at zero", after=2)
    await begin(window)
    await hold.reached()
    await window.shows_line("    return sum(prices, 0.0)")
    await window.press("Control+'")
    await window.box("Redline: redirect").wait_for()
    await window.type("use math instead")
    await window.picture("redirect")
    await window.press("Enter")
    hold.release()
    await window.offer().wait_for()
    await window.shows(TEXT.replace(TOTAL, OTHER))
    await window.accept()
    await window.marks(0)
    await window.shows(TEXT.replace(TOTAL, OTHER))


async def test_what_is_proposed_stays_until_a_follow_up_is_written(
    window: Window, model: ScriptedModel
) -> None:
    """No frame shows the old text or moves a line, until the new text comes."""
    math = ScriptRule(when=When(instruction="math"), reply=ScriptReply(text=OTHER))
    model.say(Script(rules=(math,), otherwise=ScriptReply(text=BETTER)))
    await begin(window)
    await window.offer().wait_for()
    await window.shows(EDITED)
    hold = model.hold("use math instead", after=0)
    await window.ask("Redline: follow up")
    await window.type("use math instead")
    async with recorded(window.page) as recording:
        await window.press("Enter")
        await hold.reached()
        await window.picture("follow-up-waits")
        await window.shows(EDITED)
        hold.release()
        await window.shows(TEXT.replace(TOTAL, OTHER))
        await window.offer().wait_for()
    lines = [each.text for frame in recording.frames for each in frame.lines]
    assert not [text for text in lines if text.split()[-1:] == ["sum(prices)"]]
    assert count_jumps(recording.frames) == 0
    assert count_bare(recording.frames, TEXT) == 0
    await window.reject()
    await window.offer().wait_for(state="hidden")


async def test_change_accepted_while_the_rest_is_written(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """A settled change is taken, and the model writes on; keys walk on."""
    model.say(Script(otherwise=ScriptReply(chunks=tuple(AFTER.splitlines(True)))))
    scene.file.write_text(BEFORE)
    await window.shows(BEFORE)
    hold = model.hold("improve it", after=10)
    await window.press("Control+a")
    await window.instruct("improve it")
    await hold.reached()
    await window.marks(2)
    await window.picture("two-changes")
    await window.press("F7", "Shift+Alt+y")
    await window.marks(1)
    hold.release()
    await window.offer("2 changes").wait_for()
    await window.marks(2)
    await window.shows(AFTER)
    # The cursor went on to the second one.
    await window.cursor_in_offer()
    await window.press("Shift+Alt+n")
    await window.marks(1)
    await window.shows(with_changes(2, 12))
    await window.press("Control+Home")
    await window.accept()
    await window.marks(0)
    await window.shows(with_changes(2, 12))
    await window.press("Control+z")
    await window.shows(BEFORE)


async def test_the_instruction_is_tried_out_while_it_is_typed(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """The preview follows; Escape leaves nothing; Enter takes what is there."""
    half, whole = ScriptRule(reply=ScriptReply(text=BETTER)), ScriptReply(text=OTHER)
    rule = ScriptRule(when=When(instruction="begin at zero, exactly"), reply=whole)
    model.say(Script(rules=(rule, half)))
    edit = {"redline.edit.live_pause_s": 0, "redline.edit.live_per_minute": 10_000}
    write_settings(scene.project, model, edit)
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.select(4, 5)
    await window.ask()
    await window.page.get_by_label("Live preview is off").click()
    await window.type("begin at zero")
    await window.shows(EDITED)
    await window.picture("live-instruction")
    await window.press("Escape")
    await window.shows(TEXT)
    await window.instruct("begin at zero")
    await window.shows(EDITED)
    await window.offer().wait_for()
    await window.reject()
    await window.shows(TEXT)
    await window.select(4, 5)
    await window.instruct("begin at zero, exactly")
    await window.shows(TEXT.replace(TOTAL, OTHER))
    await window.offer().wait_for()
    await window.accept()
    await window.marks(0)
    await window.shows(TEXT.replace(TOTAL, OTHER))


async def test_an_import_above_the_lines(window: Window, model: ScriptedModel) -> None:
    """It is a change of its own in the same offer, and undone with the rest."""
    code = "def total(prices):\n    return json.dumps(prices)\n"
    model.say(Script(otherwise=ScriptReply(text=f"import json\n\n\n{code}")))
    edited = f"import json\n{TEXT.replace(TOTAL, code)}"
    await window.select(4, 5)
    await window.instruct("as JSON")
    await window.offer(re.compile(r"^\W*2 changes")).wait_for()
    await window.marks(2)
    await window.shows(edited)
    await window.picture("import-above")
    await window.accept()
    await window.marks(0)
    await window.shows(edited)
    await window.press("Control+z")
    await window.shows(TEXT)


async def test_an_import_that_is_needless_now(
    window: Window, model: ScriptedModel
) -> None:
    """Its removal is a change of its own, which can be rejected alone, and is undone
    with the rest."""
    area = "def area(radius):\n    return math.pi * radius * radius\n"
    code = "def area(radius):\n    return 3.14159 * radius * radius\n"
    model.say(Script(otherwise=ScriptReply(text=code)))
    with_import = TEXT.replace(area, code)
    without = with_import.replace("import math\n\n", "")
    await window.select(8, 9)
    await window.instruct("use a number")
    await window.offer(re.compile(r"^\W*2 changes")).wait_for()
    await window.marks(1)
    await window.shows(without)
    await window.picture("import-removed")
    await window.accept()
    await window.marks(0)
    await window.shows(without)
    await window.press("Control+z")
    await window.shows(TEXT)
    await window.select(8, 9)
    await window.instruct("use a number")
    await window.offer(re.compile(r"^\W*2 changes")).wait_for()
    # The item counts what is proposed, and the keys are for what stands in the file.
    await window.shows(without)
    await window.press("Control+Home", "Shift+Alt+n")
    await window.offer(re.compile(r"^\W*1 change")).wait_for()
    await window.shows(with_import)
    await window.accept()
    await window.marks(0)
    await window.shows(with_import)


async def test_candidates_are_stepped_through(
    window: Window, model: ScriptedModel
) -> None:
    """The best is shown first; another is a key away; what is held back says why."""
    lazy = "def total(prices):\n    # ... rest of the code unchanged\n"
    first, second = (
        ScriptRule(when=When(nth=1), reply=ScriptReply(text=lazy)),
        When(nth=2),
    )
    script = Script(
        rules=(first, ScriptRule(when=second, reply=ScriptReply(text=BETTER))),
        otherwise=ScriptReply(text=OTHER),
    )
    model.say(script)
    await window.select(4, 5)
    await window.command("Redline: Edit with an Instruction, Several Candidates")
    await window.box("Redline: edit lines 4 to 5").wait_for()
    await window.type("improve it")
    await window.press("Enter")
    await window.offer("Candidate 1 of 3").wait_for()
    await window.marks(1)
    await window.picture("candidates")
    better, other = (TEXT.replace(TOTAL, each) for each in (BETTER, OTHER))
    shown = other if "math.fsum(prices)" in "".join(await window.lines()) else better
    await window.shows(shown)
    await window.press("Shift+Alt+j")
    await window.offer("Candidate 2 of 3").wait_for()
    await window.shows(better if shown == other else other)
    await window.press("Shift+Alt+j")
    await window.offer("Held: ").wait_for()
    await window.picture("held")
    await window.offer("Held: ").click()
    why = window.dialog("Redline holds this edit back")
    await why.wait_for()
    await window.picture("why-held")
    await window.press("Escape")
    await why.wait_for(state="hidden")
    await window.press("Shift+Alt+j")
    await window.offer("Candidate 1 of 3").wait_for()
    await window.shows(shown)
    await window.accept()
    await window.marks(0)
    await window.shows(shown)


async def test_compare(window: Window, scene: Scene, model: ScriptedModel) -> None:
    """The editor's own comparison shows the file before and after."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await begin(window)
    await window.offer().wait_for()
    await window.command("Redline: Compare the Changes Side by Side")
    await window.page.locator(".monaco-diff-editor .char-insert").first.wait_for()
    assert f"{scene.name}: as proposed by Redline" in await window.tab_names()
    buttons = window.page.locator(".editor-actions")
    await buttons.get_by_label("Accept All Changes").first.wait_for()
    # The comparison has its own.
    for name in ("Go to the Next Change", "Compare the Changes"):
        await expect(buttons.get_by_label(name)).to_have_count(0)
    await window.picture("compare")
    await window.command("Redline: Accept All Changes")
    await window.page.locator(".monaco-diff-editor").wait_for(state="detached")
    await window.shows(EDITED)
