"""Tests that are run from VS Code, and what follows: marks, a debug, its plan."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from tests.e2e.debug_session import OUTPUT, debug_script
from tests.e2e.plan_session import plan_settings
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.failing_test import FAILED, PATH, write_failing_test
from tests.editors.scene import Scene
from tests.editors.vscode.code_server import CodeServer
from tests.editors.vscode.conftest import OpenWindow, as_flat
from tests.editors.vscode.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")


OpenProject = Callable[..., Awaitable[Window]]


@pytest.fixture
def open_project(
    open_window: OpenWindow,
    code_server: CodeServer,
    scene: Scene,
    model: ScriptedModel,
) -> Iterator[OpenProject]:
    """Open a window of a project that the user trusts, with a test that fails."""
    model.say(debug_script())
    config = code_server.folder / "home" / "config" / "redline" / "config.toml"
    write_failing_test(scene, config)
    folder = scene.project / ".vscode"
    folder.mkdir()
    settings = as_flat(plan_settings(model, scene.home / "plans.sqlite3"))
    # Else a terminal is drawn, and its text is not in the page.
    settings["terminal.integrated.gpuAcceleration"] = "off"
    (folder / "settings.json").write_text(json.dumps(settings))

    async def open_project(file: Path) -> Window:
        window = await open_window(scene.project, scene.project / file)
        await window.status("fast").wait_for()
        await window.focus()
        return window

    yield open_project
    config.unlink()


async def test_a_failing_test_is_marked_and_debugged(open_project: OpenProject) -> None:
    """By the lenses; the fix waits in the tree of plans, proved green."""
    window = await open_project(Path(PATH))
    await window.lens("Run test").click()
    failed = window.message(FAILED)
    await failed.wait_for()
    await window.page.locator(".squiggly-error").first.wait_for()
    await window.lens("Debug failure").wait_for()
    await window.picture("test-failed")
    await failed.get_by_role("button", name="Show Output").click()
    await window.page.locator(".output-view", has_text="1 failed").first.wait_for()
    await window.lens("Debug failure").click()
    ready = window.message("the debug is ready to be applied. Cents are divided by 10.")
    await ready.wait_for()
    await window.command("Focus on Plans View")
    tree = window.page.locator(".pane", has_text="Plans")
    await tree.get_by_text("s1 euros").wait_for()
    await window.picture("test-debugged")
    # A click goes to the step in the document.
    await tree.get_by_text("s1 euros").click()
    await window.shows_line("## s1")
    await window.lens("Run this step (checked)").wait_for()
    await window.picture("plan-tree")
    await ready.get_by_role("button", name="Apply").click()
    await tree.get_by_text("applied").first.wait_for()
    await window.open_file(Path("shop/price.py"))
    await window.shows_line("cents / 100")


async def test_a_failure_among_the_problems(open_project: OpenProject) -> None:
    """The entry of its context menu debugs it."""
    window = await open_project(Path(PATH))
    await window.command("Redline: Run the Tests of This File")
    await window.message(FAILED).wait_for()
    await window.lens("Debug failure").wait_for()
    await window.command("Problems: Focus on Problems View")
    problem = window.page.locator(
        ".markers-panel .monaco-list-row", has_text="assert 25.0"
    )
    await problem.first.click()
    # The actions of a problem are asked for when it is chosen.
    await problem.locator(".codicon-light-bulb, .codicon-lightbulb").first.wait_for()
    await problem.first.click(button="right")
    entry = window.page.locator(".monaco-menu").get_by_text("Debug this failure")
    await entry.wait_for()
    await window.picture("problem-menu")
    await entry.hover()
    await entry.click()
    await window.message("the debug is ready to be applied").wait_for()


async def test_selected_output_of_a_terminal(
    open_project: OpenProject, scene: Scene
) -> None:
    """Its context menu debugs it; what was on the clipboard is there again."""
    (scene.project / "run.log").write_text(OUTPUT, encoding="utf-8")
    window = await open_project(Path(PATH))
    await window.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await window.page.evaluate("navigator.clipboard.writeText('mine')")
    await window.command("Terminal: Create New Terminal")
    terminal = window.page.locator(".terminal-wrapper .xterm-screen").first
    await terminal.wait_for()
    await terminal.click()
    await window.type("cat run.log")
    await window.press("Enter")
    await window.page.locator(".xterm-rows", has_text="FAILED tests").wait_for()
    await window.command("Terminal: Select All")
    await terminal.click(button="right")
    entry = window.page.locator(".monaco-menu").get_by_text("Debug the Selected Output")
    await entry.wait_for()
    await window.picture("terminal-menu")
    await entry.hover()
    await entry.click()
    await window.message("the debug is ready to be applied").wait_for()
    assert await window.page.evaluate("navigator.clipboard.readText()") == "mine"
