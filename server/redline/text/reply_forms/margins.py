"""Takes off a margin that all lines have, whatever program wrote it.

The range's lines are known, so what stands in front of them in a reply, or behind them,
is known, too. A line that changed still has its first or its last half. What is then
the same on all lines, but for numbers, is no code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, takewhile

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.indentation import indent_of
from redline.text.reply_forms.reply_blocks import MARKUP
from redline.text.reply_forms.surroundings import Surroundings

_MIN_N_LETTERS = 4
_MAX_N_OWN, _MAX_N_CHARS, _MAX_N_OF_MARGIN = 40, 1_000, 120
"""Most lines of the range that are looked for, and characters of lines and margins."""

_VARYING = re.compile(r"\b(?=\w{0,40}\d)[0-9a-f]{7,40}\b|\d+|(?<=\S)[ \t]++(?=\S)")
"""What differs by line: numbers, hashes, and the blanks in front of them."""
_NUMBER = re.compile(r"\s{0,8}\d++[-:.]?")
_SIGNS = "|`\u2502\u2503\u2551\u00b6\u21b5"
_FRONT = re.compile(
    r"#\d++ |(?!\s*(?:#|//|--|;|/?\*|<!|[\"'!&+-]|%\s))(?:"
    rf".*[{_SIGNS}>\u203a\u2192:)\]}}]\s?"
    r"|\W*\d[\d:.-]*+\W*+|\W*\d++[-:.]\d.*|[$%\u2022]\s)"
)
"""What programs write in front of a line; code has words or the sign of a comment."""
_COLUMN = re.compile(
    rf"(?!\s*\d+[.)]\s)(?:\s*|{_FRONT.pattern}|\W*\d++[-:.]?\s*"
    r"|\s*(?:\.{3}|[\u2500-\u257f]+)\s*)"
)
"""What they write in front of some of the lines."""
_END = re.compile(rf"(?:[{_SIGNS}\\]|<br/?>|<\d+>|</\w+>)+")
"""What they write behind it, without blanks."""
_LISTED = re.compile(rf"[0>{_SIGNS}\\]|<br")
"""A sign of margins that no code has on all lines."""
_OUTSIDE = "|<+-=`\u2500\u250c\u2514\u2554\u255a"
"""What lines begin with that are above or below those with a margin."""


def without_margin(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Return the lines without their margins; None if they have none."""
    front, end = _margins(lines, around, 1)
    taken = _taken_off(lines, front, end) if front or end else None
    return _without_column(lines, around) if taken is None else taken


def has_margin(lines: Sequence[str], around: Surroundings) -> bool:
    """Whether two lines of the range have a margin, or all lines one behind them."""
    front, _ = _margins(lines, around, 2)
    _, end = _margins(lines, around, 1)
    if _LISTED.search(front + end) is None:
        return _without_column(lines, around) is not None
    return front != "" or _taken_off(lines, "", end) is not None


def _margins(lines: Sequence[str], around: Surroundings, least: int) -> tuple[str, str]:
    """Return the margins in front and behind; 0 stands for each number."""
    filled = [line for line in lines if line.strip() and len(line) < _MAX_N_CHARS]
    known = {line.strip() for line in filled}
    own = list(islice(filter(_is_worded, around.own_texts), _MAX_N_OWN))
    if around.may_be_in_text or any(line.strip() in known for line in own):
        return "", ""  # Nearly every reply.
    front = _usual(_fronts(own, filled), least, _FRONT.fullmatch)
    if not front and around.language not in PROSE_LANGUAGES:
        front = _common_front(filled)
    end = _usual(_ends(own, filled), least, _is_end)
    if around.language in MARKUP and "<" in front + end:
        return "", ""
    sign = front.strip()[-1:]
    if not end and sign and all(line.rstrip()[-1] == sign for line in filled):
        end = sign if sign in _SIGNS else ""
    return front, end


