"""Plans in Emacs, by the commands of `redline-plan.el`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.e2e.plan_session import CART, INSTRUCTION, plan_script, write_shop
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.emacs.emacs import Emacs
from tests.editors.scene import Scene
from tests.editors.terminal import ENTER

pytestmark = pytest.mark.asyncio(loop_scope="session")

DOUBLED = "        return sum(one.doubled() for one in self.prices)"


def run(emacs: Emacs, command: str) -> None:
    """Run a command by its name."""
    emacs.terminal.type(f"\x1bx{command}{ENTER}")


async def planned(emacs: Emacs, model: ScriptedModel, scene: Scene) -> Path:
    """Write a plan, whose document is shown; returns a file that it changes."""
    write_shop(scene.project)
    model.say(plan_script())
    run(emacs, "redline-plan")
    await emacs.terminal.shows("^Plan a change:")
    emacs.terminal.type(f"{INSTRUCTION}{ENTER}")
    await emacs.terminal.shows("^# Plan")
    return scene.project / "shop" / "cart.py"


async def test_a_plan_is_run_applied_and_taken_back(
    emacs: Emacs, model: ScriptedModel, scene: Scene
) -> None:
    """In its document, whose name has its first words; the files are saved by hand."""
    cart = await planned(emacs, model, scene)
    await emacs.terminal.shows(r"double-the-prices-of-cart-\w+\.md")
    run(emacs, "redline-plan-run")
    await emacs.terminal.shows("The plan is ready to be applied")
    run(emacs, "redline-plan-apply")
    # Eglot asks before it edits files that are not open.
    await emacs.terminal.shows("Proceed?")
    emacs.terminal.type("y")
    await emacs.terminal.shows("[Tt]he plan is applied")
    assert cart.read_text() == CART
    await saved(emacs, cart, CART.replace("one.cents", "one.doubled()"))
    run(emacs, "redline-plan-take-back")
    await emacs.terminal.shows("[Tt]he plan is taken back")
    await saved(emacs, cart, CART)


async def test_a_declined_edit_is_not_taken_for_applied(
    emacs: Emacs, model: ScriptedModel, scene: Scene
) -> None:
    """Eglot's question is answered by no; the plan can be applied again."""
    cart = await planned(emacs, model, scene)
    run(emacs, "redline-plan-run")
    await emacs.terminal.shows("The plan is ready to be applied")
    run(emacs, "redline-plan-apply")
    await emacs.terminal.shows("Proceed?")
    emacs.terminal.type("n")
    await emacs.terminal.shows("The editor did not apply the plan")
    # The question has several lines, which Emacs takes away one by one: the next answer
    # must not be for the question that is still there.
    await emacs.terminal.hides("Proceed")
    run(emacs, "redline-plan-apply")
    await emacs.terminal.shows("Proceed?")
    emacs.terminal.type("y")
    await emacs.terminal.shows("[Tt]he plan is applied")
    await saved(emacs, cart, CART.replace("one.cents", "one.doubled()"))


async def test_a_plan_is_rejected_and_chosen(
    emacs: Emacs, model: ScriptedModel, scene: Scene
) -> None:
    """A rejected plan is not run; from another buffer its document is opened again."""
    await planned(emacs, model, scene)
    run(emacs, "redline-plan-reject")
    await emacs.terminal.shows("the plan is rejected")
    run(emacs, "redline-plan-run")
    await emacs.terminal.shows("The plan is rejected; wait until")
    emacs.terminal.type(f"\x18b{scene.name}{ENTER}")
    await emacs.terminal.hides("^# Plan")
    run(emacs, "redline-plan-apply")
    await emacs.terminal.shows("Redline: there is no such plan")
    run(emacs, "redline-plans")
    await emacs.terminal.shows("^# Plan")


async def test_a_plan_is_run_again_and_cancelled(
    emacs: Emacs, model: ScriptedModel, scene: Scene
) -> None:
    """A plan that was run is written once more; a cancel stops its models."""
    cart = await planned(emacs, model, scene)
    run(emacs, "redline-plan-run")
    await emacs.terminal.shows("The plan is ready to be applied")
    # Its steps are written side by side.
    instructions = ("Add the method doubled.", "Sum the doubled prices.")
    holds = [model.hold(each, after=1) for each in instructions]
    run(emacs, "redline-plan-run")
    for hold in holds:
        await hold.reached()
    await emacs.terminal.shows("the plan is running")
    run(emacs, "redline-plan-cancel")
    await emacs.terminal.shows("the plan is cancelled")
    await model.until(lambda: model.n("stopped") == len(holds))
    for hold in holds:
        hold.release()
    assert cart.read_text() == CART


async def saved(emacs: Emacs, file: Path, text: str) -> None:
    """Save all files, and check the text of one."""
    remove(file)
    emacs.terminal.type("\x15\x18s")
    await emacs.terminal.comes(file.exists, "it is saved")
    await emacs.terminal.comes(lambda: file.read_text() == text, "it has its text")


def remove(file: Path) -> None:
    """Remove a file, so that it exists once it is saved."""
    file.unlink()
