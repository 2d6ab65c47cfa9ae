"""Lines end where the protocol says and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.text.lines import (
    content_length,
    line_end,
    majority_end,
    split_lines,
    strip_end,
    strip_ends,
    with_line_feeds,
)

TEXTS = st.text(alphabet="ab\n\r\f\v\x1c\x85\u2028\u2029é😀", max_size=40)


def split_slowly(text: str) -> list[str]:
    lines = [""]
    for at, character in enumerate(text):
        lines[-1] += character
        is_split_later = character == "\r" and text[at + 1 : at + 2] == "\n"
        if character in "\r\n" and not is_split_later:
            lines.append("")
    return lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a\n", ""]),
        ("\n", ["\n", ""]),
        ("a\r\nb\rc\n", ["a\r\n", "b\r", "c\n", ""]),
        ("\r\r\n\n\r", ["\r", "\r\n", "\n", "\r", ""]),
        ("a\fb\n", ["a\fb\n", ""]),
        ("a\u2028b\u2029c\x85d\x1ce\v", ["a\u2028b\u2029c\x85d\x1ce\v"]),
        ("\ud83d\n", ["\ud83d\n", ""]),
    ],
)
def test_only_the_protocols_ends_split(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@given(TEXTS)
def test_splitting_equals_a_slow_reader(text: str) -> None:
    assert split_lines(text) == split_slowly(text)
    assert "".join(split_lines(text)) == text


@given(TEXTS, st.integers(0, 9), st.integers(0, 9))
def test_the_ends_of_some_lines(text: str, first: int, n_lines: int) -> None:
    lines = split_lines(text)[first : first + n_lines]
    assert strip_ends(lines) == [strip_end(line) for line in lines]


@pytest.mark.parametrize(
    ("line", "content", "end"),
    [
        ("", "", ""),
        ("a", "a", ""),
        ("a\n", "a", "\n"),
        ("a\r\n", "a", "\r\n"),
        ("a\r", "a", "\r"),
        ("\n", "", "\n"),
        ("a\u2028", "a\u2028", ""),
    ],
)
def test_a_line_is_its_content_and_its_end(line: str, content: str, end: str) -> None:
    assert strip_end(line) == content
    assert line_end(line) == end
    assert content_length(line) == len(content)


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        ([], "\n"),
        (["a"], "\n"),
        (["a\r\n", "b\r\n", "c\n", "d"], "\r\n"),
        (["a\n", "b\r\n"], "\n"),
        (["a\r", "b\n"], "\r"),
    ],
)
def test_the_majority_of_ends_wins(lines: list[str], end: str) -> None:
    assert majority_end(lines) == end


def test_without_any_end_the_default_is_the_answer() -> None:
    assert majority_end(["a"]) == "\n"


def test_line_ends_become_line_feeds() -> None:
    """A model sees one kind of line end; no line is added or lost."""
    assert with_line_feeds(["a\r\n", "b\r", "\n", "c"]) == "a\nb\n\nc"
