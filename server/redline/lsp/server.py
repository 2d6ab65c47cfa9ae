"""Wires the server: everything behind one `Endpoint`.

This module only wires; the behaviour is in the modules of the parts.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Raw
from msgspec.structs import replace

from redline.assist.context.gatherer import ContextGatherer
from redline.assist.edit.document.problem_marks import ProblemMarks
from redline.assist.edit.edits import Edits
from redline.assist.edit.hand_over_editor import HandOverEditor
from redline.assist.edit.prompt.prompt_writer import PromptWriter
from redline.assist.edit.session.session import EditSession
from redline.assist.editor.services import EditorServices
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.prompt_log import PromptLog
from redline.assist.suggestions.complete.completions import Completions
from redline.assist.suggestions.next_edits.next_edits import NextEdits
from redline.assist.tiers.model_tiers import ModelTiers
from redline.assist.usage.automatic_usage_tally import AutomaticCounter, AutomaticTally
from redline.assist.usage.recorder import UsageRecorder
from redline.assist.usage.usage_log import UsageLog
from redline.checks.checked_folders import checked_folders
from redline.checks.completion_check import IMPORTS_RULE
from redline.checks.edit_question import CheckedFolders
from redline.log import set_level
from redline.lsp.actions.action_wiring import serve_actions
from redline.lsp.actions.menu import MenuEntry
from redline.lsp.client.configuration import Configuration
from redline.lsp.client.diagnostics import DiagnosticBoard
from redline.lsp.client.ghost_text import GhostText
from redline.lsp.client.progress import ProgressRegistry
from redline.lsp.client.status import StatusReporter
from redline.lsp.client.text_sync import serve_text_sync
from redline.lsp.client.workspace_folders import serve_folders
from redline.lsp.edit.connected_editor import ConnectedEditor
from redline.lsp.edit.edit_commands import Commands
from redline.lsp.edit.files_command import FilesCommand
from redline.lsp.edit.next_prompt_command import NextPromptCommand
from redline.lsp.edit.sharpen_command import SharpenCommand
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.options import ServeOptions
from redline.lsp.plan.debug_selection import debug_actions
from redline.lsp.plan.plan_service import PlanService
from redline.lsp.protocol.messages import LspRange
from redline.lsp.review.review_service import ReviewService
from redline.lsp.rooms.room_services import RoomServices
from redline.lsp.suggestions.inline_completion import (
    announce_completion,
    serve_inline_completion,
)
from redline.lsp.suggestions.next_edit import NextEditService
from redline.lsp.suggestions.next_edit_fallbacks import NextEditFallbacks
from redline.lsp.testing.test_service import TestService
from redline.models.interface import Model
from redline.parsing.parser_pool import ParserPool
from redline.prompts.tokens import TokenCounter
from redline.settings.load import Loaded
from redline.settings.tree import LimitSettings, ModelSettings
from redline.store.automatic_usage import AutomaticKind
from redline.syntax.language import Language
from redline.text.uri import FileRename, uri_path

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer


logger = logging.getLogger(__name__)


class Server:
    """One editor's server, created when the editor has sent `initialize`."""

    def __init__(
        self, endpoint: Endpoint, client: Client, options: ServeOptions
    ) -> None:
        self.endpoint = endpoint
        # The editor and its settings.
        self._client = client
        self._options = options
        self._workspace = Workspace(client.encoding)
        folders = [folder.uri for folder in client.folders]
        self._workspace.change_roots(added=folders, removed=())
        self._progress = ProgressRegistry(self.endpoint, can_create=client.has_progress)
        diagnostics = self._diagnostics = DiagnosticBoard(self.endpoint)
        self._editor = ConnectedEditor(
            self.endpoint, self._progress, diagnostics, client
        )
        self._tiers = ModelTiers(build=_build_model, build_embedded=_build_embedded)
        self._loaded: Loaded | None = None
        """The settings whose models are used; None: others are being read."""
        self._configuration = Configuration(
            endpoint=self.endpoint,
            client=client,
            roots=self._root_paths(),
            diagnostics=diagnostics,
            config=options.config,
            on_change=self._expect_settings,
            on_loaded=self._take_settings,
        )
        # Usage, context and prompts.
        self._usage = UsageLog(on_trouble=lambda message: self._status.changed())
        self._recorder = UsageRecorder(self._workspace, self._usage)
        self._automatic = AutomaticTally(self._usage.add_counts, self._tiers)
        self._marks = ProblemMarks(self._workspace, self._editor)
        counter = TokenCounter()
        self._gatherer = ContextGatherer(self._workspace, counter)
        self._sent = PromptLog(counter.about)
        # Status, reviews and edits.
        self._status = StatusReporter(
            endpoint=self.endpoint,
            tiers=self._tiers,
            usage=self._usage,
            problems=lambda: (*self._configuration.problems, *self._review_troubles),
            gatherer=self._gatherer,
            sent=self._sent,
            reviews=lambda: self._reviews.running,
            completions=lambda: self._completions,
            next_edits=lambda: self._next_edits,
            edits=lambda: self._edits,
            is_pushed=client.has_status,
        )
        self._settings_known = asyncio.Event()
        self._reviews = ReviewService(
            self.endpoint, self._around, may_open=self._settings_known
        )
        self._plans = PlanService(
            self.endpoint, self._around, may_open=self._settings_known
        )
        self._review_troubles: list[str] = []
        self._counter = counter
        self._parser = ParserPool()
        self._services = EditorServices(
            workspace=self._workspace,
            editor=self._editor,
            tiers=self._tiers,
            settings=lambda: self._configuration.settings,
            parser=self._parser,
            cache_key=secrets.token_hex(8),
            sent=self._sent,
            experience=lambda: self._usage.experience,
        )
        self._tests = TestService(
            self.endpoint,
            lambda: self._configuration.settings,
            self._around,
            may_open=self._settings_known,
        )
        self._edits = self._new_edits(self._services)
        self._completions = Completions(
            self._workspace,
            self._tiers,
            lambda: self._configuration.settings.complete,
            cache_key=self._services.cache_key,
            parser=self._parser,
            folders=self._checked_folders,
            on_ready=partial(announce_completion, endpoint, client),
            is_edited=self._edits.covers,
            recent_edits=self._gatherer.recent_edits,
            nearby=self._gatherer,
            counter=self._counter_of("completion"),
        )
        self._next_edits = NextEdits(
            self._services,
            self._tiers,
            on_change=self._next_edit_changed,
            is_edited=self._edits.covers,
            is_completing=self._completions.is_showing,
            recent_edits=self._gatherer.recent_edits,
            problems=self._gatherer.problems_in,
            counter=self._counter_of("next-edit"),
        )
        self._next_edit_service = NextEditService(
            self.endpoint,
            self._workspace,
            self._next_edits,
            is_shown=client.has_next_edit,
        )
        self._next_edit_fallbacks = NextEditFallbacks(
            self.endpoint,
            client,
            self._workspace,
            self._next_edits,
            diagnostics,
            lambda: self._configuration.settings.next_edit,
        )
        self._ghost_text = GhostText(self.endpoint, client)
        self._serve()

    def _next_edit_changed(self, uri: str) -> None:
        self._next_edit_service.changed(uri)
        self._next_edit_fallbacks.changed(uri)

    def _counter_of(self, kind: AutomaticKind) -> AutomaticCounter:
        return AutomaticCounter(
            partial(self._automatic.add, kind), on_change=self._status.changed
        )

    def _new_edits(self, services: EditorServices) -> Edits:
        return Edits(
            services,
            tasks=PromptWriter(
                services, gatherer=self._gatherer, counter=self._counter
            ),
            on_change=self._session_changed,
        )

    def _serve(self) -> None:
        endpoint = self.endpoint
        serve_text_sync(endpoint, self._workspace, on_activity=self._activity)
        serve_folders(endpoint, self._workspace, on_change=self._roots_changed)
        endpoint.on_notification("initialized", Raw, lambda _: self._begin())
        self._configuration.serve()
        endpoint.before_answers(self._usage.settled)
        # Closed in reverse order, so that the ends of edits are still recorded.
        endpoint.on_shutdown(self._parser.aclose)
        endpoint.on_shutdown(self._usage.aclose)
        endpoint.on_shutdown(self._automatic.aclose)
        endpoint.on_shutdown(self._tiers.aclose)
        endpoint.on_shutdown(self._gatherer.aclose)
        endpoint.on_shutdown(self._end_edits)
        endpoint.on_shutdown(self._completions.aclose)
        endpoint.on_shutdown(self._next_edits.aclose)
        serve_inline_completion(
            endpoint,
            self._workspace,
            self._completions,
            next_edit=self._next_edit_fallbacks.ghost_text,
        )
        self._next_edit_service.serve()
        self._reviews.serve()
        self._plans.serve()
        self._tests.serve()
        self._actions = serve_actions(
            endpoint,
            self._client,
            self._services,
            edits=self._edits,
            unseen_edits=self._new_edits(
                replace(self._services, editor=HandOverEditor())
            ),
            gatherer=self._gatherer,
            reviews=self._review_menu,
            next_edits=self._next_edit_fallbacks.actions,
            ledger=self._usage,
        )
        Commands(
            edits=self._edits,
            precomputed=self._actions.precomputed,
            workspace=self._workspace,
            parser=self._parser,
            status=self._status.status,
            take_back_plan=self._plans.take_back,
            store_fixes=self._reviews.store_fixes,
            more={
                **self._actions.commands,
                **self._reviews.table(),
                **self._plans.table(),
                **self._tests.table(),
                **self._next_edit_service.table(),
                **self._next_edit_fallbacks.table(),
                **SharpenCommand(self._services).table(),
                **NextPromptCommand(self._workspace, self._edits).table(),
                **FilesCommand(
                    self._services.workspace, self._parser, self._services.tiers
                ).table(),
            },
        ).serve(endpoint)

    def _activity(self) -> None:
        self._tiers.activity()
        self._parser.stay()

    def register_features(self, server: LanguageServer) -> None:
        """Register the pygls features; runs in a thread, once."""
        # Imported late: lsprotocol takes longer than the answer to `initialize` may.
        from redline.lsp.methods import (
            code_action_resolve,
            pygls_commands,
            reviews,
            workspace,
        )

        # Reviews.
        reviews.register(
            server,
            self._reviews,
            self._plans,
            self._tests,
            next_edit_lenses=self._next_edit_fallbacks.lenses,
        )
        # Actions, settings and files.
        code_action_resolve.register(server, self._actions.resolver)
        workspace.register(
            server,
            on_files=self._files_changed,
            on_saved=self._saved,
            on_renamed=self._files_renamed,
            can_register=self._client.registers_watched_files,
        )
        # Commands that are not on the fast path.
        pygls_commands.register(
            server,
            usage=self._usage,
            automatic=self._automatic,
            sent=self._sent,
            reviews=self._reviews,
            prompt_folders=lambda: self._configuration.prompt_folders,
        )

    def _review_menu(
        self, uri: str, place: LspRange, only: Collection[str] | None
    ) -> Sequence[MenuEntry]:
        """Return the menu entries of tests, plans and reviews at a place."""
        return [
            *self._tests.menu(uri, place, only),
            *debug_actions(self._workspace, uri, place, only),
            *self._plans.menu(uri, place, only),
            *self._reviews.menu(uri, place, only),
        ]

    def _around(self) -> RoomServices:
        return RoomServices(
            endpoint=self.endpoint,
            client=self._client,
            services=self._services,
            edits=self._edits,
            counter=self._counter,
            progress=self._progress,
            diagnostics=self._diagnostics,
            ledger=self._usage,
            failed_output=self._tests.failed_output,
            on_change=self._status.changed,
            on_trouble=self._reviews_in_trouble,
            on_recovery=self._reviews_recovered,
        )

    def _reviews_recovered(self, message: str) -> None:
        if message in self._review_troubles:
            self._review_troubles.remove(message)
            self._status.changed()

    def _reviews_in_trouble(self, message: str) -> None:
        if message not in self._review_troubles:
            logger.warning("%s", message)
            self._review_troubles.append(message)
            self._status.changed()

    def _checked_folders(self) -> CheckedFolders | None:
        """Return what imports are resolved with; None: they are not checked."""
        settings = self._configuration.settings
        if IMPORTS_RULE in settings.checks.off:
            return None
        return checked_folders(
            self._workspace.roots,
            settings=settings,
            documents=self._workspace.snapshots(),
            language=Language.PYTHON,
        )

    def _root_paths(self) -> list[Path]:
        return [Path(uri_path(root)) for root in self._workspace.roots]

    def _roots_changed(self) -> None:
        self._configuration.roots_changed(self._root_paths())
        self._gatherer.roots_changed()
        self._reviews.roots_changed()
        self._remove_left_drafts()

    def _saved(self, uri: str) -> None:
        if self._configuration.settings.review.on_save != "off":
            self._reviews.saved(uri)

    def _files_changed(self) -> None:
        self._gatherer.files_changed()
        self._reviews.files_changed()

    def _files_renamed(self, renames: Sequence[FileRename]) -> None:
        self._edits.files_renamed(renames)
        self._reviews.files_renamed(renames)

    async def _end_edits(self) -> None:
        await self._edits.aclose()
        self._recorder.close()

    def _session_changed(self, session: EditSession) -> None:
        self._recorder.session_changed(session)
        self._marks.session_changed(session)
        self._status.session_changed(session)

    def _remove_left_drafts(self) -> None:
        from redline.drafts import remove_left_drafts

        removal = asyncio.to_thread(remove_left_drafts, self._root_paths())
        self.endpoint.start(removal, name="remove left drafts")

    def _begin(self) -> None:
        self.endpoint.start(self._configuration.start(), name="load settings")

    def _expect_settings(self) -> None:
        self._loaded = None
        self._tiers.expect_settings()
        self._next_edits.model.expect_settings()
        self._settings_known.clear()

    def _take_settings(self, loaded: Loaded) -> None:
        self._loaded = loaded
        set_level(loaded.settings.log, verbose=self._options.verbose)
        self._settings_known.set()
        is_on = loaded.settings.complete.enabled
        self.endpoint.start(
            self._ghost_text.update(is_on=is_on), name="register completions"
        )
        self.endpoint.start(self._connect(loaded), name="connect models")

    async def _connect(self, loaded: Loaded) -> None:
        from redline.models.discovery import discover

        try:
            # Before the models: menus wait for these.
            await self._tests.prepare()
            found = await discover(loaded, os.environ)
        except BaseException:
            if loaded is self._loaded:
                self._tiers.keep_settings()
                self._next_edits.settings_known()
            raise
        if loaded is not self._loaded:
            # Settings that were read later may have been faster.
            return
        self._tiers.configure(found.settings, origin=found.origin)
        self._tiers.warm()
        self._next_edits.settings_known()
        if self._tiers.choose("fast").model.describe().is_model:
            # Only a model needs context, and must be kept from secrets.
            self._gatherer.begin()
        self._status.changed()
        await self._usage.use(loaded.settings.store)
        await self._usage.learn(loaded.settings.routing)
        self._status.changed()
        await self._reviews.resume()
        await self._plans.resume()
        self._remove_left_drafts()


def _build_model(label: str, settings: ModelSettings, limits: LimitSettings) -> Model:
    from redline.models.build import build_model

    return build_model(label, settings, limits)


def _build_embedded(limits: LimitSettings) -> Model:
    from redline.models.embedded import embedded_gateway

    return embedded_gateway(limits)
