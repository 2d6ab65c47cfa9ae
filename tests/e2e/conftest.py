"""Servers, editors and models for the tests of whole processes.

Starting a server takes as long as a dozen edits, so tests that leave one as they found
it share one: `redline`, checked after each test and thrown away if a check fails. All
tests here run in one event loop, which the shared server and its model need.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.assist.review.seeded_workspace import write_workspace
from tests.e2e.editor_document import Json
from tests.e2e.plan_session import Planning, plan_settings, planning
from tests.e2e.redline_session import (
    ENVIRONMENT,
    KEY,
    Redline,
    kill,
    settings_for,
    start_redline,
)
from tests.e2e.review_session import (
    Reviewing,
    reviewing,
    seeded_script,
    settings_of,
)
from tests.e2e.scripted_model import ScriptedModel
from tests.e2e.wire_editor import CAPABILITIES

from redline.gateway.engines.script import Script

Start = Callable[..., Awaitable[Redline]]
Connect = Callable[..., Awaitable[ScriptedModel]]
Serve = Callable[..., Awaitable[ScriptedModel]]
OpenPlanning = Callable[..., Awaitable[Planning]]

_CONFIG = "config.toml"
"""The user's own settings of a shared server, in its home."""

_loop = pytest_asyncio.fixture(loop_scope="session")
_whole_session = pytest_asyncio.fixture(loop_scope="session", scope="session")


class Shared:
    """A server for several tests, started again after one that failed."""

    def __init__(
        self,
        model: ScriptedModel,
        folder: Path,
        *,
        capabilities: Any = CAPABILITIES,
        options: Json | None = None,
    ) -> None:
        self.model = model
        self.redline: Redline | None = None
        self._options = settings_for(model) if options is None else options
        self._capabilities = capabilities
        self._homes = (folder / str(number) for number in itertools.count())

    async def get(self) -> Redline:
        if self.redline is None:
            home = next(self._homes)
            home.mkdir()
            _trust(home)
            self.redline = await start_redline(
                *("--config", str(home / _CONFIG)),
                home=home,
                capabilities=self._capabilities,
            )
            await self.redline.editor.initialize(initializationOptions=self._options)
            await self.redline.editor.hear_method("redline/status")
        return self.redline

    async def discard(self) -> None:
        if self.redline is not None:
            redline, self.redline = self.redline, None
            await kill(redline)

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[Redline]:
        """Lend it to a test that leaves its settings as they are."""
        async with self._lent() as redline:
            yield redline
            await redline.settle()

    @asynccontextmanager
    async def in_folder(
        self, folder: Path, settings: Json, *, is_trusted: bool = False
    ) -> AsyncIterator[Redline]:
        """Open a folder, with settings whose fast tier is a model named "fast"."""
        async with self._lent() as redline:
            if is_trusted:
                _trust(redline.home, folder)
            change = {"uri": folder.as_uri(), "name": folder.name}
            redline.change_folders(added=[change])
            # A request that is answered after the change of folders has been handled.
            await redline.editor.run_now("redline.reviews", {})
            async with self.with_settings(settings):
                yield redline
                await redline.settle()
                _trust(redline.home)
            redline.change_folders(removed=[change])
            await redline.settle()
            redline.says_paths = False

    @asynccontextmanager
    async def with_settings(self, settings: Json) -> AsyncIterator[Redline]:
        """Change the settings, to some whose fast tier is a model named "fast"."""
        async with self._lent() as redline:
            await redline.use(settings, name="fast")
            yield redline
            await redline.settle()
            await redline.use({}, name="scripted")

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[Redline]:
        try:
            yield await self.get()
        except BaseException:
            await self.discard()
            raise


def _trust(home: Path, *folders: Path) -> None:
    """Write the user's own settings: the folders that are trusted."""
    listed = json.dumps([str(folder) for folder in folders])
    (home / _CONFIG).write_text(f"[trust]\nworkspaces = {listed}\n", encoding="utf-8")


@asynccontextmanager
async def sharing(
    folder: Path, capabilities: Any, *sections: str
) -> AsyncIterator[Shared]:
    """A server that starts for the first test, and ends with the session.

    Args:
        folder: An empty folder.
        capabilities: The editor's.
        sections: Of the settings of `settings_for`, the sections that hold for all
            tests; absent: all.
    """
    model = ScriptedModel(Script(), token=KEY)
    await model.listen()
    options = settings_for(model)
    if sections:
        options = {section: options[section] for section in sections}
    shared = Shared(model, folder, capabilities=capabilities, options=options)
    yield shared
    if shared.redline is not None:
        await shared.redline.end()
    await model.aclose()


@_whole_session
async def shared(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Shared]:
    """The server and the model that most tests use."""
    async with sharing(tmp_path_factory.mktemp("shared"), CAPABILITIES) as shared:
        yield shared


@_loop
async def redline(shared: Shared) -> AsyncIterator[Redline]:
    """A server with the scripted model, preview and status; nothing is going on."""
    async with shared.lend() as redline:
        yield redline


@_loop
async def model(shared: Shared) -> ScriptedModel:
    """The model of `redline`: answers with the range as it is until it is set to say
    something else."""
    shared.model.say(Script())
    shared.model.entries.clear()
    return shared.model


