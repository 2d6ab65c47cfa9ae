"""A plan in VS Code: its document with lenses, and the one edit that applies it."""

from __future__ import annotations

import json

import pytest
from tests.e2e.plan_session import (
    CART,
    INSTRUCTION,
    NEW_PRICE,
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
    assert (await window.tab_names())[-1].startswith("double-the-prices-of-cart-")
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
    await window.command("Focus on Plans View")
    tree = window.page.locator(".pane", has_text="Plans")
    plan = tree.locator(".monaco-list-row", has_text="Prices double.")
    await plan.hover()
    await plan.get_by_role("button", name="Take Back This Plan").click()
    await tree.get_by_text("rejected").first.wait_for()
    await window.open_file(scene.project / "shop" / "cart.py")
    await window.shows_line("return sum(one.cents for one in self.prices)")
    await window.picture("plan-taken-back")


async def test_a_plan_is_cancelled_planned_again_and_discarded(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """By the buttons of the tree and the lenses of the document. A press of a button
    counts also if a step ends meanwhile."""
    write_shop(scene.project)
    model.say(plan_script())
    holds = [
        model.hold(instruction, after=1)
        for instruction in ("Add the method doubled.", "Sum the doubled prices.")
    ]
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
    await window.lens("Plan again").click()
    await window.shows_line("# Plan 2")
    await window.command("Focus on Plans View")
    tree = window.page.locator(".pane", has_text="Plans")
    plan = tree.locator(".monaco-list-row", has_text="Prices double.")
    await plan.hover()
    await plan.get_by_role("button", name="Run").click()
    for hold in holds:
        await hold.reached()
    step = tree.locator(".monaco-list-row", has_text="s2 Cart.total")
    await step.get_by_text("writing").wait_for()
    await plan.hover()
    await plan.get_by_role("button", name="Cancel This Plan").hover()
    await window.page.mouse.down()
    holds[1].release()
    await step.get_by_text("checked").wait_for()
    await window.page.mouse.up()
    await tree.get_by_text("cancelled").first.wait_for()
    holds[0].release()
    await window.open_file(scene.project / "shop" / "cart.py")
    await window.command("Redline: Plan a Change over Several Files")
    await window.box("plan a change").wait_for()
    await window.type(INSTRUCTION)
    await window.press("Enter")
    await window.lens("Discard").click()
    await tree.get_by_text("rejected").first.wait_for()
    text = (scene.project / "shop" / "cart.py").read_text(encoding="utf-8")
    assert text == CART


async def test_a_held_plan_is_confirmed_in_the_preview(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> None:
    """VS Code's refactor preview has a box for each annotated step."""
    write_shop(scene.project)
    broken = NEW_PRICE.replace("times: int = 1", "times: int")
    model.say(plan_script(replies={"Add the method doubled": broken}))
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
    await window.lens("Run").wait_for()
    await window.command("Focus on Plans View")
    tree = window.page.locator(".pane", has_text="Plans")
    plan = tree.locator(".monaco-list-row", has_text="Prices double.")
    await plan.hover()
    await plan.get_by_role("button", name="Run").click()
    held = window.message("the plan is held")
    await held.wait_for()
    await window.lens("Apply (held)").wait_for()
    assert await window.lens("Cancel (").count() == 0
    await tree.locator(".monaco-list-row", has_text="s1 Price").hover()
    await window.picture("plan-held")
    await held.get_by_role("button", name="Apply").click()
    preview = window.page.locator(".pane-body, .composite.panel").filter(
        has=window.page.get_by_role("button", name="Discard", exact=True)
    )
    preview = preview.last
    await preview.get_by_text("def doubled").first.wait_for()
    await window.page.get_by_role("button", name="Group Changes By Type").click()
    await preview.get_by_text("s1 Price").first.wait_for()
    await preview.get_by_text("s2 Cart.total").first.wait_for()
    await window.picture("plan-preview")
    # Nothing of a held plan is chosen before the user has seen it.
    files = preview.locator(".monaco-list-row[aria-level='2'] .edit-checkbox")
    for box in await files.all():
        assert await box.get_attribute("aria-checked") == "false"
        await box.click()
    await preview.get_by_role("button", name="Apply").click()
    await tree.get_by_text("applied").first.wait_for()
    await window.open_file(scene.project / "shop" / "cart.py")
    await window.shows_line("return sum(one.doubled() for one in self.prices)")
