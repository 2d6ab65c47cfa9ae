"""Counting tokens line by line, before and after the encoding is there.

A prompt changes by a line or two between one request and the next, so each line is
counted once and remembered. Until a line's exact count is known its bytes stand in for
it: no token is shorter than a byte, so `count` never overruns a budget, only uses it
less well; `about` takes a third of them.
Exact counts come from `load`, or from another process through `unknown` and `learn`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

ExactCount: TypeAlias = Callable[[str], int]
"""From a text to its number of tokens; `encoding.load_counter` makes one."""

_BYTES_PER_TOKEN = 3
"""Code has more: of Python's standard library, 250 lines at a time, 95 in 100 have 3.6
or more; tables of constants have less."""

MAX_LINES = 32_768
"""Lines remembered in each of two generations; a line takes about 150 bytes."""

_MAX_ONE_TOKEN_SPACES = 79
"""o200k_base has a token for every run of spaces up to this length, not for 80."""


class _Counts(dict[str, int]):
    """Counts by line, that asks for those which it does not have."""

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
        # Two generations in place of an order of use: a line that is asked for moves
        # to the young one, and when that is full, what is left in the old one goes.
        self._young = _Counts(self._about_older)
        self._old: Mapping[str, int] = {}

    @property
    def is_exact(self) -> bool:
        """Whether the encoding is loaded in this process."""
        return self._exact is not None

    def load(self) -> None:
        """Load the encoding here and now: about 0.5 s; see `encoding`.

        Raises:
            DamagedEncodingError: If the shipped ranks are not those of tiktoken.
        """
        from redline.prompts.encoding import load_counter

        if self._exact is None:
            self._exact = load_counter()

    def count(self, text: str) -> int:
        """Count the tokens of a text, or a number that is above it."""
        return sum(map(self._count_line, text.splitlines(keepends=True)))

    def about(self, text: str) -> int:
        """Count the tokens of a text; lines that nobody has counted are estimated.

        For a budget that is about time and not about what fits: the estimate is more
        than nearly all code takes, and less than tables of constants do.
        """
        return sum(map(self.about_line, text.splitlines(keepends=True)))

    @property
    def about_line(self) -> Callable[[str], int]:
        """What counts the tokens of one line, as `about` does: for hundreds at once.

        To be taken anew for each text, and not to be kept.
        """
        # Nearly always all lines are known, and then no code of ours runs for them.
        return self._young.__getitem__

    def _about_older(self, line: str) -> int:
        if (n_tokens := self._old.get(line)) is None:
            if self._exact is not None:
                return self._count_line(line)
            n_bytes = len(line) if line.isascii() else len(line.encode())
            return -(-n_bytes // _BYTES_PER_TOKEN)
        return n_tokens

    def unknown(self, text: str) -> list[str]:
        """Say which lines of a text are only estimated, each once, ends kept."""
        if self._exact is not None:
            return []
        lines = dict.fromkeys(text.splitlines(keepends=True))
        return [x for x in lines if x not in self._young and x not in self._old]

    def learn(self, counts: Mapping[str, int]) -> None:
        """Take exact counts of lines that were made elsewhere, by `count_lines`."""
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
    """Count the tokens that a line can have at most, without the encoding.

    Args:
        line: One line, with or without its end.
    """
    n_bytes = (
        len(line) if line.isascii() else len(line.encode("utf-8", "surrogatepass"))
    )
    n_spaces = len(line) - len(line.lstrip(" "))
    # All but the last space of an indentation are one token, and the last one belongs
    # to the word that follows it.
    if 2 < n_spaces <= _MAX_ONE_TOKEN_SPACES:
        return n_bytes - n_spaces + 2
    return n_bytes


def count_lines(lines: Iterable[str], exact: ExactCount) -> dict[str, int]:
    """Count lines by a loaded encoding, for a `TokenCounter` of another process."""
    return {line: exact(line) for line in lines}
