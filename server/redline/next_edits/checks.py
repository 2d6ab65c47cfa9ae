"""What is never offered: an edit that changes nothing, or undoes what the user did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from redline.next_edits.journal import TokenReplacement, UserChange, replaced
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.source import EditedSource
from redline.text.line_diff import common_head
from redline.text.lines import strip_end
from redline.text.position import Position

_MIN_REMOVED = 3
"""Shorter removed texts occur by chance in others."""

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
        edits: What the rules found, or a model.
        source: The document.
        changes: What the user did, the newest last.
        cursor: Where the user is; None: not known.
        now_s: The time.
    """
    last = changes[-1] if changes else None
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
            or _undoes(edit, source, typed, last, cursor)
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
    last: UserChange | None,
    cursor: Position | None,
) -> bool:
    what = replaced(edit.old, edit.text)
    if what is None:
        return False
    n_same = common_head(what.old, what.new)
    n_removed = len(what.old) - n_same
    n_removed -= common_head(what.old[n_same:][::-1], what.new[n_same:][::-1])
    start = source.offset(edit.range.start) + what.start
    n_undone = 0
    for change, own in typed:
        first = source.line_start(change.first) + own.start
        end = first + len(own.new)
        stop = start + len(what.old)
        if change is last or edit.rule == "model":
            # A rule may well change what was typed before the last change.
            removed = start + n_same
            n_undone += max(0, min(end, removed + n_removed) - max(first, removed))
        if start <= end and first <= stop:
            n_undone += _n_restored(what.new, own.old)
        if abs(edit.range.start.line - change.first) <= 1:
            gone = {line.strip() for line in change.old} - {
                line.strip() for line in change.new
            }
            lines = map(str.strip, edit.text.splitlines())
            n_undone += sum(len(line) for line in lines if line in gone)
    if cursor is not None and edit.range.start.line == cursor.line:
        return n_undone > 0
    return n_undone > _MAX_UNDONE * (len(what.old) + len(what.new))


def _n_restored(new: str, old: str) -> int:
    """Return how many characters of a new text are what the user has removed."""
    if new.strip() and new in old:
        return len(new)
    removed = old.strip()
    return len(removed) if len(removed) >= _MIN_REMOVED and removed in new else 0
