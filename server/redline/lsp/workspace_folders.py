"""Workspace folders that come and go while the server runs."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from redline.assist.workspace import Workspace
from redline.lsp.endpoint import Endpoint


class _Folder(Struct, frozen=True):
    uri: str


class _Event(Struct, frozen=True):
    added: list[_Folder] = []
    removed: list[_Folder] = []


class _DidChangeFolders(Struct, frozen=True):
    event: _Event


def serve_workspace_folders(
    endpoint: Endpoint, workspace: Workspace, *, on_change: Callable[[], None]
) -> None:
    """Keep the workspace's roots as the editor has them, and tell when they change."""

    def on_did_change_workspace_folders(params: _DidChangeFolders) -> None:
        gone = {folder.uri for folder in params.event.removed}
        kept = [root for root in workspace.roots if root not in gone]
        added = [folder.uri for folder in params.event.added]
        workspace.roots = (*kept, *(uri for uri in added if uri not in kept))
        on_change()

    endpoint.on_notification(
        "workspace/didChangeWorkspaceFolders",
        _DidChangeFolders,
        on_did_change_workspace_folders,
    )
