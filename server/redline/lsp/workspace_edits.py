"""Workspace edits, in the form that this client takes."""

from __future__ import annotations

from dataclasses import dataclass

from redline.assist.hand_over import HandedOver
from redline.assist.write_tests import WrittenTests
from redline.lsp.messages import (
    CreateFile,
    DocumentId,
    TextDocumentEdit,
    WorkspaceEdit,
    wire_edits,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditForms:
    """What a client's workspace edits may hold."""

    takes_versions: bool
    """Whether it understands `documentChanges`."""
    creates_files: bool

    def of_edit(self, done: HandedOver) -> WorkspaceEdit:
        """Write an edit of an open document."""
        snapshot, edits = done.snapshot, wire_edits(done.snapshot, done.edits)
        if not self.takes_versions:
            return WorkspaceEdit(changes={snapshot.uri: edits})
        document = DocumentId(snapshot.uri, snapshot.version)
        return WorkspaceEdit(document_changes=[TextDocumentEdit(document, edits)])

    def of_tests(self, tests: WrittenTests) -> WorkspaceEdit:
        """Write the edit of a test file, which may have to be created."""
        snapshot, edits = tests.snapshot, wire_edits(tests.snapshot, tests.edits)
        if not self.takes_versions:
            return WorkspaceEdit(changes={snapshot.uri: edits})
        # No version: what is on disk counts.
        version = snapshot.version if tests.is_open else None
        edit = TextDocumentEdit(DocumentId(snapshot.uri, version), edits)
        if tests.is_new and self.creates_files:
            return WorkspaceEdit(document_changes=[CreateFile(snapshot.uri), edit])
        return WorkspaceEdit(document_changes=[edit])
