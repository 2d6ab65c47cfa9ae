"""Loads and reloads the settings of one editor, and shows their problems.

A problem is shown once, as a message and as a diagnostic in the file that has it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from redline.assist.edit.prompt.saved_prompts import PromptFolder
from redline.files import Stamp
from redline.lsp.client.diagnostics import DiagnosticBoard, LspDiagnostic, warning
from redline.lsp.client.optional_requests import ask
from redline.lsp.client.window import MessageType, show_message
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol.messages import DocumentId, LspPosition, LspRange
from redline.settings.load import EDITOR, Loaded, load, stamps_of_files
from redline.settings.slow_disks import late_read
from redline.settings.source import SettingProblem
from redline.settings.tree import Settings
from redline.text.uri import uri_path

_END_OF_LINE = 1_000
"""Beyond any line of a settings file: clients clamp it."""

_LOOK_S = 2.0
"""How often the settings files are compared with what was read: no editor reports a
change by another program of a file outside of its folders, and trust that the user
withdraws must end."""

logger = logging.getLogger(__name__)


class _Changed(Struct, frozen=True):
    """The params of `workspace/didChangeConfiguration`."""

    settings: object = None


class _Saved(Struct, frozen=True, rename="camel"):
    """The params of `textDocument/didSave`."""

    text_document: DocumentId


class Configuration:
    """The settings in force."""

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        client: Client,
        roots: Sequence[Path],
        diagnostics: DiagnosticBoard,
        config: Path | None,
        on_change: Callable[[], None],
        on_loaded: Callable[[Loaded], None],
    ) -> None:
        """Keep the defaults until `start`.

        Args:
            endpoint: The connection.
            client: The client's capabilities.
            roots: The workspace folders.
            diagnostics: Shows problems in the settings files.
            config: A file to read instead of the user's own.
            on_change: Called when settings have changed, before they are read.
            on_loaded: Called with the settings in force once all changes so far are
                read, also with the settings before if new ones could not be read.
        """
        self._endpoint = endpoint
        self._diagnostics = diagnostics
        self._config = config
        self._on_change = on_change
        self._on_loaded = on_loaded
        self._client = client
        self._sent: object = None
        self._roots = tuple(roots)
        self._loaded: Loaded | None = None
        self.settings = Settings()
        """The settings in force; the defaults until they are loaded."""
        self._shown: set[SettingProblem] = set()
        self._marked: set[str] = set()
        self._stamps: Mapping[Path, Stamp | None] = {}
        """Of the files, right before they were read."""
        self._late: set[str] = set()
        """The files whose disks are waited for."""
        self._lock = asyncio.Lock()
        self._n_waiting = 0
        """How many changes are not read yet."""

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems of the settings, one sentence each."""
        return tuple(map(str, self._loaded.problems)) if self._loaded else ()

    @property
    def prompt_folders(self) -> tuple[PromptFolder, ...]:
        """The folders of saved prompts: of trusted workspaces, then the user's own."""
        files = self._loaded.files if self._loaded is not None else ()
        own, shared = [], []
        for file in files:
            folder = file.path.parent
            if file.role == "user":
                own.append(PromptFolder(path=folder / "prompts"))
            elif file.is_trusted:
                path = folder / ".redline" / "prompts"
                shared.append(PromptFolder(path=path, root=folder))
        return (*shared, *own)

    async def start(self) -> None:
        """Load for the first time, once the client is initialized."""
        self._endpoint.start(self._follow_files(), name="settings files")
        self._n_waiting += 1
        try:
            await self._reload()
        except RuntimeError:
            logger.exception("the settings cannot be read now")
        if self._client.registers_configuration:
            registration = {
                "id": "redline-configuration",
                "method": "workspace/didChangeConfiguration",
                "registerOptions": {"section": "redline"},
            }
            params = {"registrations": [registration]}
            await ask(
                self._endpoint,
                "client/registerCapability",
                params,
            )

    async def _reload(self) -> None:
        try:
            await self._read()
        except Exception:
            self._change_is_read()
            raise
        self._change_is_read()

    def _change_is_read(self) -> None:
        self._n_waiting -= 1
        # Otherwise requests would go on with settings that have changed since.
        if not self._n_waiting and self._loaded is not None:
            self._on_loaded(self._loaded)

    async def _read(self) -> None:
        """Read every source again."""
        async with self._lock:
            editor = [msgspec.json.decode(self._client.options), await self._pull()]
            stamps = await self._look()
            loaded = await asyncio.to_thread(
                load, config=self._config, workspaces=self._roots, editor=editor
            )
            self._stamps, self._loaded = stamps, loaded
            self.settings = loaded.settings
        self._show(loaded.problems)
        late = {str(file.path) for file in loaded.files if file.state == "late"}
        if late - self._late:
            self._late |= late
            self._endpoint.start(self._read_late(late), name="late settings")

    async def _read_late(self, names: set[str]) -> None:
        """Read again once the disks of some files answer."""
        for read in filter(None, map(late_read, names)):
            await asyncio.shield(asyncio.wrap_future(read))
        self._late -= names
        self._begin_reload()

    async def _look(self) -> Mapping[Path, Stamp | None]:
        return await asyncio.to_thread(
            stamps_of_files, config=self._config, workspaces=self._roots
        )

    async def _follow_files(self) -> None:
        """Reload after changes by other programs, and what could not be read."""
        while True:
            await asyncio.sleep(_LOOK_S)
            if not self._n_waiting and await self._is_outdated():
                self._begin_reload()

    async def _is_outdated(self) -> bool:
        if self._loaded is None:
            return True
        try:
            return await self._look() != self._stamps
        except RuntimeError:
            # The system starts no thread now.
            return False

    async def _pull(self) -> object:
        if not self._client.has_configuration:
            return self._sent
        params = {"items": [{"section": "redline"}]}
        answer = await ask(self._endpoint, "workspace/configuration", params)
        return answer[0] if isinstance(answer, list) and answer else None

    def serve(self) -> None:
        """Follow the settings of the editor, and the settings files.

        The endpoint calls in the order of the messages: a request that comes after a
        change has the new settings.
        """
        self._endpoint.on_notification(
            "workspace/didChangeConfiguration", _Changed, self._editor_changed
        )
        self._endpoint.on_notification("textDocument/didSave", _Saved, self._file_saved)

    def _editor_changed(self, params: _Changed) -> bool:
        """Reload; the editor may send its settings along."""
        self._sent = params.settings
        self._begin_reload()
        return True

    def _file_saved(self, params: _Saved) -> None:
        """Reload if the saved file is a settings file."""
        path = Path(uri_path(params.text_document.uri))
        if self._loaded and any(file.path == path for file in self._loaded.files):
            self._begin_reload()

    def roots_changed(self, roots: Sequence[Path]) -> None:
        """Reload, because workspace folders were added or removed."""
        self._roots = tuple(roots)
        self._begin_reload()

    def _begin_reload(self) -> None:
        # Now, so that no later message is handled with the settings before.
        self._n_waiting += 1
        self._on_change()
        self._endpoint.start(self._reload(), name="reload settings")

    def _show(self, problems: Sequence[SettingProblem]) -> None:
        for problem in problems:
            if problem not in self._shown:
                self._shown.add(problem)
                logger.warning(
                    "setting %s of %s not taken", problem.key, problem.source
                )
                text = f"Redline: {problem}."
                show_message(self._endpoint, MessageType.WARNING, text)
        self._mark(problems)

    def _mark(self, problems: Sequence[SettingProblem]) -> None:
        by_uri: dict[str, list[LspDiagnostic]] = {uri: [] for uri in self._marked}
        for problem in problems:
            if problem.source != EDITOR:
                line = (problem.line or 1) - 1
                span = LspRange(LspPosition(line, 0), LspPosition(line, _END_OF_LINE))
                uri = Path(problem.source).absolute().as_uri()
                text = ": ".join(filter(None, (problem.key, problem.message)))
                by_uri.setdefault(uri, []).append(warning(span, text))
        for uri, diagnostics in by_uri.items():
            self._diagnostics.put("settings", uri, diagnostics)
        self._marked = {uri for uri, found in by_uri.items() if found}
