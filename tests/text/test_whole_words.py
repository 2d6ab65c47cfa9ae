"""Whole words in a text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.text.whole_words import has_word, lines_with


@pytest.mark.parametrize(
    ("text", "word", "has_it"),
    [
        ("a.join(b)", "a.join", True),
        ("aa.join(b)", "a.join", False),
        ("a-join", "a.join", False),
        ("joiner, rejoin", "join", False),
        ("joiner, join", "join", True),
        ("", "join", False),
    ],
)
def test_a_word_is_found_as_a_whole(text: str, word: str, has_it: bool) -> None:
    assert has_word(text, word) is has_it


@given(st.text("ab._ ", max_size=12), st.text("ab._", min_size=1, max_size=3))
def test_it_is_what_a_search_for_its_borders_finds(text: str, word: str) -> None:
    assert has_word(text, word) == bool(re.search(rf"\b{re.escape(word)}\b", text))


def test_lines_with() -> None:
    """Each place counts, and lines are counted from 0."""
    assert list(lines_with("a.b\n\nb b\ncab", "b")) == [0, 2, 2, 3]
    assert list(lines_with("a", "b")) == []
