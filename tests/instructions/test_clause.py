"""Words of an instruction, with their punctuation and quotes removed."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redline.instructions.clause import read_clauses, read_words


@pytest.mark.parametrize(
    ("text", "bare", "quoted"),
    [
        ("", "", []),
        ("Do what it says, then stop.", "Do what it says then stop", []),
        ("why? (because) fix it!", "why because fix it", []),
        ("rename parse_row() to row.parse", "rename parse_row to row.parse", []),
        ("first;second\nthird&fourth", "first second third fourth", []),
        ("don't touch it", "don't touch it", []),
        ("rename `a b` to 'c', please", "rename to please", ["a b", "c"]),
        ('say "it\'s done"', "say", ["it's done"]),
        ("use \u201cone\u201d or \u2018two\u2019", "use or", ["one", "two"]),
        ("wait... [now]", "wait now", []),
    ],
)
def test_words_are_read_without_their_marks(
    text: str, bare: str, quoted: list[str]
) -> None:
    """A quoted name is one word, an apostrophe inside a word quotes nothing."""
    assert read_words(text) == (bare.split(), quoted)


@example("''`;`")
@example("swap `a`/`b`")
@given(st.text(alphabet="ab `'\".,;()!?\n", max_size=30))
def test_the_same_names_are_quoted_in_words_and_clauses(text: str) -> None:
    """Both readings agree about what is certainly a name."""
    words = [word for clause in read_clauses(text) for word in clause.words]
    held = [word.text for word in words if word.is_quoted and word.text]
    assert held == [word for word in read_words(text).quoted if word]
