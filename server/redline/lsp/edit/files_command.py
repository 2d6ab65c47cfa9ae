"""`redline.files`: what an instruction can name by `@` and `#`, while it is typed."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial

from redline.assist.edit.attached.nameable_definitions import NameableDefinitions
from redline.assist.edit.attached.nameable_files import nameable_files
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.assist.tiers.tier_choice import Tiers
from redline.lsp.edit import prompt_messages
from redline.lsp.jsonrpc.request_context import DeferredAnswer, RequestContext
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import ExecuteCommand
from redline.lsp.rooms.command_row import CommandRow, command
from redline.parsing.work import WorkRunner

_SEARCH_S = 2.0
"""Longest search, as of a whole disk that is opened as a folder."""


class FilesCommand:
    """Answers `redline.files` in a thread: a workspace may be large.

    While an instruction is typed, requests follow each other quickly: a newer one
    cancels the one before.
    """

    def __init__(self, workspace: Workspace, parser: WorkRunner, tiers: Tiers) -> None:
        self._workspace = workspace
        self._tiers = tiers
        self._ignore_rules = IgnoreRules()
        self._definitions = NameableDefinitions(workspace, self._ignore_rules, parser)
        self._newest: RequestContext | None = None
        self._listing: asyncio.Task[tuple[str, ...]] | None = None

    def table(self) -> Mapping[str, CommandRow]:
        return {names.FILES: command(prompt_messages.FilesArguments, self._files)}

    def _files(
        self, arguments: prompt_messages.FilesArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        roots = self._workspace.roots
        opened = frozenset(document.uri for document in self._workspace.documents)

        async def run(context: RequestContext) -> prompt_messages.FilesResult:
            if self._newest is not None:
                self._newest.cancel()
            self._newest = context
            stopped = threading.Event()
            end_s = time.monotonic() + _SEARCH_S
            try:
                files = await self._listed(
                    partial(
                        nameable_files,
                        arguments.typed,
                        roots=roots,
                        opened=opened,
                        rules=self._ignore_rules,
                        is_stopped=stopped.is_set,
                        is_late=lambda: time.monotonic() > end_s,
                    )
                )
                definitions = await self._definitions.find(arguments.typed)
            finally:
                # The thread ends with the request, however that ends.
                stopped.set()
                if self._newest is context:
                    self._newest = None
            return prompt_messages.FilesResult(
                files=files, definitions=definitions, models=self._models()
            )

        return DeferredAnswer(run)

    async def _listed(self, look: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
        """List files once the thread of the request before has ended.

        A disk that does not answer would otherwise hold a thread for each key.
        """
        if self._listing is not None:
            await asyncio.wait([self._listing])
        self._listing = asyncio.create_task(asyncio.to_thread(look), name="files")
        return await asyncio.shield(self._listing)

    def _models(self) -> tuple[prompt_messages.NamedModel, ...]:
        return tuple(
            prompt_messages.NamedModel(
                name=name, model=self._tiers.choose("fast", name).model.describe().name
            )
            for name in self._tiers.names
        )
