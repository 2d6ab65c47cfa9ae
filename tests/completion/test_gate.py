"""Where a key may lead to a completion."""

from __future__ import annotations

import pytest
from tests.completion.cursor_text import place_of

from redline.completion.gate import Comments, is_boundary, refusal


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("foo = │", "python", None),
        ("foo = │ # x", "python", "text follows"),
        ("foo = │;", "javascript", None),
        ("ret│urn x", "python", "text follows"),
        ("foo(│):", "python", None),
        ("f()│", "python", "statement over"),
        ("x = []│", "python", "statement over"),
        ("x;│", "javascript", "statement over"),
        ("}│", "javascript", "statement over"),
        ("print(a, b)│", "python", None),
        ("foo(a, b)│", "python", "statement over"),
        ("x = foo(a)│", "python", "statement over"),
        ("if foo(a)│", "python", None),
        ("f()\n│", "python", None),
        ("f()\n\n│", "python", "blank end"),
        ("│", "python", None),
        ("def f():\n\n    │", "python", None),
        ("x" * 1_500 + "│", "python", "long line"),
        ("# TODO handle │", "python", None),
    ],
)
def test_refusals(text: str, language: str, expected: str | None) -> None:
    """A key leads to a completion at the end of an unfinished statement only."""
    assert refusal(place_of(text, language), comments="line") == expected


@pytest.mark.parametrize(
    ("comments", "expected"), [("line", None), ("on", None), ("off", "comment off")]
)
def test_comments(comments: Comments, expected: str | None) -> None:
    """Comments are completed unless the setting forbids it."""
    assert refusal(place_of("# TODO │"), comments=comments) == expected


def test_boundaries() -> None:
    """A new token begins after blanks, openers and separators."""
    assert all(map(is_boundary, ["(", " ", "\n", ".", "a,", "="]))
    assert not any(map(is_boundary, ["a", ")", ""]))
