"""What can be named and attached in the box that asks for an instruction."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import Locator, expect
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import BETTER, TEXT, TOTAL, Scene, paused_servers
from tests.editors.vscode.code_server import CodeServer
from tests.editors.vscode.conftest import OpenWindow, editor_settings, write_settings
from tests.editors.vscode.window import WAIT_MS, Window

from redline.gateway.engines.script import Script, ScriptReply

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDITED = TEXT.replace(TOTAL, BETTER)


def row(window: Window, text: str) -> Locator:
    """A row below the instruction."""
    return window.box("Redline").locator(".monaco-list-row", has_text=text).first


async def is_active(window: Window, text: str) -> None:
    """Wait until a row is the one that Enter and Tab choose."""
    active = window.box("Redline").locator(".monaco-list-row.focused", has_text=text)
    await active.wait_for()


_WHOLE = """(text) => [
    ...document.querySelectorAll('.quick-input-widget .monaco-list-row')]
  .filter((row) => row.innerText.replaceAll('\\u00a0', ' ').includes(text))
  .map((row) => row.querySelector('.monaco-icon-label-container'))
  .some((label) => label.scrollWidth <= label.clientWidth)"""


async def is_whole(window: Window, text: str) -> None:
    """Wait until a row is there of which nothing is cut."""
    # VS Code shows the box before it has its width.
    await window.page.wait_for_function(_WHOLE, arg=text)


async def has_instruction(window: Window, text: str) -> None:
    """Wait until the box has a text."""
    field = window.box("Redline").locator("input")
    await expect(field).to_have_value(text, timeout=WAIT_MS)


def sent_with(model: ScriptedModel, text: str) -> list[str]:
    """The prompts that have a text; those of completions are sent beside them."""
    return [each for each in map(str, model.prompts) if text in each]


def add_files(project: Path) -> None:
    """Add files that can be named, and some that cannot."""
    (project / "docs").mkdir(exist_ok=True)
    (project / "docs" / "rounding rules.md").write_text("Round half to even.\n")
    (project / "rounding.py").write_text("DIGITS = 2\n")
    (project / "rounding.secret").write_text("hidden\n")
    (project / ".gitignore").write_text("*.secret\n")


async def test_a_file_is_completed(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """`@` lists files, never ignored ones; a key inserts one, and it is sent."""
    add_files(scene.project)
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await window.select(4, 5)
    await window.page.set_viewport_size({"width": 700, "height": 800})
    await window.ask()
    await is_whole(window, "@ adds a file, a function or an image, # a tier or a model")
    await is_whole(window, "/ adds a saved prompt, Up shows earlier instructions")
    await window.picture("box-narrow")
    await window.page.set_viewport_size({"width": 1280, "height": 800})
    await window.type("begin at zero as in @roun")
    await row(window, "rounding.py").wait_for()
    await row(window, "rounding rules.md").wait_for()
    # Files that no longer match what is typed.
    await row(window, scene.file.name).wait_for(state="hidden")
    await is_active(window, "rounding.py")
    assert await window.box().get_by_text("rounding.secret").count() == 0
    await window.picture("box-files")
    await window.press("ArrowDown", "Tab")
    instruction = 'begin at zero as in @"docs/rounding rules.md" '
    await has_instruction(window, instruction)
    await window.type("@rou")
    await is_active(window, "rounding.py")
    await window.press("Enter")
    instruction += "@rounding.py "
    await has_instruction(window, instruction)
    await row(window, "see the result").wait_for()
    await window.type("#fa")
    await row(window, "fast").wait_for()
    await window.picture("box-tiers")
    await window.press("Escape")
    await row(window, "see the result").wait_for()
    await window.press("s", "t")
    await has_instruction(window, f"{instruction}#fast")
    await window.press("Enter")
    await window.offer().wait_for()
    await window.shows(EDITED)
    (sent,) = sent_with(model, "begin at zero")
    assert "DIGITS = 2" in sent
    assert "Round half to even." in sent
    await window.reject()
    await window.shows(TEXT)


async def test_a_definition_is_completed(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """`@` lists those of open files, and of any file after `#`; it is sent alone."""
    add_files(scene.project)
    (scene.project / "tax.py").write_text(
        "class Tax:\n    def rate(self):\n        return 19\n\n\ndef other(): ...\n"
    )
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await window.select(4, 5)
    await window.ask()
    await window.type("begin at zero as in @area")
    await row(window, scene.file.name).wait_for()
    await is_active(window, "area")
    await window.picture("box-definitions")
    await window.press("Enter")
    instruction = f"begin at zero as in @{scene.file.name}#area "
    await has_instruction(window, instruction)
    await window.type("@tax.py#ra")
    await is_active(window, "Tax.rate")
    await window.press("Tab")
    await has_instruction(window, f"{instruction}@tax.py#Tax.rate ")
    await row(window, "see the result").wait_for()
    await window.press("Enter")
    await window.offer().wait_for()
    await window.shows(EDITED)
    (sent,) = sent_with(model, "begin at zero")
    assert "return 19" in sent
    assert "def other" not in sent
    await window.reject()
    await window.shows(TEXT)


async def test_what_is_assumed_and_sent_is_shown(
    window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """Before anything is sent: the model, the tokens, and what is taken for granted."""
    add_files(scene.project)
    await window.select(4, 5)
    await window.ask()
    await row(window, "To scripted: about ").wait_for()
    await window.type("improve this")
    await row(window, "Taken for granted: Only `total` changes.").wait_for()
    await row(window, "% of its window (range ").wait_for()
    await window.picture("box-assumed")
    await window.type(" as in @rounding.py now")
    await row(window, "files ").wait_for()
    await window.type(" and @gone.py now")
    await row(window, "@gone.py names no file of this workspace.").wait_for()
    await window.picture("box-no-file")
    assert model.prompts == []
    await window.leave_box()


@pytest.fixture
def prompts(code_server: CodeServer) -> Iterator[Path]:
    """The user's folder of saved prompts, which is not there; removed afterwards."""
    folder = code_server.folder / "home" / "config" / "redline" / "prompts"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def save_prompts(folder: Path) -> None:
    """Save two prompts."""
    folder.mkdir(parents=True)
    (folder / "zero.md").write_text("Begin at zero,\nand keep the names.\n")
    (folder / "types.md").write_text("Add type hints.\n")


