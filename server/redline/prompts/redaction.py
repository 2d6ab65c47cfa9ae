"""Removes secrets from prompts, and restores them in replies.

Each secret is replaced by a placeholder that reads like the name of a constant, so that
models keep it, and that reveals nothing about the secret. Placeholders are numbered in
the order in which secrets are found; the table of a session is passed from one prompt
to the next, so that a secret keeps its placeholder.

Restoring is exact: a placeholder that a text already contains is itself replaced like a
secret, so none in a reply is ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby, starmap

from msgspec import Struct

from redline.prompts.secret_index import MIN_EVERYWHERE, SecretIndex
from redline.prompts.secret_search import (
    Span,
    find_by_structure,
    find_secrets,
    may_show_others,
    merge,
)

_PREFIX = "REDLINE_SECRET_"
_N_DIGITS = 6
SECRET_WORD = "[secret]"
"""What prose says instead of a secret."""
_PLACEHOLDER = re.compile(rf"{_PREFIX}([0-9]{{{_N_DIGITS}}})")

_WORD = re.compile(r"\w{3,}")
"""Shorter ones tell too little about a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretTable:
    """The secrets found in a session, in order."""

    secrets: tuple[str, ...] = field(default=(), repr=False)
    withheld: frozenset[int] = frozenset()
    """Numbers of secrets that are not put back: they belong to another file."""

    def put_back(self, number: int) -> str | None:
        """Return the secret to put back for a placeholder, if there is one."""
        if number >= len(self.secrets) or number in self.withheld:
            # A model may invent further numbers; those stay as written.
            return None
        return self.secrets[number]


NO_SECRETS = SecretTable()


