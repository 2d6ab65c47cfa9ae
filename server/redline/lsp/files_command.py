"""`redline.files`: the files that an instruction can name, while it is typed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from redline.assist.edit.nameable_files import nameable_files
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.assist.services import EditorServices
from redline.lsp import extensions, names
from redline.lsp.commands import CommandRow, command
from redline.lsp.jsonrpc.request_context import DeferredAnswer
from redline.lsp.messages import ExecuteCommand


class FilesCommand:
    """Answers `redline.files` in a thread: a workspace may be large."""

    def __init__(self, services: EditorServices) -> None:
        self._workspace = services.workspace
        self._ignore_rules = IgnoreRules()

    def table(self) -> Mapping[str, CommandRow]:
        """Return the command's row."""
        return {names.FILES: command(extensions.FilesArguments, self._files)}

    def _files(
        self, arguments: extensions.FilesArguments, params: ExecuteCommand
    ) -> DeferredAnswer:
        roots = self._workspace.roots
        opened = frozenset(document.uri for document in self._workspace.documents)

        async def run() -> extensions.FilesResult:
            files = await asyncio.to_thread(
                nameable_files,
                arguments.typed,
                roots=roots,
                opened=opened,
                rules=self._ignore_rules,
            )
            return extensions.FilesResult(files=files)

        return DeferredAnswer(lambda context: run())
