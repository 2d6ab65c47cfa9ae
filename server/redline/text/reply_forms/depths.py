"""Restores indentation that was scaled or lost in the whole of a reply."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.indentation import indent_of
from redline.text.reply_forms.surroundings import Surroundings

_MIN_N_LETTERS = 3
_MIN_N_PAIRS = 2
"""Fewest lines that show a factor."""
_OPENERS = (":", "(", "[", "{", ",", "\\")
"""What a line of Python ends with, below which a line may be deeper."""
_FREE = re.compile(
    r"[#@.?:&|+*/\\<>)\]}-]|(?:case|default|public|private|protected|and|or|end)\b|\w+:\s*$"
)
"""Lines that need not be as deep as the statement above them."""


def rescaled(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Undo a constant factor between the steps of a reply and those of its range.

    The lines that both have show it; without the first one, of which servers strip the
    indentation.
    """
    if around.language in PROSE_LANGUAGES or any("\t" in line for line in lines):
        return None
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    pairs = _pairs(lines[first + 1 :], around.target)
    depths = {want for _, want in pairs}
    if len(pairs) < _MIN_N_PAIRS:
        return None
    have_0, want_0 = min(pairs, key=lambda pair: pair[1])
    if not have_0 or not want_0:
        have_0, want_0 = 0, 0
    factors = {
        Fraction(want - want_0, have - have_0) if have != have_0 else Fraction(0)
        for have, want in pairs
        if (have, want) != (have_0, want_0)
    }
    if len(depths) <= _MIN_N_PAIRS:
        # The factor must be that of the whole indentation, and of all lines.
        factors |= {Fraction(want, have) for have, want in pairs if have}
        have_0, want_0 = 0, 0
        step = 1 / max(min(factors, default=Fraction(1)), Fraction(1, 8))
        widths = {len(indent_of(line)) for line in lines if line.strip()}
        unit = min(filter(None, depths), default=0)
        if step < 1 or any(width % (unit * step) for width in widths if unit):
            return None
    if len(factors) != 1 or (factor := factors.pop()) in (0, 1) or factor < 0:
        return None
    new = []
    for line in lines:
        width = want_0 + (len(indent_of(line)) - have_0) * factor
        if line.strip() and (width.denominator != 1 or width < 0):
            return None
        new.append(" " * int(width) + line.lstrip(" ") if line.strip() else line)
    return new


def lifted(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Cut off what all lines are deeper than the range, as a block of a page.

    Below a line that opens no block, deeper lines are no code of Python. In other
    languages the range shows how deep a text stands there.
    """
    first = next(filter(str.strip, lines), "")
    own = next(filter(str.strip, around.target), "")
    width = len(indent_of(first)) - len(indent_of(own))
    if width <= 0 or not own or around.language in PROSE_LANGUAGES:
        return None
    if around.may_be_in_text or first.rstrip() in around.own_texts:
        return None
    above = next(filter(str.strip, reversed(around.before)), "").rstrip()
    is_opened = above.endswith(_OPENERS) or len(indent_of(above)) > len(indent_of(own))
    if around.language == "python":
        if not above or is_opened:
            return None
    elif not _begins_least_deep(lines, around):
        return None
    shift = indent_of(first)[:width]
    if not all(line.startswith(shift) for line in lines if line.strip()):
        return None
    return [line[width:] if line.strip() else line for line in lines]


def _begins_least_deep(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether a text and its range begin with a line that no other is less deep than.

    Lines that may stand at another depth than those around them do not count: parts
    of a statement, labels, directives, comments and brackets.
    """
    texts, own = (
        [line for line in each if line.strip()] for each in (lines, around.target)
    )
    depths, own_depths = (
        [len(indent_of(line)) for line in each] for each in (texts, own)
    )
    if min(depths) < depths[0] or min(own_depths) < own_depths[0]:
        return False
    if any(_FREE.match(each[0].strip()) for each in (texts, own)):
        return texts[0].split()[0] == own[0].split()[0]
    above = next(filter(str.strip, reversed(around.before)), "")
    depth_above = len(indent_of(above))
    return own_depths[0] >= depth_above or not _FREE.match(above.strip())


def _pairs(lines: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
    """Return the two indentations of each line that both have exactly once.

    Returns:
        No pairs if a line with an indentation is as deep in both.
    """
    texts, own_texts = list(map(str.strip, lines)), list(map(str.strip, target))
    counts, own_counts = Counter(texts), Counter(own_texts)
    own = dict(zip(own_texts, target, strict=True))
    pairs = []
    for text, line in zip(texts, lines, strict=True):
        is_in_both = counts[text] == own_counts.get(text) == 1
        if is_in_both and sum(map(str.isalnum, text)) >= _MIN_N_LETTERS:
            have, want = len(indent_of(line)), len(indent_of(own[text]))
            if have == want > 0:
                return []
            pairs.append((have, want))
    return pairs
