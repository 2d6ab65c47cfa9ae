"""Undo: restores the text from before an applied edit."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from redline.assist.edit.document.applier import Applier
from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.edit.session.session import EditSession
from redline.assist.editor.workspace import Workspace
from redline.errors import EditNotLandedError, UnknownSessionError
from redline.text.line_diff import diff_lines

MAX_REMEMBERED = 16
"""More than users take back; each costs an anchor in its document."""


class AppliedEdits:
    """The last applied edits of one editor."""

    def __init__(self, workspace: Workspace, applier: Applier) -> None:
        self._workspace = workspace
        self._applier = applier
        self._edits: dict[str, _AppliedEdit] = {}

    def __len__(self) -> int:
        """Return the number of remembered edits."""
        return len(self._edits)

    def clear(self) -> None:
        for session_id in list(self._edits):
            self._forget(session_id)

    def remember(self, session: EditSession) -> None:
        """Remember what a session replaced; forget an earlier edit with its id."""
        if session.id in self._edits:
            self._forget(session.id)
        edit = _AppliedEdit(session, self._forget)
        self._edits[session.id] = edit
        self._workspace.watch(session.request.uri, edit)
        for oldest in list(self._edits)[:-MAX_REMEMBERED]:
            self._forget(oldest)

    async def take_back(self, session_id: str) -> None:
        """Restore the text from before the edit.

        Raises:
            UnknownSessionError: If it was not applied, or not recently.
            EditNotLandedError: If the text was changed since, or the editor refused.
        """
        edit = self._edits.get(session_id)
        if edit is None:
            raise UnknownSessionError(
                "There is no applied edit with that id that could be taken back."
            )
        if edit.edit_target.is_touched:
            raise _changed_since()
        landed = await self._applier.land(
            edit.edit_target,
            diff_lines(edit.edit_target.region.lines, edit.original),
            label=f"Take back {edit.label}",
        )
        if landed != "landed":
            raise _changed_since()
        # A second command may have taken it back as well, or its document was closed.
        if self._edits.get(session_id) is edit:
            self._forget(session_id)

    def _forget(self, session_id: str) -> None:
        edit = self._edits.pop(session_id)
        edit.edit_target.release()
        self._workspace.unwatch(edit.edit_target.document.uri, edit)


class _AppliedEdit:
    """One applied edit; watches its document."""

    def __init__(self, session: EditSession, forget: Callable[[str], None]) -> None:
        edit_target = session.edit_target
        self.edit_target = EditTarget(
            edit_target.document,
            replace(edit_target.region, range=edit_target.place),
        )
        self.original = session.edit_target.original
        self.label = session.label
        self._id = session.id
        self._forget = forget

    def document_changed(self) -> None:
        """Check whether the undo has landed."""
        self.edit_target.has_landed()

    def document_closed(self) -> None:
        self._forget(self._id)


def _changed_since() -> EditNotLandedError:
    return EditNotLandedError(
        "The text was changed since, so it was not taken back.",
        remedy="Use the editor's undo.",
    )
