"""A plan in VS Code: its document with lenses, and the one edit that applies it."""

from __future__ import annotations

import json

import pytest
from tests.e2e.plan_session import (
    INSTRUCTION,
    plan_script,
    plan_settings,
    write_shop,
)
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import Scene
from tests.editors.vscode.conftest import OpenWindow, as_flat

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_plan_is_written_run_and_applied(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """By the palette, the lens, and the message that it is ready."""
    write_shop(scene.project)
    model.say(plan_script())
    settings = plan_settings(model, scene.home / "plans.sqlite3")
    folder = scene.project / ".vscode"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(as_flat(settings)))
    window = await open_window(scene.project, scene.project / "shop" / "cart.py")
    await window.status("fast").wait_for()
    await window.focus()
    await window.command("Redline: Plan a Change over Several Files")
    await window.box("plan a change").wait_for()
    await window.type(INSTRUCTION)
    await window.press("Enter")
    run = window.lens("Run")
    await run.wait_for()
    await window.shows_line("Prices double.")
    await window.picture("plan")
    await run.click()
    ready = window.message("the plan is ready to be applied")
    await ready.wait_for()
    await window.lens("Apply").wait_for()
    await window.lens("Run this step (checked)").first.wait_for()
    await window.picture("plan-ready")
    await ready.get_by_role("button", name="Apply").click()
    await window.open_file(scene.project / "shop" / "cart.py")
    await window.shows_line("return sum(one.doubled() for one in self.prices)")
    await window.open_file(scene.project / "shop" / "price.py")
    await window.shows_line("def doubled(self, times: int = 1) -> int:")
    await window.picture("plan-applied")
