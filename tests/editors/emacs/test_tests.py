"""Tests that are run from Emacs, by the code actions of Eglot."""

from __future__ import annotations

import pytest
from tests.e2e.debug_session import debug_script
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.emacs.conftest import Open
from tests.editors.failing_test import FAILED, write_failing_test
from tests.editors.scene import Scene

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_failing_test_is_run_and_debugged(
    open_it: Open, scene: Scene, model: ScriptedModel
) -> None:
    """Eglot has no code lenses: the menu has the same."""
    model.say(debug_script())
    emacs = await open_it(write_failing_test(scene))
    await emacs.choose(4, spaced("Run this test"))
    await emacs.terminal.shows(FAILED)
    await emacs.choose(5, spaced("Debug this failure"))
    await emacs.terminal.shows("Cents are divided by 10")


def spaced(title: str) -> str:
    """Return the keys of a title: a blank alone would complete it."""
    return title.replace(" ", "\x11 ")
