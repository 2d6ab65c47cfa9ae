"""How much of a document an action is about."""

from __future__ import annotations

import pytest

from redline.assist.actions.scope import without_block_cursor
from redline.text.position import Position, Range


@pytest.mark.parametrize(
    ("start", "end", "is_cursor"),
    [
        ((3, 4), (3, 4), True),
        ((3, 4), (3, 5), True),
        ((3, 4), (4, 0), True),
        ((3, 4), (3, 6), False),
        ((3, 0), (4, 0), False),
        ((3, 4), (4, 1), False),
        ((3, 4), (5, 0), False),
    ],
)
def test_a_selection_of_one_character_is_a_cursor(
    start: tuple[int, int], end: tuple[int, int], is_cursor: bool
) -> None:
    """A line's end is one, too; a whole blank line is selected."""
    selection = Range(Position(*start), Position(*end))
    cursor = Range(selection.start, selection.start)
    assert without_block_cursor(selection) == (cursor if is_cursor else selection)
