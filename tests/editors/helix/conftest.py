"""A Helix for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from tests.editors.helix.helix import Helix, open_helix
from tests.editors.programs import program
from tests.editors.scene import Scene

Open = Callable[..., Awaitable[Helix]]

_loop = pytest_asyncio.fixture(loop_scope="session")


@pytest.fixture(scope="session")
def hx() -> Path:
    """Helix's program."""
    return program("helix")


@_loop
async def open_it(hx: Path, scene: Scene) -> AsyncIterator[Open]:
    """Start Helix on the scene's file; afterwards it is gone."""
    opened: list[Helix] = []

    async def open_it(where: Scene = scene) -> Helix:
        helix = await open_helix(hx, where)
        opened.append(helix)
        await helix.is_ready()
        return helix

    yield open_it
    for helix in opened:
        await helix.close()


@_loop
async def helix(open_it: Open) -> Helix:
    """A Helix with the scene's file and a server that is ready."""
    return await open_it()
