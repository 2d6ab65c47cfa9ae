"""Finds the secrets that one line shows: by format, by name, by randomness."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from redline.prompts.secrets import formats, neighbours, signs
from redline.prompts.secrets.arguments import find_arguments
from redline.prompts.secrets.commands import find_in_commands
from redline.prompts.secrets.escapes import has_escaped_sign, unescaped
from redline.prompts.secrets.kinds import Kind
from redline.prompts.secrets.phrases import app_passwords, recovery_phrases
from redline.prompts.secrets.provider_keys import KEY
from redline.prompts.secrets.values import (
    REFERENCE,
    UNQUOTED,
    find_named,
    is_call,
    may_be_secret,
)

Span = tuple[int, int]

MAX_WINDOW = 2_000
"""Characters of a line that are searched at once: the time of some patterns is
quadratic, and minified code has lines of a megabyte."""

_OVERLAP = 500
"""Characters that adjacent windows share: room for a name and a key."""

_MIN_BITS = {False: 4.5, True: 3.0}
"""Shannon entropy in bits per character from which a string counts as random, by
whether it is hexadecimal: the limits of most scanners. English words stay below."""

_DIGITS_MALUS = 1.2
"""Divided by the bits of the length and subtracted from the entropy of a string of only
digits, so that numbers do not count as random hexadecimal strings."""

_BEHIND_STRING = " \t)]};,"
"""What may follow a string that is being typed: what an editor or the user closed."""

_HEX = frozenset("0123456789abcdefABCDEF")


def secrets_of_line(line: str, kind: Kind) -> Sequence[Span]:
    """Find what a line shows to be a secret.

    A string that the line does not close is also read as if it ended with the line: it
    is being typed, and most forms of values have two quotes.
    """
    if len(line) > MAX_WINDOW:
        return list(_windows(line, kind))
    spans = _find_in_piece(line, kind)
    string = formats.OPEN_STRING.search(line.rstrip(_BEHIND_STRING))
    if string is None:
        return spans
    end = string.end()
    closed = f"{line[:end]}{string['quote']}{line[end:]}"
    more = ((start, min(stop, end)) for start, stop in _find_in_piece(closed, kind))
    return merge([*spans, *(span for span in more if span[0] < end)])


def _windows(line: str, kind: Kind) -> Iterator[Span]:
    for start in range(0, len(line), MAX_WINDOW - _OVERLAP):
        piece = line[start : start + MAX_WINDOW]
        for a, b in _find_in_piece(piece, kind):
            # A match at the border may continue after it.
            end = _end_of(_KEY_END, line, start + b) if b == len(piece) else start + b
            yield start + a, end


@lru_cache(maxsize=8_192)
def _find_in_piece(line: str, kind: Kind) -> tuple[Span, ...]:
    spans: list[Span] = []
    if signs.RUN.search(line) or signs.SLACK in line:
        spans += (_whole_token(line, x.span()) for x in KEY.finditer(line))
        spans += (x.span(1) for x in formats.HEADER.finditer(line))
        spans += _random_strings(line)
    names_secret = signs.has_secret_word(line)
    if names_secret:
        spans += find_named(line, kind)
    if "://" in line:
        for url in formats.URL_PASSWORD.finditer(line):
            if not REFERENCE.search(url[1]):
                spans.append(url.span(1))
        spans += _begun_urls(line)
    if neighbours.has_name(line):
        spans += (
            (start, end)
            for start, end in neighbours.find_near_names(line)
            if may_be_secret(line[start:end])
        )
    spans += secrets_of_command(line, kind, names_secret=names_secret)
    if "(" in line or "[" in line:
        spans += (x for x in find_arguments(line) if may_be_secret(line[x[0] : x[1]]))
    spans += recovery_phrases(line)
    spans += app_passwords(line)
    if has_escaped_sign(line):
        spans += _find_in_string(line, kind)
    return tuple(merge(spans))


def _find_in_string(line: str, kind: Kind) -> Iterator[Span]:
    """Find the secrets of text inside a string, a URL or an attribute of HTML."""
    text, starts = unescaped(line)
    start = 0
    for inner in text.split("\n"):
        for a, b in _find_in_piece(inner, kind):
            yield starts[start + a], starts[start + b]
        start += len(inner) + 1


def secrets_of_command(line: str, kind: Kind, *, names_secret: bool) -> Iterator[Span]:
    """Find what a command takes as a secret."""
    for start, end in find_in_commands(
        line,
        names_secret=names_secret,
        is_command=kind in UNQUOTED,
    ):
        value = line[start:end].rstrip(",.:\\")
        if may_be_secret(value) and not is_call(value):
            yield start, start + len(value)


def merge(spans: list[Span]) -> list[Span]:
    """Sort spans and join those that overlap."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged


def _begun_urls(line: str) -> Iterator[Span]:
    """Find the passwords of URLs in which no host follows yet."""
    for url in formats.BEGUN_URL.finditer(line):
        value = url["value"].rstrip(".,;:)]}|*\\")
        # With a slash it may be a path.
        is_value = "/" not in value or neighbours.is_opaque(value)
        if is_value and may_be_secret(value) and not is_call(value):
            yield url.start("value"), url.start("value") + len(value)


_TOKEN_END = re.compile(r"[\w-]*")
_KEY_END = re.compile(r"[\w.+/=~-]*")


def _whole_token(line: str, span: Span) -> Span:
    """Extend a key to the end of its token: the pattern may match less."""
    return span[0], _end_of(_TOKEN_END, line, span[1])


def _end_of(pattern: re.Pattern[str], line: str, start: int) -> int:
    found = pattern.match(line, start)
    return found.end() if found else start


def _random_strings(line: str) -> Iterator[Span]:
    """Find quoted strings that are too random to be written by a person."""
    for found in formats.RANDOM_STRING.finditer(line):
        value = found[2]
        is_hex = _HEX.issuperset(value)
        if (
            _entropy(value) > _MIN_BITS[is_hex]
            and not neighbours.holds_alphabet(value)
            and not formats.UUID.search(value)
        ):
            yield found.span(2)


def _entropy(value: str) -> float:
    """Return the Shannon entropy of a string in bits per character."""
    n_chars = len(value)
    shares = [n / n_chars for n in Counter(value).values()]
    bits = -sum(share * math.log2(share) for share in shares)
    return bits - _DIGITS_MALUS / math.log2(n_chars) if value.isdecimal() else bits
