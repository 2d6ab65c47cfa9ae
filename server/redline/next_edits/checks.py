"""What is never offered: an edit that changes nothing, or undoes what the user did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from redline.next_edits.journal import TokenReplacement, UserChange, replaced
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.source import EditedSource
from redline.text.lines import strip_end
from redline.text.position import Position

UNDO_S = 60.0
MAX_ADDED, MAX_REMOVED = 12, 8
"""Lines."""

_MAX_UNDONE = 0.2
"""The part of an edit that may undo what the user did, in other lines than the
cursor's."""


def allowed(
    edits: Iterable[NextEdit],
    source: EditedSource,
    changes: Sequence[UserChange],
    cursor: Position | None,
    now_s: float,
) -> list[NextEdit]:
    """Return the edits that may be offered.

    Args:
        edits: What the rules found.
        source: The document.
        changes: What the user did, the newest last.
        cursor: Where the user is; None: not known.
        now_s: The time.
    """
    typed = [
        (change, what)
        for change in changes
        if not change.is_accepted
        and now_s - change.at_s <= UNDO_S
        and (what := change.replacement) is not None
    ]
    return [
        edit
        for edit in edits
        if edit.is_jump
        or not (
            _is_nothing(edit)
            or _is_long(edit)
            or _repeats_neighbour(edit, source)
            or _changes_typed_word(edit, source, cursor)
            or _undoes(edit, source, typed, changes[-1], cursor)
        )
    ]


def _is_nothing(edit: NextEdit) -> bool:
    return edit.old.split() == edit.text.split() or (
        "".join(edit.old.split()) == "".join(edit.text.split())
    )


def _is_long(edit: NextEdit) -> bool:
    return edit.text.count("\n") > MAX_ADDED or edit.old.count("\n") > MAX_REMOVED


def _repeats_neighbour(edit: NextEdit, source: EditedSource) -> bool:
    """Whether whole new lines stand right above or below already."""
    if edit.old or not edit.text.endswith(("\n", "\r")):
        return False
    line = edit.range.start.line
    around = source.lines[max(0, line - 1) : line + 1]
    return strip_end(edit.text) in map(strip_end, around)


def _changes_typed_word(
    edit: NextEdit, source: EditedSource, cursor: Position | None
) -> bool:
    """Whether an edit replaces the beginning of the word that is being typed."""
    if cursor is None or not edit.range.start < cursor <= edit.range.end:
        return False
    start, stop = source.offset(edit.range.start), source.offset(cursor)
    return not edit.text.startswith(source.text[start:stop])


def _undoes(
    edit: NextEdit,
    source: EditedSource,
    typed: Iterable[tuple[UserChange, TokenReplacement]],
    last: UserChange,
    cursor: Position | None,
) -> bool:
    what = replaced(edit.old, edit.text)
    if what is None:
        return False
    start = source.offset(edit.range.start) + what.start
    n_undone = 0
    for change, own in typed:
        first = source.line_start(change.first) + own.start
        end = first + len(own.new)
        stop = start + len(what.old)
        if change is last:
            # Text that was typed before the last change may follow from it.
            n_undone += max(0, min(end, stop) - max(first, start))
        is_touching = start <= end and first <= stop
        if is_touching and what.new.strip() and what.new in own.old:
            n_undone += len(what.new)
    if cursor is not None and edit.range.start.line == cursor.line:
        return n_undone > 0
    return n_undone > _MAX_UNDONE * (len(what.old) + len(what.new))
