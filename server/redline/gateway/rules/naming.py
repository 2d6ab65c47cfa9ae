"""Splits names into words and makes names from words. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from redline.instructions.request import CaseStyle

# A run of capitals is one word, up to the capital that starts the next word: HTTPServer
# is HTTP and Server.
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\WA-Z_]+|[A-Z]+|[^\W_]+")


def split_name(name: str) -> list[str]:
    """Split a name of any case into its words, keeping the case of letters."""
    return _WORD.findall(name)


def _capitalized(words: Sequence[str]) -> str:
    return "".join(word[:1].upper() + word[1:].lower() for word in words)


_JOINS: dict[CaseStyle, Callable[[list[str]], str]] = {
    "upper": lambda words: "_".join(words).upper(),
    "lower": lambda words: "_".join(words).lower(),
    "title": lambda words: " ".join(word[:1].upper() + word[1:] for word in words),
    "snake": lambda words: "_".join(words).lower(),
    "camel": lambda words: words[0].lower() + _capitalized(words[1:]),
    "pascal": _capitalized,
    "kebab": lambda words: "-".join(words).lower(),
    "constant": lambda words: "_".join(words).upper(),
}


def change_case(name: str, style: CaseStyle) -> str:
    """Convert a name to another case, keeping the underscores around it."""
    words = split_name(name)
    if not words:
        return name
    head = name[: len(name) - len(name.lstrip("_"))]
    tail = name[len(name.rstrip("_")) :]
    return head + _JOINS[style](words) + tail


def name_in_words(name: str) -> str:
    """Return a name as spoken words: `parse_HTTPHeader` is "parse HTTP header"."""
    words = split_name(name)
    return " ".join(
        word if len(word) > 1 and word.isupper() else word.lower() for word in words
    )
