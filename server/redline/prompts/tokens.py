"""Counts tokens line by line, before and after the encoding is loaded.

A prompt changes by a line or two from one request to the next, so each line is counted
once and cached. Until a line's exact count is known, its bytes are used: no token is
shorter than a byte, so `count` never exceeds a budget, only uses less of it; `about`
uses a third of them. Exact counts come from `load`, or from another process through
`unknown` and `learn`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

ExactCount: TypeAlias = Callable[[str], int]
"""Returns the exact number of tokens of a text; see `encoding.load_counter`."""

_BYTES_PER_TOKEN = 3
"""Code has more: of 250-line pieces of Python's standard library, 95 in 100 have 3.6 or
more; tables of constants have less."""

MAX_LINES = 32_768
"""Lines cached in each of two generations; a line takes about 150 bytes."""

_MAX_ONE_TOKEN_SPACES = 79
"""o200k_base has a token for every run of spaces up to this length, not for 80."""


class _Counts(dict[str, int]):
    """Counts by line, with a fallback for missing lines."""

    def __init__(self, otherwise: Callable[[str], int]) -> None:
        super().__init__()
        self._otherwise = otherwise

    def __missing__(self, line: str) -> int:
        return self._otherwise(line)


class TokenCounter:
    """Counts tokens of o200k_base; exact by line where it can, never too few.

    The sum over the lines of a text is a little more than the count of the whole text,
    because a token may span a line's end: about 2 % on Python source.
    """

    def __init__(self) -> None:
        self._exact: ExactCount | None = None
        # Two generations instead of an LRU order: a requested line moves to the young
        # one, and when that is full, the old one is dropped.
        self._young = _Counts(self._about_older)
        self._old: Mapping[str, int] = {}

    def load(self) -> None:
        """Load the encoding in this thread: about 0.5 s; see `encoding`.

        Raises:
            DamagedEncodingError: If the shipped ranks differ from tiktoken's.
        """
        from redline.prompts.encoding import load_counter

        if self._exact is None:
            self._exact = load_counter()

    def count(self, text: str) -> int:
        """Return the tokens of a text, or a higher number."""
        return sum(map(self._count_line, text.splitlines(keepends=True)))

    def about(self, text: str) -> int:
        """Return the tokens of a text; lines without an exact count are estimated.

        For a budget of time, not of a limit: the estimate is more than nearly all code
        takes, and less than tables of constants do.
        """
        return sum(map(self.about_line, text.splitlines(keepends=True)))

    @property
    def about_line(self) -> Callable[[str], int]:
        """A function that counts one line as `about` does, for hundreds of lines.

        Get it again for each text, and do not keep it.
        """
        # Nearly always all lines are cached, and then no Python code runs for them.
        return self._young.__getitem__

    def _about_older(self, line: str) -> int:
        if (n_tokens := self._old.get(line)) is None:
            if self._exact is not None:
                return self._count_line(line)
            return -(-n_bytes_of(line) // _BYTES_PER_TOKEN)
        return n_tokens

    def unknown(self, text: str) -> list[str]:
        """Return the lines of a text that are only estimated, each once, ends kept."""
        if self._exact is not None:
            return []
        lines = dict.fromkeys(text.splitlines(keepends=True))
        return [x for x in lines if x not in self._young and x not in self._old]

    def learn(self, counts: Mapping[str, int]) -> None:
        """Store exact counts of lines from `count_lines` in another process."""
        for line, n_tokens in counts.items():
            self._remember(line, n_tokens)

    def _count_line(self, line: str) -> int:
        n_tokens = self._young.get(line)
        if n_tokens is not None:
            return n_tokens
        n_tokens = self._old.get(line)
        if n_tokens is None:
            if self._exact is None:
                return most_tokens(line)
            n_tokens = self._exact(line)
        self._remember(line, n_tokens)
        return n_tokens

    def _remember(self, line: str, n_tokens: int) -> None:
        if len(self._young) >= MAX_LINES:
            self._old, self._young = self._young, _Counts(self._about_older)
        self._young[line] = n_tokens


def most_tokens(line: str) -> int:
    """Return the most tokens that a line can have, without the encoding.

    Args:
        line: One line, with or without its end.
    """
    n_bytes = n_bytes_of(line)
    n_spaces = len(line) - len(line.lstrip(" "))
    # All but the last space of an indentation are one token, and the last one belongs
    # to the word after it.
    if 2 < n_spaces <= _MAX_ONE_TOKEN_SPACES:
        return n_bytes - n_spaces + 2
    return n_bytes


def n_bytes_of(text: str) -> int:
    """Count bytes, of which a token has at least one."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def count_lines(lines: Iterable[str], exact: ExactCount) -> dict[str, int]:
    """Count lines with a loaded encoding, for a `TokenCounter` of another process."""
    return {line: exact(line) for line in lines}
