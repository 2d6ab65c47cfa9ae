"""Finds the rest of a text in which the user has replaced tokens by others.

A model is often wrong in a name and right in what follows. A text is read on behind
the token that was typed instead, if most of what was typed is in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from keyword import iskeyword

from redline.completion.along import indented

_TOKEN = re.compile(r"\s+|\\?\w+|[^\w\s]")
_WORD = re.compile(r"\w+")

_LINE_END = "\n"

_N_AFTER_WORD, _N_AFTER_SIGN = 1, 2
"""Tokens that must agree behind a word that replaces a word, and behind a sign that
replaces anything: signs are repeated too often to show where a text goes on."""


class _Comparison:
    """The tokens that agree, and those that were typed instead of others."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        """Names of the text, and what was typed instead."""
        self._n_equal = 0
        self._n_other = 0
        self._n_awaited = 0
        """Tokens that must agree before another one may differ."""

    def add(self, pairs: Iterable[tuple[str, str]]) -> bool:
        """Compare tokens in turn; return whether they can be of the same text."""
        return all(self._add(token, typed) for token, typed in pairs)

    def _add(self, token: str, typed: str) -> bool:
        if token == typed:
            if not token.isspace() or token == _LINE_END:
                self._n_equal += 1
                self._n_awaited = max(0, self._n_awaited - 1)
            return True
        if self._n_awaited or not token.strip() or not typed.strip():
            return False
        if token.startswith(typed):
            # The text has a longer word: where it would go on is not known.
            return False
        self._n_other += 1
        are_words = _is_word(token) and _is_word(typed)
        self._n_awaited = _N_AFTER_WORD if are_words else _N_AFTER_SIGN
        if _is_name(token) and _is_name(typed):
            self.names[token] = typed
        return True

    @property
    def is_alike(self) -> bool:
        """Whether some tokens differ, and at least as many agree, the last ones too."""
        return self._n_equal >= self._n_other > 0 == self._n_awaited


def realigned(text: str, typed: Sequence[str], unit: str) -> str:
    """Return what is left of a text behind tokens that were typed instead of others.

    A name that was typed instead of another stands for it in the rest as well.

    Args:
        text: What was to be inserted.
        typed: The lines from its place to the cursor.
        unit: The file's indentation of one level.

    Returns:
        Empty if too much differs, or the last token is not complete.
    """
    lines = text.split("\n")
    n_whole = len(typed) - 1
    if n_whole >= len(lines):
        return ""
    compared = _Comparison()
    for line, other in zip(lines[:n_whole], typed[:n_whole], strict=True):
        pairs = zip_longest(_tokens(line.strip()), _tokens(other.strip()), fillvalue="")
        if not compared.add([*pairs, (_LINE_END, _LINE_END)]):
            return ""
    line, last = lines[n_whole], typed[n_whole]
    if n_whole:
        line, last = line.lstrip(" \t"), last.lstrip(" \t")
    rest = _rest(line, last, compared)
    if rest is None or not compared.is_alike:
        return ""
    renamed = "\n".join([rest, *indented(lines, typed, unit)])
    names = compared.names
    return _WORD.sub(lambda found: names.get(found[0], found[0]), renamed)


def word_before(left: str) -> str:
    """Return the part of a word that a text ends with; empty: it ends with none."""
    start = len(left)
    while start and _is_word(left[start - 1]):
        start -= 1
    return left[start:]


def _rest(line: str, typed: str, compared: _Comparison) -> str | None:
    """Return the rest of a line; None: what was typed is not in it."""
    tokens, others = _tokens(line), _tokens(typed)
    if len(others) > len(tokens):
        return None
    pairs = [*zip(tokens, others, strict=False)]
    rest = "".join(tokens[len(others) :])
    if pairs and (last := pairs[-1])[0].startswith(last[1]):
        # Perhaps the beginning of a token.
        token, other = last
        pairs[-1] = token, token
        rest = token[len(other) :] + rest
    return rest if compared.add(pairs) else None


def _tokens(line: str) -> list[str]:
    return _TOKEN.findall(line)


def _is_word(token: str) -> bool:
    return _WORD.match(token) is not None


def _is_name(token: str) -> bool:
    return token.isidentifier() and not iskeyword(token)
