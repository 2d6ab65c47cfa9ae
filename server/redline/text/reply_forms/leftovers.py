"""Whether a text that was read from a reply still has something that is no code.

No form says how to take it off, so the reply is held.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.reply_forms.copies import HEADER
from redline.text.reply_forms.surroundings import Surroundings

_MIN_N_LETTERS = 20
"""Letters and digits of a range that nobody has twice without a change."""
_MIN_N_OF_LINE = 4
_GLUED = re.compile(r"(?:[)\]};\"'>\w] ?)(?:%|[\u2580-\u259f])$")
"""What a terminal writes behind a text without a last line end."""
_NUMBERED_ROW = re.compile(r"\s*\d{1,6}\s*(?:\||\u2502)(?:\s|$)")
_PAGE_NUMBER = re.compile(r"(?:Page \d+(?: (?:of|/) \d+)?|- \d+ -|\d+ ?/ ?\d+)", re.I)


def has_leftovers(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a text has the range twice, or signs of a terminal or a listing."""
    texts = [line.strip() for line in lines if line.strip()]
    own = [line.strip() for line in around.own_texts]
    if not texts or not own:
        return False
    is_odd = (
        _has_old(texts, own)
        or _has_glued_sign(texts, around)
        or _has_numbered_rows(texts, around)
        or any(map(_PAGE_NUMBER.fullmatch, texts))
    )
    return is_odd and not around.may_be_in_text


def _has_old(texts: Sequence[str], own: Sequence[str]) -> bool:
    """Whether the range stands unchanged before or behind another version of it."""
    n_own = len(own)
    if not 1 < n_own < len(texts) or own.count(own[0]) > 1:
        return False
    if sum(map(str.isalnum, "".join(own))) < _MIN_N_LETTERS:
        return False
    if texts[:n_own] == own:
        rest = texts[n_own:]
    elif texts[-n_own:] == own:
        rest = texts[:-n_own]
    else:
        return False
    worded = [line for line in own if sum(map(str.isalnum, line)) >= _MIN_N_OF_LINE]
    headers = [line for line in worded if HEADER.match(line)]
    is_version = own[0] in rest and all(line in rest for line in headers[:1])
    n_common = sum(line in rest for line in worded)
    return is_version and 2 * n_common >= len(worded)


def _has_glued_sign(texts: Sequence[str], around: Surroundings) -> bool:
    """Whether the last line ends with the sign of a terminal."""
    if around.language in PROSE_LANGUAGES - {""} or not _GLUED.search(texts[-1]):
        return False
    return not any(_GLUED.search(line) for line in around.texts)


def _has_numbered_rows(texts: Sequence[str], around: Surroundings) -> bool:
    """Whether several lines have a number and a bar in front, as in a message."""
    n_rows = sum(_NUMBERED_ROW.match(line) is not None for line in texts)
    return n_rows > 1 and not any(map(_NUMBERED_ROW.match, around.texts))
