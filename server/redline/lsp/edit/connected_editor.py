"""Implements the port to the editor on top of one connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import UNSET

from redline.assist.editor.editor import (
    Began,
    EditEnd,
    EditorTraits,
    EditProgress,
    HunksPainted,
    ProblemMark,
)
from redline.lsp.client.diagnostics import DiagnosticBoard, warning
from redline.lsp.client.progress import ProgressRegistry
from redline.lsp.client.window import MessageType, show_message
from redline.lsp.client.workspace_edits import EditForms, apply_edit
from redline.lsp.edit import edit_messages
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol import names
from redline.lsp.protocol.messages import wire_range
from redline.text.document import Snapshot
from redline.text.markdown import plain_message
from redline.text.region import TextEdit


class ConnectedEditor:
    """Implements `redline.assist.editor.editor.Editor`."""

    def __init__(
        self,
        endpoint: Endpoint,
        progress: ProgressRegistry,
        diagnostics: DiagnosticBoard,
        client: Client,
    ) -> None:
        self._endpoint = endpoint
        self._diagnostics = diagnostics
        self._progress = progress
        self._forms = EditForms(client)
        self.traits = EditorTraits(
            has_preview=client.has_preview,
            takes_versions=client.has_document_changes,
        )

    @property
    def is_behind(self) -> bool:
        return self._endpoint.is_congested

    async def apply_edit(
        self, snapshot: Snapshot, edits: Sequence[TextEdit], label: str
    ) -> bool:
        """Request one versioned edit; see the port."""
        edit = self._forms.of_edits(snapshot, edits)
        return await apply_edit(self._endpoint, label, edit)

    def began(self, began: Began) -> None:
        """Send `redline/edit/began`."""
        self._endpoint.notify(
            names.BEGAN,
            edit_messages.EditBegan(
                session_id=began.session_id,
                uri=began.snapshot.uri,
                version=began.snapshot.version,
                range=wire_range(began.snapshot, began.range),
                tier=began.tier,
                reasons=began.reasons,
                assumes=began.assumes,
            ),
        )

    def hunks(self, painted: HunksPainted) -> None:
        """Send `redline/edit/hunks`."""
        self._endpoint.notify(names.HUNKS, wire_hunks(painted))

    def ended(self, ended: EditEnd) -> None:
        """Send `redline/edit/ended`."""
        self._endpoint.notify(
            names.ENDED,
            edit_messages.EditEnded(
                session_id=ended.session_id,
                outcome=ended.outcome,
                message=plain_message(ended.message or "") or UNSET,
                superseded_by=ended.superseded_by or UNSET,
            ),
        )

    def show_message(self, message: str) -> None:
        """Send `window/showMessage`."""
        show_message(self._endpoint, MessageType.INFO, message)

    def mark(self, snapshot: Snapshot, marks: Sequence[ProblemMark]) -> None:
        """Publish the problems as diagnostics."""
        diagnostics = [
            warning(wire_range(snapshot, mark.range), mark.message, code=mark.rule)
            for mark in marks
        ]
        self._diagnostics.put(
            "edits", snapshot.uri, diagnostics, version=snapshot.version
        )

    def start_progress(
        self,
        title: str,
        token: str | int | None,
        on_cancel: Callable[[], object],
        *,
        message: str | None = None,
    ) -> EditProgress:
        """Open work-done progress."""
        return self._progress.start(title, token, on_cancel, message=message)


def wire_hunks(painted: HunksPainted) -> edit_messages.EditHunks:
    """Turn a preview's hunks into the client's."""
    return edit_messages.EditHunks(
        session_id=painted.session_id,
        seq=painted.seq,
        version=painted.snapshot.version,
        full=painted.is_full,
        hunks=tuple(
            edit_messages.Hunk(
                id=hunk.id,
                range=wire_range(painted.snapshot, hunk.edit.range),
                new_text=hunk.edit.new_text,
                state=hunk.state,
                covers=hunk.n_covered,
            )
            for hunk in painted.hunks
        ),
        removed=painted.removed,
    )
