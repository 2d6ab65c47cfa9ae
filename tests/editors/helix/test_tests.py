"""Tests that are run from Helix, by code actions."""

from __future__ import annotations

import pytest
from tests.e2e.debug_session import debug_script
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.failing_test import FAILED, write_failing_test
from tests.editors.helix.conftest import Open
from tests.editors.scene import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_failing_test_is_run_and_debugged(
    open_it: Open, scene: Scene, model: ScriptedModel
) -> None:
    """Helix has no code lenses: the menu has the same."""
    model.say(debug_script())
    helix = await open_it(write_failing_test(scene))
    await helix.choose(4, "Run this test")
    await helix.terminal.shows(FAILED)
    await helix.choose(5, "Debug this failure")
    await helix.terminal.shows("Cents are divided by 10")
