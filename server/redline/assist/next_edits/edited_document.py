"""What the user did in one document, and what is offered there."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from redline.next_edits.chain import Chain
from redline.next_edits.journal import Journal
from redline.next_edits.memory import DismissReason, Rejections
from redline.next_edits.next_edit import NextEdit
from redline.text.anchor import Splice
from redline.text.document import Document
from redline.text.position import Position

_numbers = itertools.count(1)


class EditedDocument:
    """The journal, the offers and the rejections of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.journal = Journal()
        self.rejections = Rejections()
        self.cursor: Position | None = None
        """Where the user is, as the editor or the last change says."""
        self.key_s = 0.0
        """When the user last changed the text."""
        self.is_shown = False
        """Whether the next edit is visible in the editor."""
        self.head_id = ""
        """The id of the next edit; empty: there is none."""
        self._chain = Chain()
        self._has_moved = False
        self._is_new = False
        """Whether the rules have not seen the last change."""

    def splice(
        self,
        splice: Splice,
        old_lines: Sequence[str],
        now_s: float,
        *,
        is_ours: bool,
    ) -> None:
        """Record one change; see `WorkspaceFollower.document_spliced`."""
        new = splice.new
        new_lines = self.document.lines_between(new.start.line, new.end.line + 1)
        meaning = "other"
        if self._chain.edits:
            before = len(self._chain.edits)
            meaning = self._chain.spliced(splice, old_lines, new_lines)
            self._has_moved = True
            if len(self._chain.edits) != before:
                self._set_head()
        is_accepted = is_ours or meaning != "other"
        self.journal.record(
            splice.old, old_lines, new_lines, now_s, is_accepted=is_accepted
        )
        if self.journal.is_undone:
            self._chain.clear()
            self._set_head()
        self.cursor = new.end
        self.key_s = now_s
        self._is_new = self._is_new or not is_accepted

    def move(self, cursor: Position) -> None:
        """Set where the user is."""
        self.cursor = cursor

    def note_shown(self) -> None:
        """Record that the next edit is visible."""
        self.is_shown = True

    def take_new(self) -> bool:
        """Whether the text has changed by the user since the last call."""
        is_new, self._is_new = self._is_new, False
        return is_new

    def take_moved(self) -> bool:
        """Whether offers were there when the text changed, since the last call."""
        has_moved, self._has_moved = self._has_moved, False
        return has_moved

    def begin(self, edits: Sequence[NextEdit]) -> bool:
        """Replace the offers by those that follow from the last change, if any."""
        if not edits:
            return False
        self._chain.begin(edits, self.journal.changes[-1])
        self._set_head()
        return True

    def standing(self) -> tuple[NextEdit, ...]:
        """Return the offers that still fit the text, the next one first."""
        edits = self._chain.edits
        if edits:
            lines = self.document.lines_between(0, self.document.n_lines)
            self._chain.drop_changed(lines)
            if self._chain.edits[:1] != edits[:1]:
                self._set_head()
        return self._chain.edits

    def remove_head(self) -> None:
        """Withdraw the next edit; the one after it follows."""
        for edit in self._chain.edits[:1]:
            self._chain.remove(edit)
        self._set_head()

    def dismiss(self, reason: DismissReason, now_s: float) -> None:
        """Record that the next edit was not taken.

        A rejected one takes the others of its kind with it: they are not offered again
        either. One that was not visible was not ignored.
        """
        lines = self.document.lines_between(0, self.document.n_lines)
        was_shown = self.is_shown
        refused = self.standing() if reason == "rejected" else self.standing()[:1]
        if reason == "rejected" or was_shown:
            for edit in refused:
                self.rejections.note(edit, lines, reason, now_s)
        if reason == "rejected":
            self._chain.clear()
            self._set_head()
        else:
            self.remove_head()

    def _set_head(self) -> None:
        self.is_shown = False
        self.head_id = f"n{next(_numbers)}" if self._chain.edits else ""
