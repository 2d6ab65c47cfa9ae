"""Chooses among the versions of the range's text in a reply that has several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from redline.text.lines import strip_end
from redline.text.reply_forms.brackets import depth
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


def without_copies(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Cut off definitions of the file, word for word, before or after the answer.

    Those next to the range are cut off by `excerpt`.
    """
    file = [
        "\n".join(line.rstrip() for line in map(strip_end, part))
        for part in (around.before, around.after)
    ]
    own = "\n".join(around.target)
    parts = _paragraphs(lines)
    kept = list(parts)
    while len(kept) > 1 and _is_definition(kept[0], file, own):
        kept.pop(0)
    while len(kept) > 1 and _is_definition(kept[-1], file, own):
        kept.pop()
    if len(kept) == len(parts):
        return None
    start = sum(map(len, parts[: parts.index(kept[0])]))
    stop = start + sum(map(len, kept))
    new = list(lines[start:stop])
    while new and not new[-1].strip():
        new.pop()
    return new


def _paragraphs(lines: Sequence[str]) -> list[list[str]]:
    """Cut a text before each line that follows a blank one."""
    found: list[list[str]] = []
    for at, line in enumerate(lines):
        if not found or (at and line.strip() and not lines[at - 1].strip()):
            found.append([])
        found[-1].append(line)
    return found


def _is_definition(part: Sequence[str], file: Sequence[str], own: str) -> bool:
    texts = [line.rstrip() for line in part if line.strip()]
    if len(texts) < _MIN_N_LINES or not HEADER.match(texts[0]) or depth(texts):
        return False
    text = "\n".join(texts)
    return text not in own and any(f"{text}\n" in one for one in file)


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
