"""What is around an edit in VS Code: actions, the server's life, keys, trust."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import expect
from tests.e2e.redline_session import KEY
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import BETTER, TEXT, TOTAL, Scene
from tests.editors.vscode.conftest import OpenWindow, write_settings
from tests.editors.vscode.window import WAIT_MS, Window

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITED = TEXT.replace(TOTAL, BETTER)

FIXED_JSON = '{\n    "a": 1,\n    "b": 2,\n    "c": 3,\n    "d": 4\n}\n'

BROKEN_JSON = FIXED_JSON.replace('"a": 1', '"a": one').replace('"d": 4', '"d": four')


async def test_code_action(window: Window, model: ScriptedModel) -> None:
    """The light bulb offers actions; what one changes is proposed."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await window.select(4, 5)
    await window.code_action("Simplify with Redline")
    await window.offer().wait_for()
    await window.marks(1)
    await window.shows(EDITED)
    await window.reject()
    await window.shows(TEXT)


async def test_the_light_bulb_opens_the_box(
    window: Window, model: ScriptedModel
) -> None:
    """For what no other action does."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await window.select(4, 5)
    await window.code_action("Edit with an instruction…")
    await window.box().wait_for()
    await window.type("sum the prices")
    await window.press("Enter")
    await window.offer().wait_for()
    await window.reject()
    await window.shows(TEXT)
    (task,) = model.tasks
    assert task.instruction == "sum the prices"


async def test_all_problems_of_a_file(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """What fixes those that another server found is proposed, for the whole file."""
    scene = replace(scene, name="prices.json")
    scene.file.write_text(BROKEN_JSON)
    write_settings(scene.project, model)
    model.say(Script(otherwise=ScriptReply(text=FIXED_JSON)))
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.page.locator(".squiggly-error").nth(1).wait_for()
    await window.go_to(2)
    await window.press("End")
    await window.code_action("Fix all problems in the file with Redline")
    await window.offer("2 changes").wait_for()
    await window.shows(FIXED_JSON)
    # That server sees what is proposed.
    await window.page.locator(".squiggly-error").first.wait_for(state="hidden")
    await window.picture("all-fixed")
    assert scene.file.read_text() == BROKEN_JSON
    (task,) = model.tasks
    assert task.target == BROKEN_JSON
    await window.accept()
    await window.marks(0)
    await window.shows(FIXED_JSON)


async def test_a_code_action_is_stopped(window: Window, model: ScriptedModel) -> None:
    """Its title is the progress; Escape stops it, and the file is as it was."""
    model.say(
        Script(otherwise=ScriptReply(chunks=(*BETTER.splitlines(True), "# more\n")))
    )
    hold = model.hold_model("scripted", after=2)
    await window.select(4, 5)
    await window.code_action("Simplify with Redline")
    await hold.reached()
    await window.progress("Redline: Simplify").wait_for()
    # Escape stops it from now on; its progress may come before.
    await window.offer("Redline is writing").wait_for()
    await window.picture("action-runs")
    await window.reject()
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await window.offer("Redline is writing").wait_for(state="hidden")
    await window.shows(TEXT)


async def test_an_action_at_the_cursor_is_stopped(
    window: Window, model: ScriptedModel
) -> None:
    """Escape stops what the light bulb began without a selection."""
    model.say(
        Script(otherwise=ScriptReply(chunks=(*BETTER.splitlines(True), "# more\n")))
    )
    hold = model.hold_model("scripted", after=2)
    await window.go_to(5)
    await window.code_action("Simplify with Redline")
    await hold.reached()
    await window.offer("Redline is writing").wait_for()
    await window.press("Escape")
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await window.offer("Redline is writing").wait_for(state="hidden")
    await window.shows(TEXT)


async def test_explain(window: Window, model: ScriptedModel) -> None:
    """The explanation is a page beside the code, which stays in sight."""
    model.say(Script(otherwise=ScriptReply(text="It **adds** all prices.\n")))
    await window.select(4, 5)
    await window.code_action("Explain with Redline")
    await window.tab("explained").wait_for()
    outer = window.page.frame_locator("iframe.webview.ready")
    page = outer.frame_locator("iframe#active-frame")
    await page.get_by_text("It adds all prices.").wait_for()
    await window.shows_line("def total(prices):")
    await window.picture("explained")


@pytest.mark.parametrize("where", ["message", "file", "page"])
async def test_an_explanation_is_followed_and_stopped(
    window: Window, model: ScriptedModel, where: str
) -> None:
    """The page shows what is written so far; after a stop it keeps that. Its message
    stops it, and Escape, in the file and in the page."""
    parts = ("It **adds** all prices.\n\n", "Then it rounds.\n\n", "The end.\n")
    model.say(Script(otherwise=ScriptReply(chunks=parts)))
    hold = model.hold_model("scripted", after=1)
    await window.select(4, 5)
    await window.code_action("Explain with Redline")
    await hold.reached()
    await window.tab("explained").wait_for()
    outer = window.page.frame_locator("iframe.webview.ready")
    page = outer.frame_locator("iframe#active-frame")
    line = window.page.locator(".editor-instance .view-line", has_text="items[-1]")
    await page.get_by_text("It adds all prices.").wait_for()
    await window.picture("explaining")
    if where == "message":
        message = window.message("Redline: Explain")
        await message.get_by_role("button", name="Cancel").click()
    else:
        await (page.locator("body") if where == "page" else line).click()
        await window.press("Escape")
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await window.message("Redline: Explain").wait_for(state="hidden")
    await page.get_by_text("It adds all prices.").wait_for()
    assert await page.get_by_text("The end.").count() == 0


async def test_written_tests_are_opened(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """The file that they are in is shown."""
    tests = (
        f"from {scene.file.stem} import total\n\n\n"
        "def test_total():\n    assert total([]) == 0\n"
    )
    model.say(Script(otherwise=ScriptReply(text=tests)))
    await window.select(4, 5)
    await window.code_action("Write tests with Redline")
    await window.tab(f"test_{scene.name}").wait_for()
    await window.shows_line("def test_total():")


async def test_writing_tests_is_stopped(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """Escape stops it, and no file is there."""
    model.say(
        Script(otherwise=ScriptReply(chunks=("def test_total():\n", "    ...\n")))
    )
    hold = model.hold_model("scripted", after=1)
    await window.select(4, 5)
    await window.code_action("Write tests with Redline")
    await hold.reached()
    await window.message("Redline: Write tests").wait_for()
    await window.press("Escape")
    await model.until(lambda: model.n("stopped") == 1)
    hold.release()
    await window.message("Redline: Write tests").wait_for(state="hidden")
    await window.shows(TEXT)
    assert not (scene.project / "tests" / f"test_{scene.name}").exists()


async def test_instruction_comment(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """A comment says what to do, and the light bulb does it."""
    comment = "    # redline: begin at zero\n"
    asked = TEXT.replace("    return sum", f"{comment}    return sum")
    scene.file.write_text(asked)
    await window.shows(asked)
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await window.go_to(5)
    await window.code_action("begin at zero")
    await window.offer().wait_for()
    await window.shows(EDITED)
    await window.accept()
    await window.marks(0)
    await window.shows(EDITED)
    assert model.tasks[0].instruction.startswith("begin at zero")


async def test_wrong_key(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """One message says what is wrong and offers to set another key."""
    write_settings(scene.project, model, key="E2E_WRONG_KEY")
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.select(4, 5)
    await window.instruct("begin at zero")
    await window.message("key").wait_for()
    await window.picture("wrong-key")
    assert await window.page.locator(".notification-toast").count() == 1
    await window.shows(TEXT)
    await window.page.get_by_role("button", name="Set API Key…").click()
    await window.box("Which API key?").wait_for()
    await window.picture("which-key")
    await window.leave_box()


async def test_no_key(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """A key that is nowhere can be set from the message, too."""
    write_settings(scene.project, model, key="MY_OWN_KEY")
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.select(4, 5)
    await window.instruct("begin at zero")
    message = window.message("MY_OWN_KEY is not set")
    await message.get_by_role("button", name="Set API Key…").wait_for()
    await window.shows(TEXT)
    # What was typed is there for the next try.
    await window.focus()
    await window.ask()
    field = window.box("Redline").locator("input")
    await expect(field).to_have_value("begin at zero", timeout=WAIT_MS)


async def test_what_the_rules_cannot_do(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """Without a model the message says what they can, and offers to set a key."""
    (scene.home / "config" / "redline" / "config.toml").unlink()
    window = await open_window(scene.project, scene.file)
    await window.status("no model").wait_for()
    await window.focus()
    await window.select(4, 5)
    await window.instruct("make it faster")
    message = window.message("Configure a model for anything else")
    await message.get_by_role("button", name="Set API Key…").wait_for()
    await window.picture("rules-cannot")
    await window.command("Redline: Plan a Change over Several Files")
    await window.box("plan a change").wait_for()
    await window.type("rename total")
    await window.press("Enter")
    message = window.failure("A plan needs a model")
    await message.get_by_role("button", name="Set API Key…").wait_for()
    await window.tooltip(window.status("no model"), "deep tiers")
    await window.picture("rules-status")


async def test_a_key_of_the_secret_store(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """It is asked for hidden, and reaches the server as an environment variable."""
    write_settings(scene.project, model, key="MY_OWN_KEY")
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.command("Redline: Set an API Key")
    await window.box("Which API key?").wait_for()
    await window.type("MY_OWN_KEY")
    await window.press("Enter")
    await window.box("API key MY_OWN_KEY").wait_for()
    box = window.box().locator("input")
    assert await box.get_attribute("type") == "password"
    await window.type(KEY)
    await window.press("Enter")
    await model.until(lambda: model.n_connected > 0)
    await window.ready()
    await window.focus()
    await window.select(4, 5)
    await window.instruct("begin at zero")
    await window.offer().wait_for()
    for file in (scene.project / ".vscode").iterdir():
        assert KEY not in file.read_text()


async def test_the_server_is_killed_and_back(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """A change that was not finished is gone, and the next edit works."""
    model.say(
        Script(otherwise=ScriptReply(chunks=(*BETTER.splitlines(True), "# more\n")))
    )
    hold = model.hold("begin at zero", after=2)
    await window.select(4, 5)
    await window.instruct("begin at zero")
    await hold.reached()
    await window.offer("Redline is writing").wait_for()
    n_before = model.n("opened")
    kill_server(scene.project)
    await window.message("The file is as it was").wait_for()
    await window.picture("server-killed")
    await window.shows(TEXT)
    await window.offer().wait_for(state="hidden")
    hold.release()
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await model.until(lambda: model.n("opened") > n_before)
    await window.ready()
    await window.select(4, 5)
    await window.instruct("again")
    await window.offer().wait_for()
    await window.accept()
    await window.marks(0)
    await window.shows(EDITED)


async def test_the_server_is_killed_beside_an_offer(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """What was offered waits on, and the next server takes the answer."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await window.select(4, 5)
    await window.instruct("begin at zero")
    await window.offer().wait_for()
    await window.shows(EDITED)
    n_before = model.n("opened")
    kill_server(scene.project)
    await model.until(lambda: model.n("opened") > n_before)
    await window.ready()
    await window.offer("1 change").wait_for()
    await window.marks(1)
    await window.shows(EDITED)
    await window.reject()
    await window.shows(TEXT)
    await window.offer().wait_for(state="hidden")