async def test_a_saved_prompt(
    window: Window, model: ScriptedModel, prompts: Path
) -> None:
    """`/` lists those of the user, or says where they go; a key inserts one."""
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    await window.select(4, 5)
    await window.ask()
    await window.type("/")
    await row(window, "Save prompts as .md or .txt files in").wait_for()
    await window.picture("box-no-prompts")
    save_prompts(prompts)
    await window.type("ze")
    await is_active(window, "zero")
    await window.type("ro2 and more")
    await window.press("Enter")
    await row(window, "No saved prompt is named zero2").wait_for()
    await window.picture("box-unknown-prompt")
    await window.box("Redline").locator("input").fill("")
    await row(window, "see the result").wait_for()
    await window.type("/")
    await row(window, "Add type hints.").wait_for()
    await window.picture("box-prompts")
    await window.press("ArrowDown", "Tab")
    instruction = "Begin at zero, and keep the names. "
    await has_instruction(window, instruction)
    await window.type("No more.")
    await window.press("Enter")
    await window.offer().wait_for()
    await window.shows(EDITED)
    assert sent_with(model, f"{instruction}No more.")
    await window.reject()
    await window.shows(TEXT)


async def test_typing_while_prompts_are_read(
    window: Window, code_server: CodeServer, prompts: Path
) -> None:
    """What is typed before the server answers stays; the next Enter is about it."""
    save_prompts(prompts)
    await window.select(4, 5)
    await window.ask()
    await window.type("/zero")
    await is_active(window, "zero")
    await window.press("Escape")
    await row(window, "see the result").wait_for()
    with paused_servers(code_server.folder / "home"):
        await window.press("Enter")
        await row(window, "Reading your saved prompts").wait_for()
        await window.type(" No more.")
        await row(window, "Reading your saved prompts").wait_for(state="hidden")
    await has_instruction(window, "/zero No more.")
    await window.press("Enter")
    await has_instruction(window, "Begin at zero, and keep the names. No more.")
    await window.leave_box()


async def attach(window: Window, *names: str) -> None:
    """Attach images of the project by their names."""
    for name in names:
        await window.type(f" @{name}")
        await row(window, name).wait_for()
        await row(window, "(attach this image)").wait_for()
        await window.press("Tab")
        await row(window, f"{name} is attached").wait_for()


def draw(project: Path, *names: str) -> None:
    """Draw images."""
    for name in names:
        Image.new("RGB", (8, 4), (200, 30, 30)).save(project / name)


async def test_images(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """They are attached and removed by keys or by the mouse; the rest is sent."""
    draw(scene.project, "shot.png", "plan.jpg", "old.webp")
    settings = editor_settings(model)
    models = settings["redline.models"]
    assert isinstance(models, dict)
    sees = {"scripted": {**models["scripted"], "vision": True}}
    write_settings(scene.project, model, {"redline.models": sees})
    model.say(Script(otherwise=ScriptReply(text=BETTER)))
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    await window.select(4, 5)
    await window.ask()
    await window.type("begin at zero")
    await attach(window, "shot.png", "plan.jpg", "old.webp")
    await window.picture("box-images")
    await window.type(" @remove")
    await is_active(window, "Remove the image shot.png")
    await window.press("ArrowDown")
    await is_active(window, "Remove the image plan.jpg")
    await window.press("Enter")
    await row(window, "plan.jpg is attached").wait_for(state="hidden")
    await row(window, "old.webp is attached").hover()
    await window.page.get_by_label("Remove the image old.webp").click()
    await row(window, "old.webp is attached").wait_for(state="hidden")
    await row(window, "shot.png is attached").wait_for()
    await window.press("Enter")
    await window.offer().wait_for()
    await window.shows(EDITED)
    sent = sent_with(model, "begin at zero")
    assert sent
    assert {each.count("input_image") for each in sent} == {1}


async def test_an_image_is_picked_and_the_model_does_not_read_it(
    own_window: Window, scene: Scene, model: ScriptedModel
) -> None:
    """The reason is said, and the instruction and its image are there again."""
    window = own_window
    draw(scene.project, "picked.png")
    await window.select(4, 5)
    await window.ask()
    await window.type("make it look like this")
    await window.page.get_by_label("Attach an image…").click()
    dialog = window.box("Attach an image")
    await dialog.locator(".monaco-list-row", has_text="picked.png").wait_for()
    await window.picture("box-image-dialog")
    await dialog.locator(".monaco-list-row", has_text="picked.png").click()
    await row(window, "picked.png is attached").wait_for()
    await has_instruction(window, "make it look like this")
    await window.type("!")
    await has_instruction(window, "make it look like this!")
    await window.picture("box-image-picked")
    await window.press("Enter")
    await window.failure("does not read images").wait_for()
    await window.picture("box-image-refused")
    await window.shows(TEXT)
    assert model.prompts == []
    await window.ask()
    await has_instruction(window, "make it look like this!")
    await row(window, "picked.png is attached").wait_for()
    await window.leave_box()
