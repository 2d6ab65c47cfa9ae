"""The editor of sessions whose outcome goes to their caller (`apply="hand-over"`).

Such a session changes no document and paints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.assist.editor.editor import (
    Began,
    EditEnd,
    EditorTraits,
    EditProgress,
    HunksPainted,
    ProblemMark,
)
from redline.errors import EditNotLandedError
from redline.text.document import Snapshot
from redline.text.region import TextEdit


class SilentProgress:
    """Progress that is not shown."""

    def report(self, message: str) -> None:
        """Do nothing."""

    def end(self, message: str) -> None:
        """Do nothing."""


class HandOverEditor:
    """Implements `Editor`; of all that it is sent, it shows at most the progress."""

    traits = EditorTraits()
    is_behind = False

    def __init__(self, progress: EditProgress | None = None) -> None:
        self._progress = progress or SilentProgress()

    async def apply_edit(
        self, snapshot: Snapshot, edits: Sequence[TextEdit], label: str
    ) -> bool:
        """Refuse: the caller of the session applies the edit.

        Raises:
            EditNotLandedError: Always.
        """
        raise EditNotLandedError("An edit that is handed over is not applied.")

    def began(self, began: Began) -> None:
        """Do nothing."""

    def hunks(self, painted: HunksPainted) -> None:
        """Do nothing."""

    def ended(self, ended: EditEnd) -> None:
        """Do nothing."""

    def show_message(self, message: str) -> None:
        """Do nothing."""

    def mark(self, snapshot: Snapshot, marks: Sequence[ProblemMark]) -> None:
        """Do nothing."""

    def start_progress(
        self,
        title: str,
        token: str | int | None,
        on_cancel: Callable[[], object],
        *,
        message: str | None = None,
    ) -> EditProgress:
        """Return the progress of all its sessions."""
        return self._progress
