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
from itertools import chain, starmap

from msgspec import Struct

from redline.prompts.enclosing_lines import enclosing_lines
from redline.prompts.secrets.index import MIN_EVERYWHERE, SecretIndex
from redline.prompts.secrets.line import Span, merge
from redline.prompts.secrets.search import find_secrets
from redline.text.lines import with_line_feeds

_PREFIX = "REDLINE_SECRET_"
_N_DIGITS = 6
SECRET_WORD = "[secret]"
"""What prose says instead of a secret."""
_PLACEHOLDER = re.compile(rf"{_PREFIX}([0-9]{{{_N_DIGITS}}})(?![0-9])")
_DIGITS = re.compile(r"[0-9]*")

_MAX_AROUND = 1_000

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
    paths: tuple[str, ...]
    """The path of each text, as it may be sent."""
    table: SecretTable = NO_SECRETS


def hide(
    text: str, table: SecretTable = NO_SECRETS, *, path: str = ""
) -> tuple[str, SecretTable]:
    """Replace the secrets of one text; see `hide_all`."""
    hidden = hide_all([(path, text)], table)
    return hidden.texts[0], hidden.table


def hide_all(
    texts: Sequence[tuple[str, str]],
    table: SecretTable = NO_SECRETS,
    *,
    wholes: Sequence[tuple[str, str]] = (),
    known: Sequence[str] = (),
) -> HiddenTexts:
    """Replace the secrets of all texts that are sent together, and of their paths.

    A secret found in one of them, or found before, is replaced in all: in another text
    nothing may mark it as a secret.

    Args:
        texts: Pairs of a file's path, which may be empty, and a text; LF line ends.
        table: The secrets that the session has hidden so far.
        wholes: Texts that are not sent, but parts of them are, as pairs of a path and a
            text; see `text_around`. A secret found in one of them is replaced, too: its
            name may be in another part, or in none.
        known: Secrets that are known from elsewhere.

    Returns:
        The texts and their paths in the same order, and the table to restore their
        secrets.
    """
    paths = [path for path, _ in texts]
    sent = [*(text for _, text in texts), *paths]
    if not (table.secrets or known) and all(starmap(is_free, (*texts, *wholes))):
        # The usual case: there is nothing to hide.
        hidden = sent
    else:
        found = [*starmap(spans_of, texts), *map(_spans_of_path, paths)]
        values = [
            text[start:end]
            for spans, text in zip(found, sent, strict=True)
            for start, end in spans
        ]
        for path, whole in wholes:
            values += _values_of(path, whole)
        for secret in known:
            values += secret, *_lines_of(secret)
        everywhere = SecretIndex([*table.secrets, *values], _PLACEHOLDER)
        numbers = {secret: number for number, secret in enumerate(table.secrets)}
        hidden = [
            _replace(text, [*spans, *everywhere.spans(text)], numbers)
            for spans, text in zip(found, sent, strict=True)
        ]
        table = SecretTable(secrets=tuple(numbers))
    return HiddenTexts(
        texts=tuple(hidden[: len(texts)]),
        paths=tuple(hidden[len(texts) :]),
        table=table,
    )


def text_around(
    lines: Sequence[str], first: int, end: int, *, n_around: int = _MAX_AROUND
) -> str:
    """Return the text to search for the secrets of some lines of a document.

    It is the whole document, unless that is long: a search of all would take too long.
    Then it begins with the lines that enclose it.

    Args:
        lines: The document's.
        first: The first of the lines that are sent.
        end: The line after the last one.
        n_around: The most lines of it before, and after, them.
    """
    return text_before(lines, first, n_around=n_around) + with_line_feeds(
        lines[first : end + n_around]
    )


def text_before(
    lines: Sequence[str], first: int, *, n_around: int = _MAX_AROUND
) -> str:
    """Return the part of `text_around` that is before the lines that are sent."""
    start = max(0, first - n_around)
    enclosing = (lines[number] for number in enclosing_lines(lines, start))
    return with_line_feeds([*enclosing, *lines[start:first]])


@lru_cache(maxsize=32)
def spans_of(path: str, text: str) -> tuple[Span, ...]:
    """Find the secrets of a text; cached, since texts are sent repeatedly."""
    return tuple(find_secrets(text, path))


@lru_cache(maxsize=512)
def _spans_of_path(path: str) -> tuple[Span, ...]:
    """Find the secrets in the names of a file and its folders."""
    return tuple(find_secrets(path))


@lru_cache(maxsize=32)
def is_free(path: str, text: str) -> bool:
    """Whether there is nothing to hide in a text and in its path."""
    return not (spans_of(path, text) or _spans_of_path(path)) and (
        _PREFIX not in text and _PREFIX not in path
    )


def with_single_lines(table: SecretTable) -> SecretTable:
    """Add each line of a multi-line secret as a secret of its own.

    For texts whose lines have a prefix, such as those of a diff.
    """
    more = chain.from_iterable(map(_lines_of, table.secrets))
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


def has_unknown(text: str, table: SecretTable) -> bool:
    """Whether a text has placeholders that stand for no secret."""
    return any(number >= len(table.secrets) for number in placeholders_in([text]))


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
    a placeholder at the end, or the beginning of one, is held back.
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
        return put_back(held, self._table)


def _values_of(path: str, text: str) -> Iterator[str]:
    """Find the secrets of a text of which parts are sent, and each line of them."""
    for start, end in spans_of(path, text):
        secret = text[start:end]
        yield secret
        yield from _lines_of(secret)


def _lines_of(secret: str) -> Iterator[str]:
    """Return the lines of a secret of several lines that are long enough to be found
    everywhere."""
    if "\n" in secret:
        lines = map(str.strip, secret.split("\n"))
        yield from (line for line in lines if len(line) >= MIN_EVERYWHERE)


def _placeholder(number: int) -> str:
    return f"{_PREFIX}{number:0{_N_DIGITS}d}"


def _replace(text: str, spans: list[Span], numbers: dict[str, int]) -> str:
    parts: list[str] = []
    at = 0
    # With the digits behind it: a placeholder that has more digits is the model's.
    whole = [(start, _end_of_digits(text, end)) for start, end in spans]
    for start, end in merge(whole):
        number = numbers.setdefault(text[start:end], len(numbers))
        parts += text[at:start], _placeholder(number)
        at = end
    return "".join(parts) + text[at:]


def _end_of_digits(text: str, at: int) -> int:
    digits = _DIGITS.match(text, at)
    return digits.end() if digits else at


def _certain(text: str) -> int:
    """Return the start of a trailing part that may become a placeholder, or is one as
    long as no further digit follows.
    """
    start = max(0, len(text) - len(_PREFIX) - _N_DIGITS)
    while (start := text.find(_PREFIX[0], start)) >= 0:
        name, digits = text[start : start + len(_PREFIX)], text[start + len(_PREFIX) :]
        if _PREFIX.startswith(name) and (not digits or digits.isdecimal()):
            return start
        start += 1
    return len(text)