class HiddenTexts(Struct, frozen=True, kw_only=True):
    """Texts that may be sent, and the secrets removed from them."""

    texts: tuple[str, ...]
    table: SecretTable = NO_SECRETS


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

    A secret found in one of them, or found before, is replaced in all: in another text
    nothing may mark it as a secret.

    Args:
        texts: Pairs of a file's path, which may be empty, and a text; LF line ends.
            Parts of a file that follow one another are searched as one text, too.
        table: The secrets that the session has hidden so far.

    Returns:
        The texts in the same order, and the table to restore their secrets.
    """
    across = list(_across_parts(texts))
    has_secrets = bool(table.secrets) or not all(starmap(is_free, texts))
    if not (has_secrets or any(across)):
        # The usual case: there is nothing to hide.
        return HiddenTexts(texts=tuple([text for _, text in texts]), table=table)
    found = [[*_spans_of(path, text)] for path, text in texts]
    for spans, more in zip(found, across, strict=False):
        spans += more
    values = [
        text[start:end]
        for spans, (_, text) in zip(found, texts, strict=True)
        for start, end in spans
    ]
    everywhere = SecretIndex([*table.secrets, *values], _PLACEHOLDER)
    numbers = {secret: number for number, secret in enumerate(table.secrets)}
    hidden = [
        _replace(text, [*spans, *everywhere.spans(text)], numbers)
        for spans, (_, text) in zip(found, texts, strict=True)
    ]
    return HiddenTexts(texts=tuple(hidden), table=SecretTable(secrets=tuple(numbers)))


@lru_cache(maxsize=32)
def is_free(path: str, text: str) -> bool:
    """Whether there is nothing in a text to hide."""
    return not _spans_of(path, text) and _PREFIX not in text


def with_single_lines(table: SecretTable) -> SecretTable:
    """Add each line of a multi-line secret as a secret of its own.

    For texts whose lines have a prefix, such as those of a diff.
    """
    lines = (
        line.strip()
        for secret in table.secrets
        if "\n" in secret
        for line in secret.split("\n")
    )
    more = (line for line in lines if len(line) >= MIN_EVERYWHERE)
    return SecretTable(secrets=tuple(dict.fromkeys((*table.secrets, *more))))


def placeholders_in(texts: Iterable[str]) -> frozenset[int]:
    """Return the numbers of the placeholders in hidden texts."""
    return frozenset(
        int(number) for text in texts for number in _PLACEHOLDER.findall(text)
    )


def withholding(
    table: SecretTable, *, own: Collection[int], text: str = ""
) -> SecretTable:
    """Return the table for a reply that is written into one file.

    A placeholder of a secret that the prompt shows from another file is not put back: a
    copy of the secret would be committed and sent wherever this file is.

    Args:
        table: All secrets of the prompt.
        own: Numbers of those that belong to the file or the instruction.
        text: The file's whole text; secrets in it are put back, too.
    """
    others = {
        secret: number
        for number, secret in enumerate(table.secrets)
        if number not in own
    }
    if others and text:
        known = SecretIndex(table.secrets, _PLACEHOLDER)
        found = {text[start:end] for start, end in known.spans(text)}
        # See `with_single_lines`.
        found |= {line.strip() for each in found for line in each.split("\n")}
        others = {each: n for each, n in others.items() if each not in found}
    return replace(table, withheld=frozenset(others.values()))


def has_withheld(text: str, table: SecretTable) -> bool:
    """Whether a restored text has placeholders that were not put back."""
    return not table.withheld.isdisjoint(placeholders_in([text]))


def put_back(reply: str, table: SecretTable) -> str:
    """Replace the placeholders of a whole reply by their secrets."""

    def secret(found: re.Match[str]) -> str:
        secret = table.put_back(int(found[1]))
        return found[0] if secret is None else secret

    return _PLACEHOLDER.sub(secret, reply)


def without_placeholders(prose: str, table: SecretTable) -> str:
    """Replace the placeholders of secrets in prose by `SECRET_WORD`.

    Prose is shown, stored and passed on, and a model may put a secret into a link.
    """

    def word(found: re.Match[str]) -> str:
        return SECRET_WORD if int(found[1]) < len(table.secrets) else found[0]

    return _PLACEHOLDER.sub(word, prose)


def hide_parts(message: str, table: SecretTable, *, beside: str) -> str:
    """Replace the words that are parts of a secret by `SECRET_WORD`.

    For messages about code into which secrets were put back: if that code uses one as a
    name, a message may quote the names that it consists of.

    Args:
        message: A message, whose whole secrets are hidden.
        table: The secrets.
        beside: A text that is sent with it; its words stay.
    """
    if not table.secrets:
        return message
    known = frozenset(_WORD.findall(beside))

    def word(found: re.Match[str]) -> str:
        is_part = any(found[0] in secret for secret in table.secrets)
        return SECRET_WORD if is_part and found[0] not in known else found[0]

    return _WORD.sub(word, message)


class SecretRestorer:
    """Restores secrets in a reply that arrives in pieces, cut anywhere.

    The results of `feed` and then `finish` together equal `put_back` of the whole. Only
    the beginning of a placeholder is held back.
    """

    def __init__(self, table: SecretTable) -> None:
        self._table = table
        self._held = ""

    def feed(self, delta: str) -> str:
        """Add a piece and return the text that is certain now."""
        text = self._held + delta
        end = _certain(text)
        self._held = text[end:]
        return put_back(text[:end], self._table)

    def finish(self) -> str:
        """End the reply and return what was held back."""
        held, self._held = self._held, ""
        return held


@lru_cache(maxsize=32)
def _spans_of(path: str, text: str) -> tuple[Span, ...]:
    """Find the secrets of a text; cached, since texts are sent repeatedly."""
    return tuple(find_secrets(text, path))


def _across_parts(texts: Sequence[tuple[str, str]]) -> Iterator[list[Span]]:
    """Find the secrets that only other parts of their file show, for each text."""
    for path, group in groupby(texts, key=lambda each: each[0]):
        parts = [text for _, text in group]
        text = "".join(parts)
        if not may_show_others(text, path):
            yield from ([] for _ in parts)
            continue
        spans = merge(list(find_by_structure(text, path)))
        first = 0
        for part in parts:
            end = first + len(part)
            yield [
                _stripped(part, max(one, first) - first, min(other, end) - first)
                for one, other in spans
                if one < end and other > first
            ]
            first = end


def _stripped(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def _placeholder(number: int) -> str:
    return f"{_PREFIX}{number:0{_N_DIGITS}d}"


def _replace(text: str, spans: list[Span], numbers: dict[str, int]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in merge(spans):
        number = numbers.setdefault(text[start:end], len(numbers))
        parts += text[at:start], _placeholder(number)
        at = end
    return "".join(parts) + text[at:]


def _certain(text: str) -> int:
    """Return the start of a trailing part that may become a placeholder."""
    start = max(0, len(text) - len(_PREFIX) - _N_DIGITS + 1)
    while (start := text.find(_PREFIX[0], start)) >= 0:
        name, digits = text[start : start + len(_PREFIX)], text[start + len(_PREFIX) :]
        if _PREFIX.startswith(name) and (not digits or digits.isdecimal()):
            return start
        start += 1
    return len(text)
