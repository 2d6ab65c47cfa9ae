"""One window of VS Code in a fresh profile, outside the tests: to measure, to film."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from playwright.async_api import ViewportSize, async_playwright
from tests.e2e.redline_session import ENVIRONMENT, KEY
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.server_process import clean_environment
from tests.editors.programs import program
from tests.editors.scene import make_scene
from tests.editors.vscode.bare_edit import BareEdit
from tests.editors.vscode.code_server import CodeServer, server_settings
from tests.editors.vscode.conftest import BROWSER_FLAGS, built_package, write_settings
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script

LOGS = Path("profile", "data", "logs")
"""Where in the folder VS Code logs."""

_SIZE = ViewportSize(width=1280, height=800)


@contextlib.asynccontextmanager
async def window_alone(
    folder: Path,
    text: str,
    script: Script,
    *,
    size: ViewportSize = _SIZE,
    settings: Mapping[str, object] | None = None,
) -> AsyncIterator[Window]:
    """Open a file with a text; the model answers by a script. Needs `make package`."""
    opened = window_and_model(folder, text, script, size=size, settings=settings)
    async with opened as (window, _):
        yield window


@contextlib.asynccontextmanager
async def window_and_model(
    folder: Path,
    text: str,
    script: Script,
    *,
    size: ViewportSize = _SIZE,
    settings: Mapping[str, object] | None = None,
    bare: BareEdit | None = None,
) -> AsyncIterator[tuple[Window, ScriptedModel]]:
    """Open the same, with the model at hand, and with another extension."""
    model = ScriptedModel(script, token=KEY)
    await model.listen()
    scene = make_scene(folder, text)
    write_settings(scene.project, model, settings)
    environment = {**clean_environment(scene.home), **ENVIRONMENT}
    if bare is not None:
        environment.update(bare.environment)
    server = CodeServer(folder / LOGS.parts[0], environment)
    server.configure(**server_settings())
    await server.install(built_package())
    if bare is not None:
        await server.install(bare.vsix)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program("chromium"), args=list(BROWSER_FLAGS)
        )
        async with server.serve("--disable-workspace-trust"):
            page = await browser.new_page(viewport=size, reduced_motion="reduce")
            window = Window(page, server.address, folder)
            await window.open(scene.project, scene.file)
            await window.ready()
            await window.focus()
            yield window, model
        await browser.close()
    await model.hang_up()
