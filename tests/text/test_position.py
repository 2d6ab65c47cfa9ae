"""Positions convert between code points and what clients count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.text.lines import split_lines, strip_end
from redline.text.position import (
    Encoding,
    Position,
    Range,
    clamp,
    from_client,
    range_from_client,
    range_to_client,
    text_in,
    to_client,
    to_code_points,
    to_units,
)

ENCODINGS = st.sampled_from(Encoding)
LINES = st.text(alphabet="ab\té߿€\uffff😀\U0010ffff\u2028", max_size=20)


def n_units(character: str, encoding: Encoding) -> int:
    match encoding:
        case Encoding.UTF_8:
            return len(character.encode())
        case Encoding.UTF_16:
            return 2 if ord(character) > 0xFFFF else 1
        case Encoding.UTF_32:
            return 1


def span(*numbers: int) -> Range:
    first_line, first, last_line, last = numbers
    return Range(Position(first_line, first), Position(last_line, last))


@given(LINES, st.sampled_from(["", "\n", "\r\n", "\r"]), ENCODINGS)
def test_every_unit_of_a_line_lands_on_its_character(
    content: str, end: str, encoding: Encoding
) -> None:
    units = 0
    for at, character in enumerate(content):
        for inside in range(n_units(character, encoding)):
            assert to_code_points(content + end, units + inside, encoding) == at
        assert to_units(content + end, at, encoding) == units
        units += n_units(character, encoding)
    for past in range(4):
        assert to_code_points(content + end, units + past, encoding) == len(content)
        assert to_units(content + end, len(content) + past, encoding) == units


@pytest.mark.parametrize("encoding", Encoding)
def test_a_negative_character_is_the_lines_start(encoding: Encoding) -> None:
    assert to_code_points("é", -1, encoding) == 0
    assert to_units("é", -1, encoding) == 0


@pytest.mark.parametrize("encoding", Encoding)
def test_lone_surrogates_count_one_unit_each(encoding: Encoding) -> None:
    line = "\ud83d\ude00x"
    assert [to_code_points(line, n, encoding) for n in range(5)] == [0, 1, 2, 3, 3]
    assert [to_units(line, n, encoding) for n in range(5)] == [0, 1, 2, 3, 3]


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        (Position(-1, 5), Position(0, 0)),
        (Position(0, -5), Position(0, 0)),
        (Position(0, 99), Position(0, 2)),
        (Position(1, 99), Position(1, 1)),
        (Position(1, 1), Position(1, 1)),
        (Position(2, 0), Position(2, 0)),
        (Position(2, 3), Position(2, 0)),
        (Position(7, 0), Position(2, 0)),
    ],
)
def test_positions_clamp_to_the_document(
    position: Position, expected: Position
) -> None:
    lines = split_lines("ab\r\nc\n")
    assert clamp(lines, position) == expected
    assert to_client(lines, position, Encoding.UTF_16) == expected


def test_past_the_last_line_is_the_end_of_its_text() -> None:
    assert clamp(["a\n", "bcd"], Position(9, 0)) == Position(1, 3)


@given(st.text(alphabet="aé😀\n\r", max_size=20), ENCODINGS, st.data())
def test_there_and_back_is_the_same_place(
    text: str, encoding: Encoding, data: st.DataObject
) -> None:
    lines = split_lines(text)
    line = data.draw(st.integers(0, len(lines) - 1))
    character = data.draw(st.integers(0, len(strip_end(lines[line]))))
    position = Position(line, character)
    client = to_client(lines, position, encoding)
    assert from_client(lines, client, encoding) == position


def test_a_backwards_range_is_turned_round() -> None:
    lines = ["a😀b\n", "cd"]
    inner = range_from_client(lines, span(1, 1, 0, 3), Encoding.UTF_16)
    assert inner == span(0, 2, 1, 1)
    assert range_to_client(lines, inner, Encoding.UTF_16) == span(0, 3, 1, 1)


def test_positions_and_ranges_are_ordered() -> None:
    assert Position(0, 9) < Position(1, 0) < Position(1, 1)
    assert span(0, 0, 0, 1) < span(0, 0, 1, 0) < span(0, 1, 0, 1)


@pytest.mark.parametrize(
    ("one", "other", "is_inside"),
    [
        (span(0, 0, 2, 0), span(0, 0, 2, 0), True),
        (span(0, 0, 2, 0), span(2, 0, 2, 0), True),
        (span(0, 0, 2, 0), span(1, 0, 2, 1), False),
        (span(0, 1, 2, 0), span(0, 0, 1, 0), False),
    ],
)
def test_a_range_contains_what_lies_in_it(
    one: Range, other: Range, is_inside: bool
) -> None:
    assert one.contains(other) is is_inside


@pytest.mark.parametrize(
    ("one", "other", "is_overlap"),
    [
        (span(0, 0, 2, 0), span(1, 0, 3, 0), True),
        (span(0, 0, 2, 0), span(0, 0, 0, 1), True),
        (span(0, 0, 2, 0), span(2, 0, 3, 0), False),
        (span(0, 0, 2, 0), span(1, 0, 1, 0), True),
        (span(0, 0, 2, 0), span(0, 0, 0, 0), False),
        (span(0, 0, 2, 0), span(2, 0, 2, 0), False),
        (span(1, 1, 1, 1), span(1, 1, 1, 1), True),
        (span(1, 1, 1, 1), span(1, 2, 1, 2), False),
    ],
)
def test_ranges_overlap_if_they_share_text(
    one: Range, other: Range, is_overlap: bool
) -> None:
    assert one.overlaps(other) is is_overlap
    assert other.overlaps(one) is is_overlap


def test_an_empty_range_has_no_text() -> None:
    assert span(1, 2, 1, 2).is_empty
    assert not span(1, 2, 1, 3).is_empty


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (span(0, 0, 0, 0), ""),
        (span(0, 1, 0, 2), "b"),
        (span(0, 1, 1, 1), "b\r\nc"),
        (span(0, 0, 2, 0), "ab\r\ncd\n"),
    ],
)
def test_the_text_of_a_range(inner: Range, text: str) -> None:
    assert text_in(["ab\r\n", "cd\n", ""], inner) == text
