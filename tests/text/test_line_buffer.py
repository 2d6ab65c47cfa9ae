"""Lines come out of pieces as out of the whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.text.lines import LineBuffer, split_lines, strip_end

PIECES = st.lists(st.text(alphabet="ab\r\n\f", max_size=4), max_size=12)


@given(PIECES)
def test_any_pieces_give_the_lines_of_the_text(pieces: list[str]) -> None:
    buffer = LineBuffer()
    lines = [line for piece in pieces for line in buffer.feed(piece)]
    lines += buffer.finish()
    whole = [strip_end(line) for line in split_lines("".join(pieces)) if line]
    assert lines == whole


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        (["a", "b\n", "c"], [[], ["ab"], []]),
        (["a\r", "\nb"], [[], ["a"]]),
        (["a\r", "b"], [[], ["a"]]),
        (["a\r", "\r", "\n"], [[], ["a"], [""]]),
        (["a\n\n"], [["a", ""]]),
        (["a\r", "", "\n"], [[], [], ["a"]]),
    ],
)
def test_a_line_comes_out_when_it_is_complete(
    pieces: list[str], lines: list[list[str]]
) -> None:
    buffer = LineBuffer()
    assert [buffer.feed(piece) for piece in pieces] == lines
