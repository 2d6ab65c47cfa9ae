"""Finds the one text for the range that a reply holds in an encoding."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator, Sequence

from redline.text.reply_forms.json_text import literals
from redline.text.reply_forms.likeness import fits
from redline.text.reply_forms.surroundings import Surroundings
from redline.text.reply_forms.transport import from_base64

_BASE64 = re.compile(r"[A-Za-z0-9+/]{20,}+(?:\s[A-Za-z0-9+/]{4,}+)*+={0,2}")
_ENTITY = re.compile(r"&(?:#?\w{1,10});")
_LINE_FEED = "%0A"
_MIN_N_LINES = 2


def decoded(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return the text; None if there is none, or more than one.

    A single line may be a literal itself.
    """
    if len(around.own_texts) < _MIN_N_LINES:
        return None
    text = "\n".join(lines)
    own = [line.strip() for line in around.own_texts]
    found = [
        inner
        for decode in (_from_base64, _from_url, literals)
        for inner in (one.split("\n") for one in decode(text))
        if fits(inner, around) and [one.strip() for one in inner if one.strip()] != own
    ]
    return found[0] if len(found) == 1 else None


def has_entities(lines: Sequence[str]) -> bool:
    """Whether signs are written as entities of HTML."""
    return any(map(_ENTITY.search, lines))


def _from_base64(text: str) -> Iterator[str]:
    for found in _BASE64.finditer(text):
        yield from filter(None, [from_base64("".join(found[0].split()))])


def _from_url(text: str) -> Iterator[str]:
    for word in text.split():
        if word.upper().count(_LINE_FEED) >= _MIN_N_LINES:
            _, _, value = word.rpartition("=")
            has_plus = "%20" not in value
            decode = urllib.parse.unquote_plus if has_plus else urllib.parse.unquote
            yield decode(value)
