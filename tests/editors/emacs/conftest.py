"""An Emacs for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from tests.editors.emacs.emacs import Emacs, open_emacs
from tests.editors.programs import program
from tests.editors.scene import Scene

Open = Callable[..., Awaitable[Emacs]]

_loop = pytest_asyncio.fixture(loop_scope="session")


@pytest.fixture(scope="session")
def emacs_program() -> Path:
    """Emacs's program."""
    return program("emacs")


@_loop
async def open_it(emacs_program: Path, scene: Scene) -> AsyncIterator[Open]:
    """Start Emacs on the scene's file; afterwards it is gone."""
    opened: list[Emacs] = []

    async def open_it(where: Scene = scene) -> Emacs:
        emacs = await open_emacs(emacs_program, where)
        opened.append(emacs)
        return emacs

    yield open_it
    for emacs in opened:
        await emacs.close()


@_loop
async def emacs(open_it: Open) -> Emacs:
    """An Emacs with the scene's file and a server that is ready."""
    return await open_it()
