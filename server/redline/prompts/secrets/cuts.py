"""Cuts texts before they are searched for secrets.

A part of a secret is not recognized as one, nor is a value without the name before it.
So a text is cut between words, and no secret that it shows there stays unless what is
left shows it, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from redline.prompts.secrets.line import Span
from redline.prompts.secrets.search import find_secrets

_AROUND = 4_000
"""Characters on each side of a cut that are searched: room for a private key. To search
a whole output takes too long."""


def beginning(text: str, n_chars: int, *, path: str = "") -> str:
    """Return the beginning of a text.

    Args:
        text: Any text; LF line ends.
        n_chars: Its most characters.
        path: The text's file, if any; see `find_secrets`.
    """
    if len(text) <= n_chars:
        return text
    end = n_chars
    while end and not text[end].isspace():
        end -= 1
    first = max(0, end - _AROUND)
    around = text[first : end + _AROUND]
    found = find_secrets(around, path)
    end -= first
    while lost := [
        start
        for start, _ in _not_in(found, find_secrets(around[:end], path))
        if start < end
    ]:
        end = min(lost)
    return text[: first + end]


def ending(text: str, n_chars: int, *, path: str = "") -> str:
    """Return the end of a text; see `beginning`."""
    if len(text) <= n_chars:
        return text
    start = len(text) - n_chars
    while start < len(text) and not text[start - 1].isspace():
        start += 1
    first = max(0, start - _AROUND)
    around = text[first : start + _AROUND]
    found = find_secrets(around, path)
    start -= first
    while lost := [
        end
        for _, end in _not_in(
            found,
            [(start + a, start + b) for a, b in find_secrets(around[start:], path)],
        )
        if end > start
    ]:
        start = max(lost)
    return text[first + start :]


def _not_in(found: Sequence[Span], shown: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans that are in none of the others."""
    for start, end in found:
        if not any(a <= start and end <= b for a, b in shown):
            yield start, end
