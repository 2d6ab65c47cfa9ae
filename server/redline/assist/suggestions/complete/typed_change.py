"""What kind of change the user made: a key, a deletion, a paste, an undo."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from redline.text.position import Position

ChangeKind = Literal["typed", "deleted", "pasted", "undone", "several", "none"]

MAX_TYPED = 120
"""Longer insertions are pasted."""

_N_REMEMBERED = 32
_MIN_UNDONE = 2
"""A single character that is typed again is typed, not redone."""

_PAIRS = frozenset(("()", "[]", "{}", '""', "''", "``"))


class TypedChange(Struct, frozen=True, kw_only=True):
    """One replacement in a document."""

    start: Position
    old: str
    new: str
    end: Position
    """Where the new text ends."""


class ChangeLog:
    """The last changes of one document."""

    def __init__(self) -> None:
        self.n_deleted = 0
        """Deletions in a row."""
        self._last: deque[TypedChange] = deque(maxlen=_N_REMEMBERED)
        self._pending: list[TypedChange] = []

    def add(self, change: TypedChange) -> None:
        """Add one change of a message."""
        self._pending.append(change)

    def settle(self) -> tuple[ChangeKind, TypedChange | None]:
        """Judge the changes of one message together."""
        changes, self._pending = _joined(self._pending), []
        if len(changes) != 1:
            self.n_deleted = 0
            self._last.extend(changes)
            return ("several" if changes else "none"), None
        change = changes[0]
        kind = self._kind(change)
        self.n_deleted = self.n_deleted + 1 if kind == "deleted" else 0
        self._last.append(change)
        return kind, change

    def _kind(self, change: TypedChange) -> ChangeKind:
        if max(len(change.old), len(change.new)) >= _MIN_UNDONE and any(
            one.start == change.start
            and one.old == change.new
            and one.new == change.old
            for one in self._last
        ):
            return "undone"
        if not change.new:
            return "deleted"
        return "pasted" if len(change.new) > MAX_TYPED else "typed"


def _joined(changes: list[TypedChange]) -> list[TypedChange]:
    """Take the changes of one message as one if each is where the last one was made.

    Neovim sends the keys of a moment together, with what its indentation does between
    them. Changes at several cursors are at different places.
    """
    if len(changes) < 2:
        return changes
    for last, change in pairwise(changes):
        if not last.start <= change.start <= last.end:
            return changes
    end = changes[-1]
    if not end.new:
        return [end]
    return [replace(end, start=changes[0].start, old="")]


def cursor_after(change: TypedChange) -> Position:
    """Return where the cursor is most likely; inside a pair that was closed."""
    if change.new in _PAIRS:
        return Position(change.end.line, change.end.character - 1)
    return change.end
