"""Chooses among the versions of the range's text in a reply that has several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from redline.text.reply_forms.excerpt import HEADER
from redline.text.reply_forms.surroundings import Surroundings

_WORD = re.compile(r"\w+|[^\w\s]")
_MAX_N_LINES = 600
"""Longer replies are not compared: it would take too long."""

_MIN_LIKENESS = 0.4
"""Of two versions of the same code, in words and signs; different functions of a file
share about half as much."""

_MIN_N_LINES = 3
"""Lines with text of an answer that is not given twice by chance."""


def given_once(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return half of a reply that gives a definition twice, word for word.

    Returns:
        None if it does not, or if the user may have asked for it: the definition is the
        unchanged range.
    """
    half = _half(lines)
    own = [line.rstrip() for line in around.target if line.strip()]
    answer = [line.rstrip() for line in half or () if line.strip()]
    if not answer or answer == own or not HEADER.match(answer[0]):
        return None
    return half


def _half(lines: Sequence[str]) -> list[str] | None:
    places = [at for at, line in enumerate(lines) if line.strip()]
    middle = len(places) // 2
    if middle < _MIN_N_LINES or len(places) % 2:
        return None
    one, other = (
        [lines[at].rstrip() for at in part]
        for part in (places[:middle], places[middle:])
    )
    return list(lines[: places[middle - 1] + 1]) if one == other else None


def last_version(
    blocks: Sequence[Sequence[str]], target: Sequence[str]
) -> Sequence[str] | None:
    """Return the last block if all are versions of the range, the old text included.

    Returns:
        None if one of them is something else, such as a usage example.
    """
    if sum(map(len, blocks)) > _MAX_N_LINES:
        return None
    filled = [block for block in blocks if any(map(str.strip, block))]
    if len(filled) < 2:
        return None
    last = filled[-1]
    is_of_range = _first(last) in (_first(target), _first(filled[0])) or _is_version(
        last, target
    )
    is_same = all(_is_version(last, other) for other in filled[:-1])
    return last if is_of_range and is_same else None


def _first(lines: Sequence[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")


def _is_version(one: Sequence[str], other: Sequence[str]) -> bool:
    first, second = _words(one), _words(other)
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.ratio() >= _MIN_LIKENESS


def _words(lines: Sequence[str]) -> list[str]:
    return [word for line in lines for word in _WORD.findall(line)]
