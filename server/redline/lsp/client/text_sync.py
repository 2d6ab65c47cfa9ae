"""Text synchronisation: applies the editor's changes to our documents."""

from __future__ import annotations

from collections.abc import Callable

from redline.assist.editor.workspace import Workspace
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol.messages import DidChange, DidClose, DidOpen, our_changes


def serve_text_sync(
    endpoint: Endpoint, workspace: Workspace, *, on_activity: Callable[[], None]
) -> None:
    """Register the handlers; they run inside the reader, in message order.

    Args:
        endpoint: The connection.
        workspace: The documents to update.
        on_activity: Called for each keystroke, so that connections are kept warm.
    """

    def on_did_open(params: DidOpen) -> None:
        item = params.text_document
        workspace.open(item.uri, item.language_id, item.version, item.text)

    def on_did_change(params: DidChange) -> None:
        document = params.text_document
        version = document.version
        if version is None:
            # Only old clients omit it; our own count still distinguishes edits.
            version = workspace.document(document.uri).version + 1
        workspace.change(document.uri, version, our_changes(params.content_changes))
        on_activity()

    def on_did_close(params: DidClose) -> None:
        workspace.close(params.text_document.uri)

    endpoint.on_notification("textDocument/didOpen", DidOpen, on_did_open)
    endpoint.on_notification("textDocument/didChange", DidChange, on_did_change)
    endpoint.on_notification("textDocument/didClose", DidClose, on_did_close)
