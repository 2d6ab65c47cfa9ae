"""Text as the words that a person reads in it.

Routing looks for words, not for letters: `verifyPassword`, `verify_password` and
`VERIFY-PASSWORD` hold `verify password`, while `author` does not hold `auth`. Code is
seen as the set of its identifiers, each in words, so that a thousand uses of a name
cost no more than one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

MAX_CODE_CHARS = 16_000
"""Most characters of a range that are read, half of them its head and half its tail:
about 450 lines, which keeps a call under a millisecond."""
MAX_PROSE_CHARS = 4_000
"""Most characters of an instruction that are read."""

_NAME_BYTES = frozenset(
    # Names of headers and of styles hold hyphens.
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
)
_TO_NAMES = bytes(byte if byte in _NAME_BYTES else 0x20 for byte in range(256))
"""A table for `bytes.translate`: a space for all that is in no name. It takes a
twentieth of the time that a regular expression does, which is most of a call's."""
_WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
_SHORTEST_PLURAL = 4


@dataclass(frozen=True, slots=True)
class Words:
    """A text, in lower-case singular words."""

    text: str
    """Every word with a space on both sides; identifiers are kept apart by `|`."""
    known: frozenset[str]


def words_of_prose(text: str) -> Words:
    """Read a sentence: its words stand beside each other."""
    words = in_words(text[:MAX_PROSE_CHARS])
    return Words(f" {words} ", frozenset(words.split()))


def words_of_code(*texts: str) -> Words:
    """Read code: words stand beside each other only within one identifier."""
    identifiers: dict[str, None] = {}
    for text in texts:
        data = head_and_tail(text).encode("utf-8", errors="replace")
        identifiers |= dict.fromkeys(data.translate(_TO_NAMES).decode().split())
    spelled = " | ".join(_spelled(identifier) for identifier in identifiers)
    return Words(f" {spelled} ", frozenset(spelled.split()) - {"|"})


def head_and_tail(text: str) -> str:
    """Cut the middle out of a text that is too long to be read."""
    if len(text) <= MAX_CODE_CHARS:
        return text
    half = MAX_CODE_CHARS // 2
    return f"{text[:half]}\n{text[-half:]}"


def in_words(text: str) -> str:
    """Write a text as its words, parted by spaces."""
    if text.islower() and text.isascii() and text.replace("_", "").isalpha():
        # Most names of most languages: three times as fast as the expression.
        return " ".join([_singular(word) for word in text.split("_") if word])
    return " ".join([_singular(word.lower()) for word in _WORD.findall(text)])


@lru_cache(maxsize=4096)
def _spelled(identifier: str) -> str:
    return in_words(identifier)


def _singular(word: str) -> str:
    """Cut a plural's ending off; a verb's third person loses it too."""
    if not word.endswith("s") or len(word) < _SHORTEST_PLURAL:
        return word
    if word.endswith("ies") and len(word) > _SHORTEST_PLURAL:
        return f"{word[:-3]}y"
    return word if word.endswith("ss") or not word.isalpha() else word[:-1]
