"""Secrets out of what is sent, and back into what comes.

Each secret is replaced by a placeholder that reads like the name of a constant, so
that models keep it, and that says nothing about what it stands for. Placeholders are
numbered in the order in which the secrets are met; the table of a session is handed
from one prompt to the next, so that a secret keeps its placeholder.

Putting back is exact: a text that happens to hold a placeholder already has it replaced
like a secret, so none that comes back can be mistaken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from redline.prompts.secret_search import Span, find_secrets, merge

_PREFIX = "REDLINE_SECRET_"
_N_DIGITS = 6
_PLACEHOLDER = re.compile(rf"{_PREFIX}([0-9]{{{_N_DIGITS}}})")

_MIN_EVERYWHERE = 8
"""Characters from which on a secret is also replaced in the middle of a word; shorter
ones may be a part of anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretTable:
    """The secrets that were met in a session, in that order."""

    secrets: tuple[str, ...] = field(default=(), repr=False)

    def placeholder(self, secret: str) -> str:
        """Name a secret of the table."""
        return _placeholder(self.secrets.index(secret))


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenTexts:
    """Texts that may be sent, and what was taken out of them."""

    texts: tuple[str, ...]
    table: SecretTable


NO_SECRETS = SecretTable()


def hide(
    text: str, table: SecretTable = NO_SECRETS, *, path: str = ""
) -> tuple[str, SecretTable]:
    """Replace the secrets of one text; see `hide_all`."""
    hidden = hide_all([(path, text)], table)
    return hidden.texts[0], hidden.table


def hide_all(
    texts: Sequence[tuple[str, str]], table: SecretTable = NO_SECRETS
) -> HiddenTexts:
    """Replace the secrets of all texts that are sent together.

    A secret that is found in one of them, or was found before, is replaced in all: it
    may stand in another where nothing marks it as one.

    Args:
        texts: Pairs of a file's path, which may be empty, and a text; LF line ends.
        table: What was hidden before in the session.

    Returns:
        The texts in the same order, and the table to put their secrets back with.
    """
    found = [_spans_of(path, text) for path, text in texts]
    values = [
        text[start:end]
        for spans, (_, text) in zip(found, texts, strict=True)
        for start, end in spans
    ]
    is_free = not (values or table.secrets)
    if is_free and not any(_has_placeholder(text) for _, text in texts):
        # Nearly always there is nothing to hide.
        return HiddenTexts(texts=tuple(text for _, text in texts), table=table)
    everywhere = _any_of([*table.secrets, *values])
    numbers = {secret: number for number, secret in enumerate(table.secrets)}
    hidden = [
        _replace(text, [*spans, *_spans(everywhere, text)], numbers)
        for spans, (_, text) in zip(found, texts, strict=True)
    ]
    return HiddenTexts(texts=tuple(hidden), table=SecretTable(secrets=tuple(numbers)))


def with_single_lines(table: SecretTable) -> SecretTable:
    """Take each line of a secret of several for a secret by itself.

    For texts whose lines begin with something else, such as those of a diff.
    """
    lines = (
        line.strip()
        for secret in table.secrets
        if "\n" in secret
        for line in secret.split("\n")
    )
    more = (line for line in lines if len(line) >= _MIN_EVERYWHERE)
    return SecretTable(secrets=tuple(dict.fromkeys((*table.secrets, *more))))


def put_back(reply: str, table: SecretTable) -> str:
    """Replace the placeholders of a whole reply by what they stand for."""

    def secret(found: re.Match[str]) -> str:
        number = int(found[1])
        # A model may count on by itself; that stays as it was written.
        return table.secrets[number] if number < len(table.secrets) else found[0]

    return _PLACEHOLDER.sub(secret, reply)


class SecretRestorer:
    """Puts secrets back into a reply that comes in pieces, cut anywhere.

    All that `feed` returns, and then `finish`, is together what `put_back` makes of the
    whole. No more is held back than the beginning of a placeholder.
    """

    def __init__(self, table: SecretTable) -> None:
        self._table = table
        self._held = ""

    def feed(self, delta: str) -> str:
        """Take a piece and return what is certain by now."""
        text = self._held + delta
        end = _certain(text)
        self._held = text[end:]
        return put_back(text[:end], self._table)

    def finish(self) -> str:
        """Return what was held back: the reply has ended."""
        held, self._held = self._held, ""
        return held


@lru_cache(maxsize=32)
def _spans_of(path: str, text: str) -> tuple[Span, ...]:
    """Find the secrets of a text: the same ones are sent again and again."""
    return tuple(find_secrets(text, path))


@lru_cache(maxsize=32)
def _has_placeholder(text: str) -> bool:
    return _PREFIX in text


def _placeholder(number: int) -> str:
    return f"{_PREFIX}{number:0{_N_DIGITS}d}"


def _any_of(secrets: Iterable[str]) -> re.Pattern[str]:
    # The longest first: one secret may begin with another.
    choices = [_choice(x) for x in sorted(set(secrets), key=len, reverse=True)]
    return re.compile("|".join([*choices, _PLACEHOLDER.pattern]))


def _choice(secret: str) -> str:
    pattern = re.escape(secret)
    is_long = len(secret) >= _MIN_EVERYWHERE
    return pattern if is_long else rf"(?<!\w){pattern}(?!\w)"


def _spans(pattern: re.Pattern[str], text: str) -> Iterable[Span]:
    return (found.span() for found in pattern.finditer(text))


def _replace(text: str, spans: list[Span], numbers: dict[str, int]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in merge(spans):
        number = numbers.setdefault(text[start:end], len(numbers))
        parts += text[at:start], _placeholder(number)
        at = end
    return "".join(parts) + text[at:]


def _certain(text: str) -> int:
    """Return where the end of a text begins that may become a placeholder."""
    start = max(0, len(text) - len(_PREFIX) - _N_DIGITS + 1)
    while (start := text.find(_PREFIX[0], start)) >= 0:
        name, digits = text[start : start + len(_PREFIX)], text[start + len(_PREFIX) :]
        if _PREFIX.startswith(name) and (not digits or digits.isdecimal()):
            return start
        start += 1
    return len(text)
