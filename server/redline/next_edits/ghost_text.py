"""Shows a next edit at the cursor as ghost text, in editors that draw no edits."""

from __future__ import annotations

from msgspec.structs import replace

from redline.next_edits.next_edit import NextEdit
from redline.text.position import Position, Range


def as_ghost_text(edit: NextEdit, line: str, cursor: Position) -> NextEdit | None:
    """Return an edit as one that begins at the cursor, if ghost text can show it.

    Ghost text only inserts: the edit has to be in the cursor's line, to change nothing
    before the cursor, and to leave all characters behind it, in their order.

    Args:
        edit: The edit.
        line: The cursor's line.
        cursor: The cursor, in code points.

    Returns:
        The edit with its range from the cursor to its own end; None: it is no
        insertion at the cursor.
    """
    start, end = edit.range.start, edit.range.end
    is_in_line = start.line == end.line == cursor.line
    if edit.is_jump or not is_in_line or end < cursor:
        return None
    n_before = max(0, cursor.character - start.character)
    if edit.old[:n_before] != edit.text[:n_before]:
        return None
    between = line[cursor.character : start.character]
    old, text = between + edit.old[n_before:], between + edit.text[n_before:]
    if old == text or not _is_subsequence(old, text):
        return None
    return replace(edit, range=Range(cursor, end), old=old, text=text)


def _is_subsequence(part: str, whole: str) -> bool:
    """Whether all characters of a text are in another one, in their order."""
    rest = iter(whole)
    return all(char in rest for char in part)