async def test_status_bar_and_menu(window: Window, model: ScriptedModel) -> None:
    """It shows the model and the pace; a click offers what can be done."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await window.select(4, 5)
    await window.instruct("begin at zero")
    await window.offer().wait_for()
    await window.status("tok/s").wait_for()
    await window.tooltip(window.status("scripted"), "first text")
    await window.picture("status")
    await window.status("scripted").click()
    for entry in ("Stop", "Restart", "Show the log", "Doctor", "Show the last prompt"):
        await window.box("Redline").get_by_text(entry, exact=True).wait_for()
    await window.picture("menu")
    # Enter alone stops the edit; what ends the server is the last entry.
    entries = window.box("Redline").locator(".monaco-list-row")
    assert "Stop" in await entries.first.inner_text()
    assert "Restart" in await entries.last.inner_text()
    await window.type("last prompt")
    await window.press("Enter")
    page = window.page.locator(
        ".editor-instance .view-line", has_text="The last prompt"
    )
    await page.wait_for()
    await window.picture("last-prompt")


async def test_completions_are_turned_off_for_a_language(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """From the menu; the workspace's setting changes if it has one."""
    more = {"redline.complete.enabled": True, "redline.complete.off": ["markdown"]}
    write_settings(scene.project, model, more)
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.command("Redline: Turn Completions and Next Edits On or Off…")
    box = window.box("Redline: completions and next edits")
    await box.get_by_text("Pause completions for an hour").wait_for()
    await window.picture("completions")
    await window.pick("off for", "Turn completions off for python")
    await box.wait_for(state="hidden")
    await window.open_file(scene.project / ".vscode" / "settings.json")
    await window.shows_line('"python"')


async def test_doctor(window: Window) -> None:
    """It says what is configured, in a page."""
    await window.command("Redline: Doctor")
    line = window.page.locator(".editor-instance .view-line", has_text="Redline")
    await line.first.wait_for()
    await window.picture("doctor")


def kill_server(project: Path) -> None:
    """Kill the Redline server of a window, which works in the folder of its project."""
    killed = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            folder = (process / "cwd").readlink()
        except OSError:
            continue
        if b"serve" in words and b"--stdio" in words and folder == project:
            os.kill(int(process.name), signal.SIGKILL)
            killed += 1
    assert killed == 1
