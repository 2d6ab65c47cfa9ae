"""Finds known secrets in texts, in time that does not grow with their number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from redline.prompts.secrets.line import Span

MIN_EVERYWHERE = 8
"""From this length on, a secret is also found in the middle of a word; shorter ones may
be a part of anything. Longer secrets are looked up by their first characters."""


class SecretIndex:
    """The known secrets, and a pattern that is searched for beside them.

    At a place where several secrets begin, the longest one is found; secrets precede
    the pattern.
    """

    def __init__(self, secrets: Iterable[str], beside: re.Pattern[str]) -> None:
        self._secrets = frozenset(secrets) - {""}
        self._beside = beside
        self._lengths = _lengths_by_head(self._secrets)
        self._short_lengths = _descending(
            len(secret) for secret in self._secrets if len(secret) < MIN_EVERYWHERE
        )
        self._start = re.compile(
            "|".join([beside.pattern, *_start_patterns(self._secrets)])
        )

    def spans(self, text: str) -> Iterator[Span]:
        """Yield the places of secrets and of the pattern in order, without overlap."""
        at = 0
        while found := self._start.search(text, at):
            start = found.start()
            end = self._end_of_secret(text, start) or self._end_of_other(text, start)
            if end:
                yield start, end
            at = end or start + 1

    def _end_of_secret(self, text: str, start: int) -> int:
        """Return the end of the secret that begins here, or 0."""
        for n_chars in self._lengths.get(text[start : start + MIN_EVERYWHERE], ()):
            if text[start : start + n_chars] in self._secrets:
                return min(start + n_chars, len(text))
        if start and _is_word(text[start - 1]):
            return 0
        for n_chars in self._short_lengths:
            end = min(start + n_chars, len(text))
            if text[start:end] in self._secrets and not _is_word(text[end : end + 1]):
                return end
        return 0

    def _end_of_other(self, text: str, start: int) -> int:
        found = self._beside.match(text, start)
        return found.end() if found else 0


def _start_patterns(secrets: Iterable[str]) -> Iterator[str]:
    """Yield one pattern for each first character, with the second ones."""
    seconds: dict[str, set[str]] = {}
    for secret in secrets:
        seconds.setdefault(secret[0], set()).add(secret[1:2])
    for first, others in seconds.items():
        has_all = "" in others  # A secret of one character.
        chars = "" if has_all else f"[{''.join(map(re.escape, others))}]"
        yield re.escape(first) + chars


def _lengths_by_head(secrets: Iterable[str]) -> dict[str, tuple[int, ...]]:
    lengths: dict[str, set[int]] = {}
    for secret in secrets:
        if len(secret) >= MIN_EVERYWHERE:
            lengths.setdefault(secret[:MIN_EVERYWHERE], set()).add(len(secret))
    return {head: _descending(of_head) for head, of_head in lengths.items()}


def _descending(lengths: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(lengths), reverse=True))


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
