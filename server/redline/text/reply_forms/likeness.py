"""Whether a text that was taken out of a reply is one for the range."""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.text.reply_forms.surroundings import Surroundings

_MIN_N_LETTERS = 6
"""Letters and digits of a line that two texts do not have in common by chance."""

_CODE_SIGN = re.compile(r"[(){}\[\]=;]")
_FIRST_SIGN = re.compile(r"</?\w+|\w+|\S")
_FIRST_WORD = re.compile(r"\w+|\S")
_WORD = re.compile(r"[^\W\d]\w{2,}")
_MIN_N_WORDS = 2
"""Words that two texts do not have in common by chance."""


def fits(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a text begins as the range does, or has lines or most words of it."""
    return is_of_range(lines, around) or _shares_words(lines, around)


def is_of_range(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a text begins as the range does, or has lines of it."""
    known = {line.strip() for line in lines}
    return (
        shares_lines(lines, around)
        or begins_as_range(lines, around)
        or any(line.strip() in known and _is_long(line) for line in around.target)
    )


def begins_as_range(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a text begins with the word of code that the range begins with."""
    at, own_at = first_text(lines), first_text(around.target)
    if at is None or own_at is None:
        return False
    own = around.target[own_at].strip()
    word, own_word = _FIRST_WORD.match(lines[at].strip()), _FIRST_WORD.match(own)
    if word is None or own_word is None or own.startswith("<"):
        return False
    return word[0] == own_word[0] and _CODE_SIGN.search(own) is not None


def shares_lines(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a text has several lines, and the range's first or half of them."""
    new = [line.strip() for line in lines if line.strip()]
    own = [line.strip() for line in around.target if line.strip()]
    if min(len(new), len(own)) < 2 or not _CODE_SIGN.search(own[0]):
        return False
    known = set(new)
    return new[0] == own[0] or 2 * sum(line in known for line in own) >= len(own)


def is_alike(line: str, own: str) -> bool:
    """Whether lines begin with the same word, tag or sign."""
    word, own_word = _FIRST_SIGN.search(line), _FIRST_SIGN.search(own)
    return word is not None and own_word is not None and word[0] == own_word[0]


def first_text(lines: Sequence[str]) -> int | None:
    """Return the place of the first line that is not blank."""
    return next((at for at, line in enumerate(lines) if line.strip()), None)


def _is_long(line: str) -> bool:
    return sum(map(str.isalnum, line)) >= _MIN_N_LETTERS


def _shares_words(lines: Sequence[str], around: Surroundings) -> bool:
    own = set(_WORD.findall("\n".join(around.target)))
    common = own & set(_WORD.findall("\n".join(lines)))
    return len(common) >= _MIN_N_WORDS and 2 * len(common) >= len(own)
