"""Runs the rules on the last change, in order; the first that has something decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from redline.next_edits.calls import calls
from redline.next_edits.checks import allowed
from redline.next_edits.imports import missing_imports, unused_imports
from redline.next_edits.journal import UserChange
from redline.next_edits.line_pattern import line_pattern
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.pairs import pairs
from redline.next_edits.rename import rename
from redline.next_edits.repeat import WITHIN_S, repeat
from redline.next_edits.source import MAX_TOKENIZED, EditedSource, TooLongError
from redline.text.position import Position


def find_next_edits(
    lines: Sequence[str],
    language: str,
    changes: Sequence[UserChange],
    cursor: Position | None,
    now_s: float,
    *,
    removes_imports: bool,
    max_tokenized: int = MAX_TOKENIZED,
) -> list[NextEdit]:
    """Return what follows from the last change, the nearest first.

    Args:
        lines: The document, with line ends.
        language: Its LSP language id.
        changes: What the user did, the newest last.
        cursor: Where the user is; None: not known.
        now_s: The time.
        removes_imports: Whether to offer the removal of unused imports.
        max_tokenized: Characters that may be tokenized.

    Raises:
        TooLongError: If nothing is found, and a rule would have to read more.
    """
    if not changes or changes[-1].is_accepted:
        return []
    source = EditedSource(lines, language, max_tokenized=max_tokenized)
    change = changes[-1]
    if change.end > len(lines):
        return []
    recent = [
        pair
        for one in changes
        if not one.is_accepted and now_s - one.at_s <= WITHIN_S
        for pair in one.line_pairs
    ]
    rules: tuple[Callable[[], list[NextEdit]], ...] = (
        lambda: [*rename(source, change), *calls(source, change)],
        lambda: pairs(source, change),
        lambda: line_pattern(source, recent),
        lambda: repeat(source, recent),
        lambda: missing_imports(source, change),
        lambda: unused_imports(source, change) if removes_imports else [],
    )
    place = cursor or Position(change.first, 0)
    too_long: TooLongError | None = None
    for rule in rules:
        try:
            found = allowed(rule(), source, changes, cursor, now_s)
        except TooLongError as error:
            too_long = error
            continue
        if found:
            return sorted(found, key=lambda one: _distance(one, place))
    if too_long is not None:
        raise too_long
    return []


def _distance(edit: NextEdit, place: Position) -> tuple[int, int, int]:
    """Order by distance; of two equally near ones, the one below comes first."""
    start = edit.range.start
    n_lines = start.line - place.line
    return abs(n_lines), int(n_lines < 0), abs(start.character - place.character)
