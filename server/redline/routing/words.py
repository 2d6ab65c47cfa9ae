"""Text as normalized words.

Routing searches words, not letters: `verifyPassword`, `verify_password` and
`VERIFY-PASSWORD` all contain `verify password`, while `author` does not contain `auth`.
Code is read as the set of its identifiers, each as words, so that a thousand uses of a
name cost as much as one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

MAX_CODE_CHARS = 12_000
"""Most characters of a range that are read, half from its head and half from its tail:
about 330 lines, which keeps a call under a millisecond."""
MAX_PROSE_CHARS = 4_000
"""Most characters of an instruction that are read."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_IN_NAMES = frozenset(_LETTERS + b"_-")
"""Includes hyphens, which names of headers and styles contain."""
_TO_NAMES = bytes(byte if byte in _IN_NAMES else 0x20 for byte in range(256))
"""A table for `bytes.translate`: a space for each byte outside of names. It takes a
twentieth of the time of a regular expression."""

_WORD_START = re.compile(r"[A-Z](?:(?<=[a-z0-9][A-Z])|(?<=[A-Z][A-Z])(?=[a-z]))")
"""A capital that begins a word within a name: `verifyPassword`, `HTTPServer`. It starts
with the capital, which is rare, so that the search can skip what is between."""
_SHORTEST_PLURAL = 4


class Words(Struct, frozen=True):
    """A text as lower-case singular words."""

    text: str
    """All words, each between spaces; identifiers are separated by `|`."""
    known: frozenset[str]


def words_of_prose(text: str) -> Words:
    """Read a sentence: all its words are adjacent."""
    words = _spelled(_names_in(text[:MAX_PROSE_CHARS]))
    return Words(f" {' '.join(words)} ", frozenset(words))


@lru_cache(maxsize=32)
def words_of_code(text: str) -> Words:
    """Read code: words are adjacent only within one identifier; cached."""
    identifiers = dict.fromkeys(_names_in(head_and_tail(text)).split())
    words = _spelled(" | ".join(identifiers))
    return Words(f" {' '.join(words)} ", frozenset(words) - {"|"})


def in_words(text: str) -> str:
    """Write a text as its words, separated by spaces."""
    return " ".join(_spelled(_names_in(text)))


def head_and_tail(text: str) -> str:
    """Cut out the middle of a text that is too long to read."""
    if len(text) <= MAX_CODE_CHARS:
        return text
    half = MAX_CODE_CHARS // 2
    return f"{text[:half]}\n{text[-half:]}"


def _names_in(text: str) -> str:
    return text.encode("utf-8", errors="replace").translate(_TO_NAMES).decode()


def _spelled(names: str) -> list[str]:
    """Split names into words; all at once, which takes a third of the time."""
    if not names.islower():
        names = _WORD_START.sub(r" \g<0>", names).lower()
    words = names.replace("_", " ").replace("-", " ").split()
    return [_singular(word) if word[-1] == "s" else word for word in words]


def _singular(word: str) -> str:
    """Remove a plural's ending; this also changes verbs in the third person."""
    if len(word) < _SHORTEST_PLURAL or word.endswith("ss"):
        return word
    if word.endswith("ies") and len(word) > _SHORTEST_PLURAL:
        return f"{word[:-3]}y"
    return word[:-1]
