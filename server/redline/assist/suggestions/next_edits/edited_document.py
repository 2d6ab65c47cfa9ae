"""What the user did in one document, and what is offered there."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from msgspec import Struct

from redline.files import Stamp
from redline.next_edits.chain import Chain
from redline.next_edits.journal import Journal, UserChange
from redline.next_edits.memory import DismissReason, Rejections
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.together import taken_together
from redline.text.anchor import Splice
from redline.text.document import Document
from redline.text.position import Position

_numbers = itertools.count(1)


class _Spliced(Struct, frozen=True):
    splice: Splice
    old: Sequence[str]
    """The lines that it replaced."""
    new: Sequence[str]
    """The lines that were there instead right after it."""
    is_ours: bool


class EditedDocument:
    """The journal, the offers and the rejections of one document."""

    def __init__(self, document: Document, *, stamp: Stamp | None = None) -> None:
        """Begin.

        Args:
            document: The document.
            stamp: Of a file that is not open, when it was read; None: it is open.
        """
        self.document = document
        self.stamp = stamp
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
        self.cause: UserChange | None = None
        """The change that the offers follow from, as it was then."""
        self.root: EditedDocument | None = None
        """The other document whose change the offers follow from."""
        self._chain = Chain()
        self._spliced: list[_Spliced] = []
        """The changes of the message that is being handled."""
        self._has_moved = False
        self._is_new = False
        """Whether the rules have not seen the last change."""
        self.is_unseen = False
        """Whether the text has changed, also by an offer, since a model was asked."""

    @property
    def has_cause(self) -> bool:
        """Whether the change that offers follow from still stands."""
        return self._chain.has_cause

    @property
    def changes(self) -> tuple[UserChange, ...]:
        """The changes that something may follow from."""
        return () if self.journal.is_undone else self.journal.changes

    @property
    def is_by_model(self) -> bool:
        """Whether a model found the next edit."""
        return any(edit.rule == "model" for edit in self._chain.edits[:1])

    def note_splice(
        self, splice: Splice, old_lines: Sequence[str], *, is_ours: bool
    ) -> None:
        """Keep one change of a message for `record_splices`, which takes longer.

        Args:
            splice: The change.
            old_lines: The lines that it replaced.
            is_ours: Whether a running edit has made it.
        """
        new = splice.new
        new_lines = self.document.lines_between(new.start.line, new.end.line + 1)
        self._spliced.append(_Spliced(splice, old_lines, new_lines, is_ours))

    def record_splices(self, now_s: float) -> int:
        """Record the changes of a message; return how many accept an offer."""
        spliced, self._spliced = self._spliced, []
        return sum(self._record(one, now_s) for one in spliced)

    def _record(self, spliced: _Spliced, now_s: float) -> bool:
        """Record one change; return whether it accepts an offer."""
        splice, old_lines, new_lines = spliced.splice, spliced.old, spliced.new
        is_ours = spliced.is_ours
        before = self._chain.edits
        self._has_moved = self._has_moved or bool(before) or self.has_cause
        meaning = self._chain.spliced(splice, old_lines, new_lines)
        if len(self._chain.edits) != len(before):
            self._set_head()
        is_accepted = is_ours or meaning != "other"
        self.journal.record(
            splice.old, old_lines, new_lines, now_s, is_accepted=is_accepted
        )
        if self.journal.is_undone:
            self.clear()
        self.cursor = splice.new.end
        self.key_s = now_s
        self._is_new = self._is_new or not is_accepted
        self.is_unseen = self.is_unseen or not is_ours
        return meaning == "accepted"

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

    def note_asked(self) -> None:
        """Record that a model was asked about the text."""
        self.is_unseen = False

    def note_unanswered(self) -> None:
        """Record that the model was stopped before it could answer."""
        self.is_unseen = True

    def take_moved(self) -> bool:
        """Whether offers were there when the text changed, since the last call."""
        has_moved, self._has_moved = self._has_moved, False
        return has_moved

    def begin(self, edits: Sequence[NextEdit]) -> None:
        """Replace the offers by those that follow from the last change, if any."""
        changes = self.journal.changes
        self.root, self.cause = None, changes[-1] if changes else None
        if self.cause is None:
            self._chain.begin_elsewhere(edits)
        else:
            self._chain.begin(edits, self.cause)
        self._set_head()

    def begin_elsewhere(self, edits: Sequence[NextEdit], root: EditedDocument) -> None:
        """Replace the offers by those that follow from another document's change."""
        self.root = root
        self._chain.begin_elsewhere(edits)
        self._set_head()

    def adopt(self, closed: EditedDocument) -> None:
        """Take over what is offered in the file, which was not open until now."""
        self.root = closed.root
        self.remember(closed)
        self._chain.begin_elsewhere(closed.standing())
        self._set_head()

    def remember(self, before: EditedDocument) -> None:
        """Refuse what was rejected in the same file before."""
        self.rejections = before.rejections

    def standing(self) -> tuple[NextEdit, ...]:
        """Return the offers that still fit the text, the next one first."""
        edits = self._chain.edits
        if edits and self.root is not None and not self.root.has_cause:
            self.clear()
        elif edits:
            self._chain.drop_changed(self.document.lines)
            if self._chain.edits[:1] != edits[:1]:
                self._set_head()
        return self._chain.edits

    def remove_head(self) -> None:
        """Withdraw the next edit; the one after it follows."""
        for edit in taken_together(self._chain.edits):
            self._chain.remove(edit)
        self._set_head()

    def clear(self) -> None:
        """Withdraw all offers."""
        self._chain.clear()
        self._set_head()

    def dismiss(self, reason: DismissReason, now_s: float) -> None:
        """Record that the next edit was not taken.

        A rejected one takes the others of its kind with it: they are not offered again
        either. One that was not visible was not ignored.
        """
        lines = self.document.lines
        was_shown = self.is_shown
        standing = self.standing()
        refused = standing if reason == "rejected" else taken_together(standing)
        if reason == "rejected" or was_shown:
            for edit in refused:
                self.rejections.note(edit, lines, reason, now_s)
        if reason == "rejected":
            self.clear()
        else:
            self.remove_head()

    def allowed(self, edits: Sequence[NextEdit], now_s: float) -> list[NextEdit]:
        """Return the edits that the user has not rejected."""
        lines = self.document.lines
        return [one for one in edits if not self.rejections.refuses(one, lines, now_s)]

    def _set_head(self) -> None:
        self.is_shown = False
        self.head_id = f"n{next(_numbers)}" if self._chain.edits else ""
