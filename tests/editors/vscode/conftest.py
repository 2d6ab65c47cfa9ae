"""VS Code with the extension installed from its package, and windows of it.

Starting one takes as long as several tests, so they share one profile; each has a
window, a project and a model of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright
from tests.e2e.redline_session import ENVIRONMENT, settings_for
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.server_process import clean_environment
from tests.editors.programs import program
from tests.editors.scene import Scene
from tests.editors.vscode.code_server import CodeServer, server_settings
from tests.editors.vscode.window import Window

ROOT = Path(__file__).parents[3]

PICTURES = Path(os.environ.get("REDLINE_PICTURES", ROOT / "build" / "pictures"))
"""Where the pictures of the tests go; CI keeps them."""

BROWSER_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
)

OpenWindow = Callable[..., Awaitable[Window]]

_loop = pytest_asyncio.fixture(loop_scope="session")
_whole_session = pytest_asyncio.fixture(loop_scope="session", scope="session")


@_whole_session
async def browser() -> AsyncIterator[Browser]:
    """A browser without a screen."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program("chromium"), args=list(BROWSER_FLAGS)
        )
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
def vsix() -> Path:
    """The extension's package, as `make package` leaves it."""
    found = sorted((ROOT / "dist").glob("redline-*.vsix"))
    assert found, "make package builds the extension first"
    return found[-1]


@_whole_session
async def code_server(
    tmp_path_factory: pytest.TempPathFactory, vsix: Path
) -> AsyncIterator[CodeServer]:
    """A profile with the extension; workspaces are trusted."""
    folder = tmp_path_factory.mktemp("vscode")
    home = folder / "home"
    home.mkdir()
    server = CodeServer(folder, {**clean_environment(home), **ENVIRONMENT})
    server.configure(**server_settings())
    await server.install(vsix)
    async with server.serve("--disable-workspace-trust"):
        yield server


@_loop
async def open_window(
    browser: Browser,
    code_server: CodeServer,
    model: ScriptedModel,
    request: pytest.FixtureRequest,
) -> AsyncIterator[OpenWindow]:
    """Open windows; a test that fails leaves a picture of each. They close before the
    model does, which waits until nobody is connected."""
    assert model.n_connected == 0
    windows: list[Window] = []

    async def open_window(
        folder: Path, file: Path | None = None, server: CodeServer | None = None
    ) -> Window:
        context = await browser.new_context(
            viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
        )
        page = await context.new_page()
        address = (server or code_server).address
        window = Window(page, address, PICTURES / "vscode")
        windows.append(window)
        await window.open(folder, file)
        return window

    failed_before = request.session.testsfailed
    yield open_window
    for number, window in enumerate(windows):
        if request.session.testsfailed > failed_before:
            await window.picture(f"failed-{request.node.name}-{number}")
        await window.page.close(run_before_unload=False)
        await window.page.context.close()


@_loop
async def window(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> AsyncIterator[Window]:
    """A window with the scene's file; its workspace has configured the model."""
    write_settings(scene.project, model)
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    yield window


def write_settings(
    project: Path,
    model: ScriptedModel,
    more: Mapping[str, object] | None = None,
    *,
    key: str = "E2E_KEY",
) -> None:
    """Configure the model in the workspace's settings."""
    folder = project / ".vscode"
    folder.mkdir(exist_ok=True)
    settings = {**editor_settings(model, key=key), **(more or {})}
    (folder / "settings.json").write_text(json.dumps(settings))


def editor_settings(model: ScriptedModel, *, key: str = "E2E_KEY") -> dict[str, object]:
    """Return the settings of the editor that configure the model."""
    models = settings_for(model, key=key)["models"]
    return {
        "redline.models": models,
        "redline.tiers.fast": next(iter(models)),
        "redline.checks.repair": False,
        "redline.checks.escalate": False,
    }


def as_flat(settings: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """Return a server's settings as the editor has them: dotted, but for the models."""
    flat: dict[str, object] = {
        f"redline.{section}.{name}": value
        for section, values in settings.items()
        if section != "models"
        for name, value in values.items()
    }
    return {**flat, "redline.models": settings["models"]}
