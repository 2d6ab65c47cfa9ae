"""A scripted model and a project for tests in real editors.

All of it runs in one event loop: the model's server, the terminal, and the test.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.e2e.redline_session import KEY
from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import Scene, make_scene

from redline.gateway.engines.script import Script

TEST_S = 900
"""Longest test: a bound for one that hangs, far above the waits that report why."""

_loop = pytest_asyncio.fixture(loop_scope="session")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests of this folder their own bound."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(TEST_S))


@_loop
async def model() -> AsyncIterator[ScriptedModel]:
    """A model's server; when it is closed no Redline server is connected any more."""
    model = ScriptedModel(Script(), token=KEY)
    await model.listen()
    yield model
    await model.aclose()


@_loop
async def scene(tmp_path: Path, model: ScriptedModel) -> AsyncIterator[Scene]:
    """A home and a project; the user has configured the scripted model."""
    scene = make_scene(tmp_path)
    scene.use_model(model)
    yield scene
    scene.check_log()
