"""`workspace/didChangeWorkspaceFolders`: folders added or removed later."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from redline.assist.workspace import Workspace


def register(
    server: LanguageServer, workspace: Workspace, on_change: Callable[[], None]
) -> None:
    """Keep the workspace's roots in sync with the editor, and report each change."""

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def on_did_change_workspace_folders(
        params: types.DidChangeWorkspaceFoldersParams,
    ) -> None:
        removed = {folder.uri for folder in params.event.removed}
        added = [folder.uri for folder in params.event.added]
        workspace.change_roots(added=added, removed=removed)
        on_change()
