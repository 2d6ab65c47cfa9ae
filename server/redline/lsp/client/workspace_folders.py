"""The editor's folders.

They are not a pygls feature: what a workspace may do depends on its folders, so a
request must not be handled before a change of folders that was sent earlier.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from redline.assist.editor.workspace import Workspace
from redline.lsp.initialize import Folder
from redline.lsp.jsonrpc.endpoint import Endpoint


class FolderChange(Struct, frozen=True):
    added: list[Folder] = []
    removed: list[Folder] = []


class DidChangeFolders(Struct, frozen=True):
    """The params of `workspace/didChangeWorkspaceFolders`."""

    event: FolderChange


def serve_folders(
    endpoint: Endpoint, workspace: Workspace, *, on_change: Callable[[], None]
) -> None:
    """Register the handler, which runs inside the reader, in message order.

    Args:
        endpoint: The connection.
        workspace: Its roots are the editor's folders.
        on_change: Called when folders were added or removed.
    """

    def on_did_change(params: DidChangeFolders) -> None:
        removed = {folder.uri for folder in params.event.removed}
        added = [folder.uri for folder in params.event.added]
        workspace.change_roots(added=added, removed=removed)
        on_change()

    endpoint.on_notification(
        "workspace/didChangeWorkspaceFolders", DidChangeFolders, on_did_change
    )
