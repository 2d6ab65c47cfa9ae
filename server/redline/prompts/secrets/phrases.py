"""Finds secrets of several words or lines: manifests in JSON, and recovery phrases.

Texts may be cut anywhere, so they are not parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from redline.prompts.secrets.escapes import unescaped

Span = tuple[int, int]

_STRING = r"\"(?:\\.|[^\"\\])*+\""

_DATA = re.compile(
    rf"\"(?:data|stringData)\"\s{{0,20}}+:\s{{0,20}}+\{{((?:[^{{}}\"]|{_STRING})*+)"
)
"""The values (group 1) of a manifest of Kubernetes."""

_VALUE = re.compile(rf":\s{{0,20}}+({_STRING})")

SECRET_KIND = '"Secret"'
"""What every text with such a manifest in JSON has."""

ESCAPED_KIND = r"\"Secret\""
"""What every string has in which the quotes of such a manifest are escaped."""

_IS_SECRET = re.compile(r"\"kind\"\s{0,20}+:\s{0,20}+\"Secret\"")

_MIN_VALUE = 4
"""Characters of the shortest value of a `Secret` that is hidden, as in YAML."""

_PHRASE = re.compile(
    r"(?:^|[\"'`=:])[ \t]{0,4}+((?:[a-z]{3,8} ){11,23}+[a-z]{3,8})(?=[\"'`]|[ \t]*+$)"
)
"""The 12 to 24 words of a wallet (BIP-39), all of 3 to 8 letters, and nothing else in a
string or after a name: a sentence has shorter words and signs."""

_APP_PASSWORD = re.compile(
    r"(?:^|[\"'`=:>]|\bpass(?:word|wd)?[ \t])[ \t]{0,4}+"
    r"([a-z]{4}(?: [a-z]{4}){3})(?=[\"'`<]|[ \t]*+$)"
)
"""A password for one app, in four groups, as Google's page about them shows it."""

_SAYS_PASSWORD = re.compile(r"pass|pwd|secret|login|credential", re.IGNORECASE)
_N_GROUP_BLANKS = 3

_N_WORDS = frozenset({12, 15, 18, 21, 24})
_MIN_BLANKS = 11
_MIN_CHARS = 47
"""Of the shortest phrase: twelve words of three letters."""


def json_values(text: str) -> Iterator[Span]:
    """Yield the values of each `Secret` of Kubernetes, and what is beside one."""
    if SECRET_KIND not in text or not _IS_SECRET.search(text):
        return
    for data in _DATA.finditer(text):
        for value in _VALUE.finditer(text, *data.span(1)):
            start, end = value.start(1) + 1, value.end(1) - 1
            if end - start >= _MIN_VALUE:
                yield start, end


def json_values_in_strings(text: str) -> Iterator[Span]:
    """Yield the same values of a manifest that is a string on one line, such as the
    annotation in which `kubectl apply` stores what it has applied."""
    start = 0
    for line in text.split("\n"):
        if ESCAPED_KIND in line:
            inner, places = unescaped(line)
            for a, b in json_values(inner):
                yield start + places[a], start + places[b]
        start += len(line) + 1


@lru_cache(4_096)
def recovery_phrases(line: str) -> tuple[Span, ...]:
    """Find the phrases of a line from which the keys of a wallet are made.

    Cached, since it is also asked whether a line has to be searched at all.
    """
    # Most lines of code are too short.
    if len(line) < _MIN_CHARS or line.count(" ") < _MIN_BLANKS:
        return ()
    return tuple(
        found.span(1)
        for found in _PHRASE.finditer(line)
        if len(found[1].split(" ")) in _N_WORDS
    )


def app_passwords(line: str) -> tuple[Span, ...]:
    """Return the passwords for one app in a line that says what they are."""
    if line.count(" ") < _N_GROUP_BLANKS or not _SAYS_PASSWORD.search(line):
        return ()
    return tuple(found.span(1) for found in _APP_PASSWORD.finditer(line))
