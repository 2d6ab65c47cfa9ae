"""VS Code with the extension installed from its package, and windows of it.

Opening a window takes longer than most tests, so those that ask for `window` share one,
with its project and its model; each edits a file of its own. A test that needs other
settings, or that looks at what a window remembers, opens its own by `open_window`.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright
from tests.e2e.redline_session import ENVIRONMENT, KEY, settings_for
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.server_process import clean_environment
from tests.editors.programs import program
from tests.editors.scene import Scene, make_scene
from tests.editors.vscode.code_server import CodeServer, server_settings
from tests.editors.vscode.shared_window import SharedWindow
from tests.editors.vscode.window import Window

from redline.gateway.engines.script import Script

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


def built_package() -> Path:
    """Return the extension's package, as `make package` leaves it."""
    found = sorted((ROOT / "dist").glob("redline-*.vsix"))
    assert found, "There is no package of the extension: run `make package` first."
    return found[-1]


@pytest.fixture(scope="session")
def vsix() -> Path:
    """The extension's package."""
    return built_package()


@_whole_session
async def code_server(
    tmp_path_factory: pytest.TempPathFactory, vsix: Path
) -> AsyncIterator[CodeServer]:
    """A profile with the extension; workspaces are trusted."""
    server = await installed(tmp_path_factory.mktemp("vscode"), vsix)
    async with server.serve("--disable-workspace-trust"):
        yield server


async def installed(folder: Path, vsix: Path) -> CodeServer:
    """Return a profile with the extension, whose server does not run."""
    home = folder / "home"
    home.mkdir()
    server = CodeServer(folder, {**clean_environment(home), **ENVIRONMENT})
    server.configure(**server_settings())
    await server.install(vsix)
    return server


@_loop
async def open_window(
    browser: Browser,
    code_server: CodeServer,
    model: ScriptedModel,
    request: pytest.FixtureRequest,
) -> AsyncIterator[OpenWindow]:
    """Open windows; a test that fails leaves a picture of each. They close before the
    model does, which waits until nobody is connected."""
    windows: list[Window] = []

    async def open_window(
        folder: Path, file: Path | None = None, server: CodeServer | None = None
    ) -> Window:
        window = await new_window(browser, server or code_server)
        windows.append(window)
        await window.open(folder, file)
        return window

    yield open_window
    for number, window in enumerate(windows):
        if has_failed(request.node):
            await window.picture(f"failed-{request.node.name}-{number}")
        await window.close()
    # What a window remembers in the user's settings is for all windows.
    code_server.configure(**server_settings())


@_whole_session
async def shared(
    browser: Browser, code_server: CodeServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[SharedWindow]:
    """The window of all tests that ask for `window`; the first of them opens it."""
    model = ScriptedModel(Script(), token=KEY)
    await model.listen()
    scene = make_scene(tmp_path_factory.mktemp("shared"))
    write_settings(scene.project, model)
    shared = SharedWindow(
        lambda: new_window(browser, code_server), model=model, scene=scene
    )
    yield shared
    await shared.close()
    await model.aclose()


def is_shared(request: pytest.FixtureRequest) -> bool:
    """Whether a test has the shared window."""
    return "window" in request.fixturenames


@pytest.fixture
def model(
    model: ScriptedModel, shared: SharedWindow, request: pytest.FixtureRequest
) -> ScriptedModel:
    """The model of the test's window."""
    return shared.model if is_shared(request) else model


@pytest.fixture
def scene(scene: Scene, shared: SharedWindow, request: pytest.FixtureRequest) -> Scene:
    """The project of the test's window; a new file of it if the window is shared."""
    return shared.next_scene() if is_shared(request) else scene


@_loop
async def window(
    shared: SharedWindow, scene: Scene, request: pytest.FixtureRequest
) -> AsyncIterator[Window]:
    """The shared window with the scene's file; a test that fails leaves it closed."""
    window = await shared.open(scene)
    yield window
    if has_failed(request.node):
        await window.picture(f"failed-{request.node.name}")
        await shared.close()


@_loop
async def own_window(
    open_window: OpenWindow, scene: Scene, model: ScriptedModel
) -> Window:
    """A window in which nothing happened yet, with the scene's file."""
    write_settings(scene.project, model)
    window = await open_window(scene.project, scene.file)
    await window.ready()
    await window.focus()
    return window


async def new_window(browser: Browser, server: CodeServer) -> Window:
    """Return a window that shows nothing yet."""
    context = await browser.new_context(
        viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
    )
    return Window(await context.new_page(), server.address, PICTURES / "vscode")


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Record whether a test failed for its fixtures, also if it is repeated."""
    before = call.when != "setup" and has_failed(item)
    item.stash[_FAILED] = before or call.excinfo is not None
    return (yield)


def has_failed(item: pytest.Item) -> bool:
    """Whether a test has failed so far."""
    return item.stash.get(_FAILED, False)


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
        "redline.next_edit.model": "none",
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
