"""The interface of the editor for the use cases; `lsp` implements it.

Positions are in code points; the implementation converts them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import msgspec
from msgspec import Struct

from redline.routing.route import Tier
from redline.text.document import Snapshot
from redline.text.position import Range
from redline.text.region import TextEdit

Ending = Literal["accepted", "rejected", "unchanged", "stopped", "failed", "superseded"]


class EditorTraits(Struct, frozen=True, kw_only=True):
    has_preview: bool = False
    takes_versions: bool = True
    """Whether an edit says for which version it was made, so that a stale one is not
    applied."""


class Began(Struct, frozen=True, kw_only=True):
    """A session began to write."""

    session_id: str
    snapshot: Snapshot
    range: Range
    tier: Tier
    reasons: tuple[str, ...]
    assumes: tuple[str, ...] = ()
    """What the instruction leaves open and is taken for granted, as sentences."""


class PreviewHunk(msgspec.Struct, frozen=True, kw_only=True):
    """One change to show, in the coordinates of the snapshot it comes with."""

    id: int
    edit: TextEdit
    state: Literal["growing", "settled"]
    n_covered: int = 0
    """Lines after its range that it most likely replaces, too: see `n_covered`."""


class HunksPainted(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of a preview since the last message."""

    session_id: str
    seq: int
    snapshot: Snapshot
    is_full: bool
    """Whether `hunks` is the whole state and nothing shown before is valid."""
    hunks: tuple[PreviewHunk, ...]
    removed: tuple[int, ...] = ()


class EditEnd(Struct, frozen=True, kw_only=True):
    """A session that had begun to write is over."""

    session_id: str
    outcome: Ending
    message: str | None = None
    superseded_by: str | None = None


class ProblemMark(Struct, frozen=True, kw_only=True):
    range: Range
    rule: str
    message: str


class EditProgress(Protocol):
    """Work-done progress of one session."""

    def report(self, message: str) -> None:
        """Show the progress."""

    def end(self, message: str) -> None:
        """Close the progress; idempotent."""


class Editor(Protocol):
    """The editor as the use cases see it."""

    @property
    def traits(self) -> EditorTraits:
        """The capabilities of this editor."""

    @property
    def is_behind(self) -> bool:
        """Whether it reads slowly, so that updates that soon expire can wait."""

    async def apply_edit(
        self, snapshot: Snapshot, edits: Sequence[TextEdit], label: str
    ) -> bool:
        """Ask for one versioned edit of one document.

        Returns:
            Whether the editor reports that it applied it. Some report this of a stale
            edit that they dropped, so the caller waits for the document to change.

        Raises:
            EditNotLandedError: If the editor did not answer, or refused with an error.
        """

    def began(self, began: Began) -> None:
        """Notify a client with a preview that a session writes."""

    def hunks(self, painted: HunksPainted) -> None:
        """Send hunks to a client with a preview."""

    def ended(self, ended: EditEnd) -> None:
        """Notify a client with a preview that a session is over."""

    def show_message(self, message: str) -> None:
        """Show a message that needs no answer."""

    def mark(self, snapshot: Snapshot, marks: Sequence[ProblemMark]) -> None:
        """Show the problems of a document, replacing those shown before."""

    def start_progress(
        self,
        title: str,
        token: str | int | None,
        on_cancel: Callable[[], object],
        *,
        message: str | None = None,
    ) -> EditProgress:
        """Open work-done progress.

        Args:
            title: The work; it cannot change.
            token: The client's progress token; None: create one.
            on_cancel: Called if the user cancels it.
            message: The progress so far; `report` changes it.
        """
