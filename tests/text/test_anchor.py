"""Anchors follow edits: moved, missed or touched, by the design's rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.text.anchor import Anchor, Splice, follow, is_touched_by
from redline.text.position import Position, Range


def on_line(start: int, end: int, line: int = 0) -> Range:
    return Range(Position(line, start), Position(line, end))


def splice_on_line(start: int, end: int, n_new: int) -> Splice:
    return Splice(on_line(start, end), on_line(start, start + n_new))


@pytest.mark.parametrize(
    ("start", "end", "n_new", "expected", "is_touched"),
    [
        # The anchor is [4, 8).
        (0, 0, 2, (6, 10), False),  # typed before
        (1, 3, 0, (2, 6), False),  # deleted before
        (2, 4, 1, (3, 7), False),  # replaced up to the start border
        (4, 4, 3, (7, 11), False),  # typed exactly at the start border: outside
        (5, 5, 1, (4, 9), True),  # typed inside
        (8, 8, 1, (4, 9), True),  # typed exactly at the end border: inside
        (9, 9, 5, (4, 8), False),  # typed behind
        (9, 12, 0, (4, 8), False),  # deleted behind
        (8, 12, 0, (4, 8), True),  # deleted from the end border on
        (2, 6, 0, (2, 4), True),  # deleted across the start border
        (2, 6, 3, (2, 7), True),  # replaced across the start border
        (6, 10, 0, (4, 6), True),  # deleted across the end border
        (6, 10, 1, (4, 7), True),  # replaced across the end border
        (4, 8, 2, (4, 6), True),  # replaced exactly
        (0, 12, 1, (0, 1), True),  # replaced with all around it
        (4, 6, 0, (4, 6), True),  # deleted from the start border on
        (5, 8, 0, (4, 5), True),  # deleted up to the end border
    ],
)
def test_one_edit_on_the_anchors_line(
    start: int, end: int, n_new: int, expected: tuple[int, int], is_touched: bool
) -> None:
    splice = splice_on_line(start, end, n_new)
    assert follow(on_line(4, 8), splice) == on_line(*expected)
    assert is_touched_by(on_line(4, 8), splice) is is_touched


def test_typing_at_an_empty_anchor_is_outside_and_moves_it() -> None:
    splice = splice_on_line(4, 4, 2)
    assert follow(on_line(4, 4), splice) == on_line(6, 6)
    assert not is_touched_by(on_line(4, 4), splice)


def test_new_lines_before_move_an_anchor_down() -> None:
    place = Position(1, 2)
    splice = Splice(Range(place, place), Range(place, Position(3, 1)))
    assert follow(on_line(2, 5, line=1), splice) == on_line(1, 4, line=3)
    assert follow(on_line(2, 5, line=7), splice) == on_line(2, 5, line=9)


def test_touched_is_kept_until_it_is_reset() -> None:
    anchor = Anchor(on_line(1, 2))
    assert not anchor.is_touched
    anchor.touched_version = 0
    assert anchor.is_touched
    anchor.reset()
    assert not anchor.is_touched
    assert anchor.range == on_line(1, 2)


def follow_slowly(
    n_chars: int, borders: tuple[int, int], replaced: tuple[int, int], n_new: int
) -> tuple[int, int]:
    """Label every character and count the labels."""
    start, end = borders
    labels = ["before" if at < start else "inside" for at in range(end)]
    labels += ["after"] * (n_chars - end)
    if replaced[1] <= start:
        label = "before"
    elif replaced[0] > end:
        label = "after"
    else:
        label = "inside"
    labels[slice(*replaced)] = [label] * n_new
    n_before = labels.count("before")
    return n_before, n_before + labels.count("inside")


PLACES = st.tuples(st.integers(0, 8), st.integers(0, 8)).map(
    lambda pair: (min(pair), max(pair))
)


@given(PLACES, PLACES, st.integers(0, 3))
def test_an_anchor_equals_labels_on_every_character(
    borders: tuple[int, int], replaced: tuple[int, int], n_new: int
) -> None:
    followed = follow(on_line(*borders), splice_on_line(*replaced, n_new))
    assert followed == on_line(*follow_slowly(8, borders, replaced, n_new))
