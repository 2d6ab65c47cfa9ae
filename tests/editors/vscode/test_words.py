"""What VS Code says about an edit, a failure and the settings, and where it says it."""

from __future__ import annotations

import pytest
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import BETTER, OTHER, TEXT, TOTAL, Scene
from tests.editors.vscode.conftest import OpenWindow, editor_settings, write_settings
from tests.editors.vscode.window import START_MS, Window

from redline.gateway.engines.script import Script, ScriptReply, ScriptRule, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

BAD = "def total(prices):\n    return sum(prices, strat)\n"
BROKEN = "def total(prices:\n    return sum(prices)\n"

NAMED = ("better", "best", "own-1.5")
"""Models beside the scripted one."""

# What a library or a protocol says, and no sentence for people has in it.
JARGON = ("[object", "codeAction", "-32", "Request ", "Code:", "Message:", "data:")


async def test_the_doctor_reads_what_the_window_has(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """Its folder and the editor's settings, in a page that nobody has to save."""
    (scene.project / "redline.toml").write_text("[edit]\nmax_lines = 0\n")
    write_settings(scene.project, model, {"redline.edit.candidates": 3})
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.command("Redline: Doctor")
    await window.shows_line("edit.candidates")
    assert "Redline Doctor" in await window.tab_names()
    await window.picture("doctor")
    # Lines are wrapped where they are long.
    text = "".join("".join(await window.lines()).split())
    assert f"{scene.project}/redline.toml" in text
    assert "edit.candidates3editor" in text
    assert f"models.scripted.url{model.url}editor" in text
    await window.focus()
    await window.type("x")
    await window.page.locator(".monaco-editor-overlaymessage").wait_for()
    assert await window.page.locator(".tab.dirty").count() == 0


async def test_the_last_prompt_is_for_reading(
    window: Window, model: ScriptedModel
) -> None:
    """A page that nobody has to save; a second look shows the newer prompt."""
    for instruction, text in (("begin at zero", BETTER), ("use math", OTHER)):
        model.say(Script(otherwise=ScriptReply(text=text)))
        await window.select(4, 5)
        await window.instruct(instruction)
        await window.offer().wait_for()
        await window.accept()
        await window.marks(0)
        await window.shows(TEXT.replace(TOTAL, text))
        await window.press("Control+s")
        await window.page.locator(".tab.dirty").wait_for(state="detached")
        await window.command("Redline: Show the Last Prompt")
        await window.tab("Redline's Last Prompt").wait_for()
        await window.shows_line("The last prompt")
        await window.goes_to_end(instruction)
        await window.picture("last-prompt")
        assert await window.page.locator(".tab.dirty").count() == 0
        await window.press("Control+w")
        await window.shows(TEXT.replace(TOTAL, text))


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (ScriptReply(text="I would rather talk about it."), "prose"),
        (ScriptReply(failed="server_error"), "Try again"),
        (ScriptReply(refusal="I cannot do that."), "I cannot do that"),
    ],
    ids=["prose", "failed", "refused"],
)
async def test_an_action_that_fails(
    window: Window, model: ScriptedModel, reply: ScriptReply, said: str
) -> None:
    """One message, in the server's own words."""
    model.say(Script(otherwise=reply))
    await window.select(4, 5)
    await window.code_action("Simplify with Redline")
    await window.failure(said).wait_for()
    # Before the picture: the message goes by itself after a while.
    (text,) = await window.failure("").all_inner_texts()
    await window.picture(f"action-failed-{'-'.join(said.lower().split())}")
    assert not [word for word in JARGON if word in text], text
    await window.shows(TEXT)


