"""The words inside names, and names made from words. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from redline.instructions.request import CaseStyle

# A run of capitals is a word of its own up to the capital that starts the next one:
# HTTPServer is HTTP and Server.
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\WA-Z_]+|[A-Z]+|[^\W_]+")


def split_name(name: str) -> list[str]:
    """Split a name of any case into its words, letters as they are."""
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
    """Write a name in another case; underscores around it stay."""
    words = split_name(name)
    if not words:
        return name
    head = name[: len(name) - len(name.lstrip("_"))]
    tail = name[len(name.rstrip("_")) :]
    return head + _JOINS[style](words) + tail


def name_in_words(name: str) -> str:
    """Write a name as it is spoken: `parse_HTTPHeader` is "parse HTTP header"."""
    words = split_name(name)
    return " ".join(
        word if len(word) > 1 and word.isupper() else word.lower() for word in words
    )
