"""The offers of a document: one is shown, the others follow it.

An offer moves with the text. It goes when its text changes, and all of them go when the
change they follow from does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from redline.next_edits.journal import UserChange
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.together import taken_together
from redline.text.anchor import Splice
from redline.text.position import Position, Range, text_in

Meaning = Literal["accepted", "followed", "other"]
"""What a change of the text means for the offers: one was accepted, the user typed the
beginning of one, or neither."""


class Chain:
    """The offers that wait, the next one first."""

    def __init__(self) -> None:
        self.has_cause = False
        """Whether the change that they follow from still stands."""
        self._edits: list[NextEdit] = []
        self._first = self._end = 0
        """The lines of that change; none if it is in another document."""

    @property
    def edits(self) -> tuple[NextEdit, ...]:
        """The offers, the next one first."""
        return tuple(self._edits)

    def begin(self, edits: Sequence[NextEdit], change: UserChange) -> None:
        """Replace the offers by those that follow from a change."""
        self._edits = list(edits)
        self._first, self._end = change.first, change.end
        self.has_cause = True

    def begin_elsewhere(self, edits: Sequence[NextEdit]) -> None:
        """Replace the offers by those that follow from another document."""
        self._edits = list(edits)
        self._first = self._end = 0
        self.has_cause = False

    def clear(self) -> None:
        """Withdraw all offers."""
        self._edits.clear()
        self.has_cause = False

    def remove(self, edit: NextEdit) -> None:
        if edit in self._edits:
            self._edits.remove(edit)

    def spliced(
        self, splice: Splice, old_lines: Sequence[str], new_lines: Sequence[str]
    ) -> Meaning:
        """Follow one change of the text."""
        done = self._accepted(splice, old_lines, new_lines)
        if done:
            self._edits = [one for one in self._edits if one not in done]
        elif self._follow_typing(splice, new_lines):
            return "followed"
        elif self._touches_cause(splice):
            self.clear()
            return "other"
        moved = (_moved(one, splice) for one in self._edits)
        self._edits = [one for one in moved if one is not None]
        self._first = _moved_line(self._first, splice)
        self._end = _moved_line(self._end, splice)
        return "accepted" if done else "other"

    def drop_changed(self, lines: Sequence[str]) -> None:
        """Withdraw the offers whose text has changed or that were done by hand."""
        self._edits = [one for one in self._edits if is_standing(one, lines)]

    def _accepted(
        self, splice: Splice, old_lines: Sequence[str], new_lines: Sequence[str]
    ) -> tuple[NextEdit, ...]:
        """Return the offers that a change carries out, however it is described."""
        first, last = splice.old.start.line, splice.old.end.line
        old, new = "".join(old_lines), "".join(new_lines)
        together = taken_together(self._edits)
        for some in (together, *((one,) for one in self._edits)):
            if not some or some[0].is_jump:
                continue
            if some[0].range.start.line < first or some[-1].range.end.line > last:
                continue
            if _carried_out(some, old_lines, old, first) == new:
                return some
        return ()

    def _follow_typing(self, splice: Splice, new_lines: Sequence[str]) -> bool:
        """Shorten the first offer if the user types the text that it inserts."""
        if not self._edits:
            return False
        shown = self._edits[0]
        at = splice.old.start
        if shown.old or not splice.old.is_empty or at != shown.range.start:
            return False
        first = splice.new.start.line
        start = _offset(new_lines, splice.new.start, first)
        stop = _offset(new_lines, splice.new.end, first)
        typed = "".join(new_lines)[start:stop]
        if not shown.text.startswith(typed) or shown.text == typed:
            return False
        place = Range(splice.new.end, splice.new.end)
        rest = [_moved(one, splice) for one in self._edits[1:]]
        self._edits = [
            replace(shown, range=place, text=shown.text[len(typed) :]),
            *(one for one in rest if one is not None),
        ]
        return True

    def _touches_cause(self, splice: Splice) -> bool:
        return splice.old.start.line < self._end and splice.old.end.line >= self._first


def _carried_out(
    edits: Sequence[NextEdit], lines: Sequence[str], text: str, first: int
) -> str:
    """Return the text of some lines with some edits, the first line's number given."""
    for edit in reversed(edits):
        start = _offset(lines, edit.range.start, first)
        text = text[:start] + edit.text + text[start + len(edit.old) :]
    return text


def is_standing(edit: NextEdit, lines: Sequence[str]) -> bool:
    """Whether an offer still fits the text."""
    if edit.range.end.line >= len(lines):
        # A removed last line ends behind the text.
        return False
    if text_in(lines, edit.range) != edit.old:
        return False
    if edit.old.isidentifier():
        line = lines[edit.range.start.line]
        before = line[: edit.range.start.character][-1:]
        after = line[edit.range.end.character :][:1]
        return not any(one.isalnum() or one == "_" for one in (before, after))
    return True


def _moved(edit: NextEdit, splice: Splice) -> NextEdit | None:
    """Return an offer at its new place; None: the change is inside it."""
    if splice.old.start >= edit.range.end and (
        edit.old or splice.old.start > edit.range.end
    ):
        return edit
    if splice.old.end <= edit.range.start:
        place = Range(splice.moved(edit.range.start), splice.moved(edit.range.end))
        return replace(edit, range=place)
    return None


def _moved_line(line: int, splice: Splice) -> int:
    n_lines = splice.new.end.line - splice.old.end.line
    return line + n_lines if line > splice.old.start.line else line


def _offset(lines: Sequence[str], at: Position, first: int) -> int:
    return sum(map(len, lines[: at.line - first])) + at.character
