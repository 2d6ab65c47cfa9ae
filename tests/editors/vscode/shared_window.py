"""One window for many tests: each has a new file in it, and an unused model."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from dataclasses import replace

from tests.e2e.scripted_model import ScriptedModel
from tests.editors.scene import TEXT, Scene
from tests.editors.vscode.window import Window


class SharedWindow:
    """Opened by the first test, and again after a test that failed."""

    def __init__(
        self,
        new_window: Callable[[], Awaitable[Window]],
        *,
        model: ScriptedModel,
        scene: Scene,
    ) -> None:
        self.model = model
        self._new_window = new_window
        self._scene = scene
        self._numbers = itertools.count(1)
        self._window: Window | None = None

    def next_scene(self) -> Scene:
        """Write a file that was never open."""
        scene = replace(self._scene, name=f"prices_{next(self._numbers):02}.py")
        scene.file.write_text(TEXT)
        return scene

    async def open(self, scene: Scene) -> Window:
        """Return the window with the scene's file and nothing else."""
        try:
            if self._window is None:
                self._window = await self._new_window()
                await self._window.open(scene.project)
            else:
                await self._window.clear()
            await self._window.open_file(scene.file)
            await self._window.ready()
        except BaseException:
            await self.close()
            raise
        self.model.forget()
        return self._window

    async def close(self) -> None:
        """Close it, and wait until its server has ended."""
        window, self._window = self._window, None
        if window is not None:
            await window.close()
            await self.model.until(lambda: self.model.n_connected == 0)
