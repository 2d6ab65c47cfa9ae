"""Search a text for a whole word."""

from __future__ import annotations

import re


def has_word(text: str, word: str) -> bool:
    """Whether a word stands in a text, and not only as a part of a longer one."""
    # A search for `\b` looks at each character, and most words are nowhere.
    return word in text and re.search(rf"\b{re.escape(word)}\b", text) is not None
