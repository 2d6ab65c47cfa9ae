"""Workspace edits: writes them in a form that the client supports, and applies them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from redline.assist.edit.write_tests import WrittenTests
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol.messages import (
    ApplyEdit,
    ApplyEditResult,
    CreateFile,
    DocumentId,
    TextDocumentEdit,
    WorkspaceEdit,
    wire_edits,
)
from redline.text.document import Snapshot
from redline.text.region import TextEdit

_APPLY_LIMIT_S = 30.0
"""Some editors ask the user before they apply an edit, mostly if it creates a file."""


class EditForms(Struct, frozen=True):
    """The forms of workspace edits that a client supports."""

    client: Client

    def of_edits(
        self, snapshot: Snapshot, edits: Sequence[TextEdit], *, is_open: bool = True
    ) -> WorkspaceEdit:
        """Write edits of a document.

        Args:
            snapshot: The document that they edit.
            edits: The edits, in code points.
            is_open: Whether the client has it open; otherwise the file on disk is
                edited, without a version.
        """
        wire = wire_edits(snapshot, edits)
        if not self.client.has_document_changes:
            return WorkspaceEdit(changes={snapshot.uri: wire})
        document = DocumentId(snapshot.uri, snapshot.version if is_open else None)
        return WorkspaceEdit(document_changes=[TextDocumentEdit(document, wire)])

    def of_tests(self, tests: WrittenTests) -> WorkspaceEdit:
        """Write the edit of a test file, creating the file if necessary."""
        edit = self.of_edits(tests.snapshot, tests.edits, is_open=tests.is_open)
        is_created = tests.is_new and self.client.creates_files
        if not is_created or edit.document_changes is None:
            return edit
        file = CreateFile(tests.snapshot.uri)
        return WorkspaceEdit(document_changes=[file, *edit.document_changes])


def joined(edits: Sequence[WorkspaceEdit]) -> WorkspaceEdit:
    """Join edits of different files, which are written in one form."""
    if all(edit.document_changes is None for edit in edits):
        changes = [edit.changes or {} for edit in edits]
        return WorkspaceEdit(
            changes={k: v for each in changes for k, v in each.items()}
        )
    return WorkspaceEdit(
        document_changes=[one for edit in edits for one in edit.document_changes or ()]
    )


async def apply_edit(endpoint: Endpoint, label: str, edit: WorkspaceEdit) -> bool:
    """Request that the client applies an edit; return whether it did.

    Raises:
        EditorError: If it answers with an error, or does not answer.
        RemoteProtocolError: If its answer cannot be read.
    """
    answer = await endpoint.request(
        "workspace/applyEdit",
        ApplyEdit(label, edit),
        ApplyEditResult,
        timeout_s=_APPLY_LIMIT_S,
    )
    return answer.applied
