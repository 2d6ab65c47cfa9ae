"""Saves, renames, and files that change outside of the editor."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from redline.assist.privacy.ignore_places import IGNORE_FILES
from redline.syntax.language import SUFFIXES
from redline.text.uri import FileRename

_ANSWER_LIMIT_S = 10.0

logger = logging.getLogger(__name__)


def register(
    server: LanguageServer,
    *,
    on_files: Callable[[], None],
    on_saved: Callable[[str], None],
    on_renamed: Callable[[Sequence[FileRename]], None],
    can_register: bool,
) -> None:
    """Report saved, renamed and changed files.

    Args:
        server: The server to register on.
        on_files: Called for each notification of changed files. It must read the disk,
            where more files may have changed than the notification names.
        on_saved: Called with the URI of each document that was saved.
        on_renamed: Called for the files and folders of each notification of renames.
        can_register: Whether the editor supports the request to watch files.
    """

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def on_did_save(params: types.DidSaveTextDocumentParams) -> None:
        on_saved(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_RENAME_FILES)
    def on_did_rename_files(params: types.RenameFilesParams) -> None:
        on_renamed([FileRename(one.old_uri, one.new_uri) for one in params.files])

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def on_did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        on_files()

    if not can_register:
        return

    @server.feature(types.INITIALIZED)
    async def on_initialized(params: types.InitializedParams) -> None:
        answer = server.client_register_capability_async(_registration())
        try:
            await asyncio.wait_for(answer, _ANSWER_LIMIT_S)
        except (JsonRpcException, TimeoutError) as exc:
            logger.warning("the editor does not watch files: %s", exc)


def _registration() -> types.RegistrationParams:
    suffixes = ",".join(suffix.removeprefix(".") for suffix in SUFFIXES)
    patterns = (f"**/*.{{{suffixes}}}", *(f"**/{name}" for name in IGNORE_FILES))
    options = types.DidChangeWatchedFilesRegistrationOptions(
        watchers=[types.FileSystemWatcher(pattern) for pattern in patterns]
    )
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    return types.RegistrationParams(
        [types.Registration("redline-files", method, options)]
    )