@_loop
async def connect(redline: Redline) -> AsyncIterator[Connect]:
    """Give `redline` a model of the test's own: `connect(script, **settings_for's)`.

    Afterwards no connection to it is left.
    """
    numbers = itertools.count(1)
    models: list[ScriptedModel] = []

    async def connect(
        script: Script, *, token: str = KEY, **settings: Any
    ) -> ScriptedModel:
        model = ScriptedModel(script, token=token)
        models.append(model)
        await model.listen()
        name = f"own-{next(numbers)}"
        await redline.use(settings_for(model, name=name, **settings), name=name)
        return model

    yield connect
    await redline.editor.run_now("redline.stop", {})
    await redline.use({}, name="scripted")
    for model in models:
        await model.aclose()


@_loop
async def serve() -> AsyncIterator[Serve]:
    """Start models' servers of the test's own; afterwards nobody is connected."""
    models: list[ScriptedModel] = []

    async def serve(script: Script, **more: Any) -> ScriptedModel:
        model = ScriptedModel(script, token=KEY, **more)
        models.append(model)
        await model.listen()
        return model

    yield serve
    for model in models:
        await model.aclose()


@_loop
async def start(tmp_path: Path, serve: Serve) -> AsyncIterator[Start]:
    """Start servers of the test's own; afterwards they have ended in order.

    `await start(*arguments, model=..., options=..., capabilities=..., settings=...)`,
    and further members of `initialize`'s params by their names. They end before the
    models of `serve` do.
    """
    started: list[Redline] = []

    async def start(
        *arguments: str,
        model: ScriptedModel | None = None,
        options: object = None,
        capabilities: Any = CAPABILITIES,
        environment: Any = ENVIRONMENT,
        settings: object = None,
        **params: Any,
    ) -> Redline:
        home = tmp_path / f"home-{len(started)}"
        home.mkdir()
        redline = await start_redline(
            *arguments,
            home=home,
            capabilities=capabilities,
            environment=environment,
            settings=settings,
        )
        started.append(redline)
        if model is not None:
            options = settings_for(model)
        await redline.editor.initialize(initializationOptions=options, **params)
        return redline

    yield start
    for redline in started:
        if redline.process.child.returncode is None:
            try:
                await redline.end()
            finally:
                await kill(redline)
        else:
            redline.check()


@_whole_session
async def shared_reviewing(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Shared]:
    """The server of `here`."""
    folder = tmp_path_factory.mktemp("reviewing")
    async with sharing(folder, reviewing(), "models", "tiers") as shared:
        yield shared


@_whole_session
async def shared_planning(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Shared]:
    """The server of `open_planning`."""
    folder = tmp_path_factory.mktemp("planning")
    async with sharing(folder, planning(), "models", "tiers") as shared:
        yield shared


@_loop
async def open_planning(
    shared_planning: Shared,
    serve: Serve,  # Its models end after the server has other settings.
) -> AsyncIterator[OpenPlanning]:
    """Open a folder of the test's own, once, in a server that tests share:
    `open_planning(folder, model, is_trusted=..., **plan_settings's)`."""
    async with AsyncExitStack() as stack:

        async def open_planning(
            folder: Path,
            model: ScriptedModel,
            *,
            is_trusted: bool = False,
            **settings: object,
        ) -> Planning:
            there = shared_planning.in_folder(
                folder, plan_settings(model, **settings), is_trusted=is_trusted
            )
            redline = await stack.enter_async_context(there)
            redline.says_paths = True
            return Planning(redline, folder)

        yield open_planning


Begin = Callable[..., Awaitable[Reviewing]]


@_loop
async def reviewers(serve: Serve) -> ScriptedModel:
    """The models of the seeded workspace."""
    return await serve(seeded_script())


@_loop
async def begin(start: Start, reviewers: ScriptedModel, tmp_path: Path) -> Begin:
    """Start servers in the seeded workspace: `begin(capabilities, **review)`, the last
    of them settings of that section. Each finds what those before it have left."""
    folder = tmp_path / "project"
    write_workspace(folder)
    store = tmp_path / "kept" / "reviews.sqlite3"

    async def begin(
        capabilities: Any = None, *, is_in_folder: bool = True, **review: object
    ) -> Reviewing:
        folders = [{"uri": folder.as_uri(), "name": "project"}] if is_in_folder else []
        redline = await start(
            options=settings_of(reviewers, store, **review),
            capabilities=capabilities or reviewing(),
            workspaceFolders=folders,
        )
        return Reviewing(redline, folder)

    return begin


@_loop
async def here(
    shared_reviewing: Shared, reviewers: ScriptedModel, tmp_path: Path
) -> AsyncIterator[Reviewing]:
    """A seeded workspace of the test's own, in a server that tests share."""
    async with seeded(shared_reviewing, reviewers, tmp_path) as here:
        yield here


@asynccontextmanager
async def seeded(
    shared: Shared, model: ScriptedModel, tmp_path: Path, **review: object
) -> AsyncIterator[Reviewing]:
    """Open a seeded workspace in a shared server: `review` are settings of that
    section."""
    folder = tmp_path / "project"
    write_workspace(folder)
    settings = settings_of(model, None, **review)
    async with shared.in_folder(folder, settings) as redline:
        yield Reviewing(redline, folder)
