"""Plans in Helix, by the code actions of their documents."""

from __future__ import annotations

import json

import pytest
from tests.e2e.plan_session import CART, INSTRUCTION, plan_script, write_shop
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.helix.helix import Helix
from tests.editors.scene import Scene
from tests.editors.terminal import ENTER

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_plan_is_run_applied_and_taken_back(
    helix: Helix, model: ScriptedModel, scene: Scene
) -> None:
    """Its document opens when it is written; its menu has what lenses have."""
    write_shop(scene.project)
    model.say(plan_script())
    terminal = helix.terminal
    cart = scene.project / "shop" / "cart.py"
    arguments = json.dumps({"uri": cart.as_uri(), "instruction": INSTRUCTION})
    terminal.type(f":lsp-workspace-command redline.plan {arguments}{ENTER}")
    await terminal.shows("1 +# Plan")
    # The step of a heading, in its section.
    await helix.choose(24, "Run this step (waiting)")
    await terminal.shows("The plan is held")
    await helix.choose(1, "Run")
    await terminal.shows("The plan is ready to be applied")
    await helix.choose(1, "Apply")
    await terminal.shows("The plan is applied")
    assert cart.read_text() == CART
    terminal.type(f":wa{ENTER}")
    applied = CART.replace("one.cents", "one.doubled()")
    await terminal.until(lambda: cart.read_text() == applied, "it is saved")
    await helix.choose(1, "Take back")
    await terminal.shows("The plan is taken back")
    terminal.type(f":wa{ENTER}")
    await terminal.until(lambda: cart.read_text() == CART, "it is as before")
