"""A Neovim for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.editors.neovim.neovim import Neovim, open_neovim
from tests.editors.programs import program
from tests.editors.scene import Scene

Open = Callable[..., Awaitable[Neovim]]

_loop = pytest_asyncio.fixture(loop_scope="session")


@pytest.fixture(scope="session")
def nvim() -> Path:
    """Neovim's program."""
    return program("neovim")


@_loop
async def open_it(nvim: Path, scene: Scene) -> AsyncIterator[Open]:
    """Start Neovims: `await open_it(**open_neovim's)`; afterwards they are gone."""
    opened: list[Neovim] = []

    async def open_it(where: Scene = scene, **more: Any) -> Neovim:
        neovim = await open_neovim(nvim, where, **more)
        opened.append(neovim)
        return neovim

    yield open_it
    for neovim in opened:
        await neovim.close()


@_loop
async def neovim(open_it: Open) -> Neovim:
    """A Neovim with the scene's file and a server that is ready."""
    neovim = await open_it()
    await neovim.is_ready()
    return neovim