async def test_an_action_with_a_wrong_key(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """What can be done about it is a button, as with an edit of one's own."""
    write_settings(scene.project, model, key="E2E_WRONG_KEY")
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.select(4, 5)
    await window.code_action("Simplify with Redline")
    message = window.failure("key")
    await message.get_by_role("button", name="Set API Key…").wait_for()
    (text,) = await window.failure("").all_inner_texts()
    await window.picture("action-failed-key")
    assert not [word for word in JARGON if word in text], text


async def test_held_after_a_worse_repair(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """The item names the one problem of what is shown, and a click says all of it."""
    first = ScriptRule(when=When(nth=1), reply=ScriptReply(text=BAD))
    model.say(Script(rules=(first,), otherwise=ScriptReply(text=BROKEN)))
    write_settings(scene.project, model, {"redline.checks.repair": True})
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.select(4, 5)
    await window.instruct("begin at zero")
    await window.offer("Held: strat is not defined anywhere").wait_for()
    await window.shows_line(", strat")
    await window.paints_among("Held: strat is not defined anywhere · ")
    await window.picture("held-worse-repair")
    assert len(model.prompts) == 2
    await window.offer("Held: ").click()
    dialog = window.dialog("Redline holds this edit back")
    sentence = dialog.locator(".dialog-message-detail")
    for width in (1280, 700):
        await window.page.set_viewport_size({"width": width, "height": 800})
        await window.picture(f"why-held-worse-repair-{width}")
        said = await sentence.inner_text()
        assert said.startswith("`strat` is not defined anywhere"), said
        assert await sentence.evaluate("(it) => it.scrollWidth <= it.clientWidth")
    await dialog.get_by_role("button", name="Go to Line 5").click()
    await dialog.wait_for(state="hidden")


async def test_the_status_names_the_model_that_writes(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """While it writes and afterwards, whatever the fast tier is.

    `#deep` and the name of a model of no tier are completed, send the edit there, and
    are not sent.
    """
    settings = editor_settings(model)
    models = settings["redline.models"]
    assert isinstance(models, dict)
    named = {name: {**models["scripted"], "name": name} for name in NAMED}
    more = {
        "redline.models": {**models, **named},
        "redline.tiers.standard": "better",
        "redline.tiers.deep": "best",
        "redline.routing.fast_below": 0,
        "redline.routing.second_opinions": 0,
    }
    write_settings(scene.project, model, more)
    by_best = ScriptReply(chunks=(*OTHER.splitlines(True), "# more\n"))
    own_rules = [
        ScriptRule(when=When(model=name), reply=by_best) for name in ("best", "own-1.5")
    ]
    model.say(
        Script(
            rules=tuple(own_rules),
            otherwise=ScriptReply(chunks=(*BETTER.splitlines(True), "# more\n")),
        )
    )
    better, best, own = (model.hold_model(name, after=1) for name in NAMED)
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.select(4, 5)
    await window.instruct("begin at zero")
    await better.reached()
    await window.status("better").wait_for()
    await window.picture("status-other-tier-writing")
    better.release()
    await window.offer().wait_for()
    await window.status("tok/s").wait_for()
    await window.tooltip(window.status("better"), "first text")
    await window.picture("status-other-tier")
    assert "scripted" not in await window.status("tok/s").inner_text()
    await window.focus()
    await window.command("Redline: Reject All Changes")
    await window.shows(TEXT)
    await window.select(4, 5)
    for typed, listed, name, hold in (
        ("#de", "the model for what is hard", "best", best),
        ("#own-", "a model of your settings", "own-1.5", own),
    ):
        await window.ask()
        await window.type(f"use math {typed}")
        await window.box(listed).wait_for()
        await window.picture(f"box-{typed[1:]}")
        await window.press("Tab")
        await window.box(f"To {name}: about ").wait_for()
        await window.press("Enter")
        await hold.reached()
        await window.status(name).wait_for()
        hold.release()
        await window.offer().wait_for()
        await window.shows(TEXT.replace(TOTAL, f"{OTHER}# more\n"))
        await window.reject()
        await window.shows(TEXT)
        await window.select(4, 5)
    instructions = [task.instruction for task in model.tasks]
    assert instructions == ["begin at zero", "use math", "use math"]


async def test_the_progress_follows_a_redirect(
    window: Window, model: ScriptedModel
) -> None:
    """It shows the instruction that is carried out, not the first."""
    chunks = (*OTHER.splitlines(True), "# more\n")
    model.say(Script(otherwise=ScriptReply(chunks=chunks)))
    first = model.hold("begin at zero", after=1)
    second = model.hold("use math instead", after=1)
    await window.select(4, 5)
    await window.instruct("begin at zero")
    await first.reached()
    await window.progress("begin at zero").wait_for()
    await window.picture("progress")
    await window.press("Control+'")
    await window.box("Redline: redirect").wait_for()
    await window.box("Enter: stop and write this instead").wait_for()
    await window.type("use math instead")
    await window.press("Enter")
    await second.reached()
    await window.progress("use math instead").wait_for()
    await window.picture("progress-redirected")
    assert await window.progress("begin at zero").count() == 0
    first.release()
    second.release()
    await window.offer().wait_for()
    await window.progress("use math instead").wait_for(state="hidden")


async def test_the_walkthrough(own_window: Window, model: ScriptedModel) -> None:
    """Each step ticks once it is done, and not before; a sample is there to be edited.

    The server ran before VS Code first looked at the walkthrough's steps.
    """
    model.say(
        Script(otherwise=ScriptReply(text="def average(values):\n    return 0\n"))
    )
    window = own_window
    await window.command("Welcome: Open Walkthrough")
    await window.pick("Get started with Redline", "Get started with Redline")
    await window.step("server", is_done=True).wait_for(timeout=START_MS)
    # A click on the mark itself would tick it.
    await window.page.locator(".getting-started-step", has_text="Edit with").click()
    await window.step("edit", is_done=False).wait_for()
    await window.picture("walkthrough")
    await window.page.get_by_role("button", name="Edit a sample now").click()
    await window.tab("sample.py").wait_for()
    await window.box("Redline: edit lines 4 to 8").wait_for()
    await window.picture("walkthrough-sample")
    await window.leave_box()
    await window.tab("Welcome").click()
    await window.step("edit", is_done=False).wait_for()
    await window.step("choose", is_done=False).wait_for()
    await window.page.get_by_role("button", name="Edit a sample now").click()
    await window.box("Redline: edit lines 4 to 8").wait_for()
    await window.type("return zero")
    await window.press("Enter")
    await window.offer().wait_for()
    await window.accept()
    await window.offer().wait_for(state="hidden")
    await window.tab("Welcome").click()
    await window.step("edit", is_done=True).wait_for()
    await window.step("choose", is_done=True).wait_for()
    await window.status("scripted").click()
    await window.box("Redline").wait_for()
    await window.leave_box()
    await window.step("status", is_done=True).wait_for()
    await window.picture("walkthrough-done")
    await window.step("model", is_done=True).wait_for()


async def test_what_a_screen_reader_says(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """When an edit begins, what it proposes, why it is held, and how it ends."""
    bad = ScriptRule(when=When(instruction="badly"), reply=ScriptReply(text=BAD))
    model.say(Script(rules=(bad,), otherwise=ScriptReply(text=BETTER)))
    write_settings(scene.project, model, {"editor.accessibilitySupport": "on"})
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.select(4, 5)
    hold = model.hold("do it badly", after=1)
    await window.instruct("do it badly")
    await hold.reached()
    await window.message("Redline is writing.").wait_for()
    hold.release()
    await window.message("Redline holds the edit back: ").wait_for()
    await window.message("strat").wait_for()
    await window.picture("heard-held")
    await window.command("Redline: Reject All Changes")
    await window.message("Redline: the edit is rejected.").wait_for()
    await window.select(4, 5)
    await window.instruct("begin at zero")
    await window.message("Redline proposes 1 change.").wait_for()
    await window.picture("heard-offered")
    await window.command("Redline: Accept All Changes")
    await window.message("Redline: the edit is accepted.").wait_for()
    await window.shows(TEXT.replace(TOTAL, BETTER))
