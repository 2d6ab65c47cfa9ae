"""`workspace/didChangeWatchedFiles`: source files that change outside the editor."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from redline.assist.privacy.ignore_rules import IGNORE_FILES
from redline.syntax.language import SUFFIXES

_ANSWER_LIMIT_S = 10.0

logger = logging.getLogger(__name__)


def register(
    server: LanguageServer, on_change: Callable[[], None], *, can_register: bool
) -> None:
    """Report changed files, and ask the editor, if it can, to watch the files we read.

    Args:
        server: The server to register on.
        on_change: Called for each notification. It must read the disk, where more files
            may have changed than the notification names.
        can_register: Whether the editor supports the request to watch files.
    """

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def on_did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        on_change()

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
