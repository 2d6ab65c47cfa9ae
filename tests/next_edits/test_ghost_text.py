"""Which next edits ghost text can show: insertions at the cursor."""

from __future__ import annotations

import pytest

from redline.next_edits.ghost_text import as_ghost_text
from redline.next_edits.next_edit import NextEdit
from redline.text.position import Position, Range

LINE = "total = price(item, count)\n"


def edit(start: int, old: str, text: str, *, line: int = 3) -> NextEdit:
    assert LINE[start : start + len(old)] == old
    place = Range(Position(line, start), Position(line, start + len(old)))
    return NextEdit(rule="calls", range=place, old=old, text=text, why="it")


@pytest.mark.parametrize(
    ("at", "start", "old", "text", "shown"),
    [
        # At the cursor, and behind it in its line.
        (25, 25, "", ", tax", (25, 25, ", tax")),
        (18, 25, "", ", tax", (18, 25, ", count, tax")),
        # What stands before the cursor is left as it is.
        (16, 14, "item", "items", (16, 18, "ems")),
        (14, 14, "item", "the_item", (14, 18, "the_item")),
        (26, 26, "", "\nprint(total)", (26, 26, "\nprint(total)")),
        # Before the cursor, with something removed, changed or in another order.
        (26, 25, "", ", tax", None),
        (16, 14, "item", "the_item", None),
        (20, 20, "count", "", None),
        (20, 20, "count", "n", None),
        (20, 20, "count", "tnuoc", None),
    ],
)
def test_an_edit_as_ghost_text(
    at: int, start: int, old: str, text: str, shown: tuple[int, int, str] | None
) -> None:
    found = as_ghost_text(edit(start, old, text), LINE, Position(3, at))

    if shown is None:
        assert found is None
        return
    assert found is not None
    assert (found.range.start, found.range.end) == (
        Position(3, shown[0]),
        Position(3, shown[1]),
    )
    assert found.text == shown[2]
    # The line is the same whichever of the two is applied.
    before, after = LINE[: shown[0]], LINE[shown[1] :]
    assert before + found.text + after == (
        LINE[:start] + text + LINE[start + len(old) :]
    )


def test_an_edit_of_another_line() -> None:
    assert as_ghost_text(edit(25, "", ", tax", line=4), LINE, Position(3, 25)) is None


def test_a_jump() -> None:
    """It has no text to show."""
    assert as_ghost_text(edit(25, "", ""), LINE, Position(3, 25)) is None
