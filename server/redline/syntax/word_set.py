"""Sets of words, written as one text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text, which blanks separate."""
    return frozenset(text.split())