def _without_column(lines: Sequence[str], around: Surroundings) -> list[str] | None:
    """Cut as many signs, which may differ, off each line as the range's lines show."""
    filled = [line for line in lines if line.strip()]
    own = list(islice(filter(_is_worded, around.own_texts), _MAX_N_OWN))
    known = {line.rstrip() for line in filled}
    if around.may_be_in_text or any(line in known for line in own):
        return None
    text = "\n".join(line for line in filled if len(line) < _MAX_N_CHARS)
    places = (text.find(_first_half(line)) for line in own)
    widths = Counter(at - text.rfind("\n", 0, at) - 1 for at in places if at >= 0)
    width = max(widths, key=lambda one: (widths[one], one), default=0)
    fronts = [line[:width] for line in filled]
    signs = [front for front in fronts if front.strip()]
    is_usual = 2 * len(signs) >= len(fronts) or all(map(_NUMBER.match, signs))
    is_margin = signs and is_usual and all(map(_COLUMN.fullmatch, fronts))
    n_kinds = len({_NUMBER.sub("0", front) for front in fronts})
    least = 2 if around.language in PROSE_LANGUAGES else min(2, n_kinds)
    if not 0 < width <= _MAX_N_OF_MARGIN or widths[width] < least or not is_margin:
        return None
    return [line[width:] for line in lines]


def _first_half(line: str) -> str:
    return line[: max(len(line) // 2, len(indent_of(line)) + _MIN_N_LETTERS)]


def _is_worded(line: str) -> bool:
    return sum(map(str.isalnum, line)) >= _MIN_N_LETTERS


def _is_end(margin: str) -> bool:
    return _END.fullmatch("".join(margin.split())) is not None


def _fronts(own: Sequence[str], lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield lines of the range, with what is in front of them in a reply."""
    for line in own:
        half = _first_half(line)
        for text in lines:
            before, found, _ = text.partition(half)
            if found:
                yield line, before.lstrip()


def _ends(own: Sequence[str], lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in own:
        half = line[-max(len(line) // 2, _MIN_N_LETTERS) :]
        for text in lines:
            _, found, behind = text.rpartition(half)
            if found:
                yield line, behind.rstrip()


def _usual(
    found: Iterable[tuple[str, str]], least: int, is_margin: Callable[[str], object]
) -> str:
    """Return the margin that most lines of the range have."""
    shapes = {
        (line, _VARYING.sub(_shape, text))
        for line, text in found
        if text.strip() and len(text) <= _MAX_N_OF_MARGIN
    }
    counts = Counter(margin for _, margin in shapes if is_margin(margin))
    best = max(counts, key=lambda margin: (counts[margin], margin), default="")
    return best if counts[best] >= least else ""


def _shape(found: re.Match[str]) -> str:
    return " " if found[0].isspace() else "0"


def _common_front(filled: Sequence[str]) -> str:
    """Return what all of several lines begin with, if it is a margin."""
    if len(filled) < 2:
        return ""
    pairs = zip(min(filled), max(filled), strict=False)
    same = takewhile(lambda pair: pair[0] == pair[1], pairs)
    front = "".join(sign for sign, _ in same)[:_MAX_N_OF_MARGIN].rstrip()
    has_gap = all(line[len(front) :][:1] in ("", " ") for line in filled)
    return front + " " * has_gap if _FRONT.fullmatch(front) else ""


def _taken_off(lines: Sequence[str], front: str, end: str) -> list[str] | None:
    """Cut both margins off; None if a line between others has none of them."""
    texts = list(map(_cutter(front, end), lines))
    places = [at for at, text in enumerate(texts) if text]
    if not places:
        return None
    first, last = places[0], places[-1] + 1
    outer = list(filter(str.strip, (*lines[:first], *lines[last:])))
    is_apart = all(line[0] in _OUTSIDE for line in outer)
    if None in texts[first:last] or not is_apart or (len(places) == 1 and outer):
        return None
    return [text or "" for text in texts[first:last]]


def _cutter(front: str, end: str) -> Callable[[str], str | None]:
    """Return what cuts the margins off a line; None if the line has none of them."""
    start, bare = (re.compile(_as_pattern(one)) for one in (front, front.rstrip()))
    stop = re.compile(rf"{_as_pattern(end.strip())}\Z")

    def cut(line: str) -> str | None:
        text = line.strip() if front else line.rstrip()
        ending = stop.search(text, max(len(text) - _MAX_N_OF_MARGIN, 0))
        if (found := start.match(text)) and ending:
            return text[found.end() : max(ending.start(), found.end())].rstrip()
        return "" if not text or bare.fullmatch(text) else None

    return cut


def _as_pattern(shape: str) -> str:
    varying = {"0": "[0-9a-f]++", " ": r"\s++"}
    parts = re.split(r"(0| (?=\S))", shape)
    return "".join(
        varying[part] if at % 2 else re.escape(part) for at, part in enumerate(parts)
    )
