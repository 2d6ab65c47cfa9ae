"""Search a text for a whole word."""

from __future__ import annotations

import re
from collections.abc import Iterator


def has_word(text: str, word: str) -> bool:
    """Whether a word stands in a text, and not only as a part of a longer one."""
    # A search for `\b` looks at each character, and most words are nowhere.
    return word in text and re.search(rf"\b{re.escape(word)}\b", text) is not None


def lines_with(text: str, part: str) -> Iterator[int]:
    """Yield the lines in which a part begins, counted from 0, in order."""
    line, counted = 0, 0
    at = text.find(part)
    while at >= 0:
        line += text.count("\n", counted, at)
        counted = at
        yield line
        at = text.find(part, at + len(part))
