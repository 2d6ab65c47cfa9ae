"""One line about a finished edit, for clients without a preview."""

from __future__ import annotations

from collections.abc import Sequence

from redline.text.line_diff import diff_lines


def change_report(
    before: Sequence[str], after: Sequence[str], *, name: str, has_steps: bool
) -> str:
    """Say how much an edit has changed, and how it is taken back.

    Args:
        before: The lines of its region before the edit.
        after: Those lines now; different.
        name: The name of the file.
        has_steps: Whether it entered the document in several edits.
    """
    hunks = diff_lines(before, after)
    n_lines = sum(max(hunk.end - hunk.start, len(hunk.lines)) for hunk in hunks)
    changes = f" ({len(hunks)} changes)" if len(hunks) > 1 else ""
    undo = "undo takes it back step by step" if has_steps else "undo takes it back"
    lines = "1 line" if n_lines == 1 else f"{n_lines} lines"
    return f"Redline changed {lines} in {name}{changes}; {undo}."


def no_change_report(why: str | None, *, name: str) -> str:
    """Say that an edit was held back, or had nothing to change."""
    return f"Redline changed nothing in {name}. {why or ''}".rstrip()
