"""Lines of the range that came with a reply, and are not in the text that was read.

Forms take off what is not the range's: talk, frames, marks. Whatever they take a line
for, one that the range has, or nearly has, may belong to its new text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from difflib import SequenceMatcher
from itertools import islice

from redline.text.fence import read_fence
from redline.text.reply_forms.enclosed import CLOSERS
from redline.text.reply_forms.surroundings import Surroundings

_MIN_RATIO = 0.8
"""Of two lines that are the same but for a correction."""

_MIN_RATIO_OF_COMMENTS = 0.6
"""Of two comments that may name different files."""

_MIN_RATIO_OF_COPIES = 0.6
"""Of a line and the one next to the range that it was taken for a copy of."""

_N_NEAREST = 2
"""Lines on each side of the range that a line at a border is taken for a copy of."""

_MIN_N_CHARS = 12
"""Shorter lines are similar by chance."""

_MIN_N_WORDS = 3
"""Words and signs of lines of which one may differ."""

_MAX_N_PAIRS = 2_000
"""Pairs of lines that are compared; replies with more of them are rewritten."""

_WORD = re.compile(r"\w+|[^\w\s]+")
_COMMENT = re.compile(r"#|//|--|/\*|;")
_OLD = re.compile(r"<{7}|[<-]{5,9} SEARCH$")
"""A line above the text that is replaced."""

_ONE_BLOCK = 2
"""Fences of a reply with one block."""

_TAG = re.compile(r"<(/?)[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?>")
_FRAME = re.compile(r"(\W{2,20})\w(?:.*\w)?(\W{2,20})")
"""A heading between signs, such as `### Setup ###`."""

_MARK = re.compile(r"[<\[]/?[\w:|-]+[>\]]")
"""A line that begins or ends reasoning, or a token."""


def drops_own_lines(
    received: Sequence[str], lines: Sequence[str], around: Surroundings
) -> bool:
    """Whether lines beside the text that was read are certainly or nearly the range's.

    A reply may quote all that it replaces, which is no part of the new text.

    Args:
        received: The lines of the reply.
        lines: The text that was read from it.
        around: The range.
    """
    left = set(map(str.strip, lines))
    own = {text for line in around.target if (text := line.strip())}
    texts = [line.strip() for line in received]
    above, middle, below = _parted(texts, lines, own)
    if _quotes(texts, own, left):
        return False
    if _is_nearer([*above, *middle, *below], lines, around.target):
        return True
    beside = {*above, *below} - left
    if beside and all(map(_TAG.fullmatch, beside)) and around.is_target(lines):
        return True  # Tags around the range may be what was asked for.
    missing = own - left
    if len(beside) * len(missing) > _MAX_N_PAIRS:
        return False
    near = _near(around, max(len(above), len(below)) + 1)
    nearest = _near(around, _N_NEAREST)
    borders = {*above[:1], *below[:1]} if middle else set()
    return any(
        _is_like(text, one, nearest if text in borders else ())
        and not any(_is_like(new, one) for new in left - own)
        for one in missing
        for text in beside - near
    )


def _is_nearer(
    received: Sequence[str], lines: Sequence[str], target: Sequence[str]
) -> bool:
    """Whether a reply as it came has more of the range's lines than the text read.

    Lines of the range that are also next to it were taken for copies of those.
    """
    own, came, kept = (Counter(_telling(texts)) for texts in (target, received, lines))
    is_dropped = any(kept[text] < n_own <= came[text] for text, n_own in own.items())
    return is_dropped and _distance(own, came) < _distance(own, kept)


def _telling(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        text = line.strip()
        if text and not CLOSERS.match(text) and not read_fence(text):
            yield text


def _distance(one: Counter[str], other: Counter[str]) -> int:
    return ((one - other) + (other - one)).total()


def _near(around: Surroundings, n_lines: int) -> set[str]:
    """Return the next lines with text on each side, which a reply may repeat."""
    return {
        line
        for side in (reversed(around.before), around.after)
        for line in islice(filter(None, map(str.strip, side)), n_lines)
    }


def _parted(
    texts: Sequence[str], lines: Sequence[str], own: Set[str]
) -> tuple[list[str], Sequence[str], list[str]]:
    """Return the lines of a reply that are left as they came, and those above and below
    them, up to a fence or the end of reasoning; if none is left, all are above.
    """
    kept = [text for line in lines if (text := line.strip())]
    filled = [text for text in texts if text]
    starts = range(len(filled) - len(kept) + 1) if kept else ()
    start = next(
        (
            at
            for at in starts
            if filled[at] == kept[0] and filled[at : at + len(kept)] == kept
        ),
        None,
    )
    if start is None:
        left = set(kept)
        places = [at for at, text in enumerate(filled) if text in left]
        if not places:
            return filled, [], []
        start, stop = places[0], places[-1] + 1
    else:
        stop = start + len(kept)
    has_tags = any(text.startswith("<") for text in own)
    sides: list[list[str]] = []
    for beside in (filled[:start][::-1], filled[stop:]):
        sides.append([])
        for text in beside:
            if read_fence(text) or (_MARK.fullmatch(text) and not has_tags):
                break
            sides[-1].append(text)
    return sides[0], filled[start:stop], sides[1]


def _quotes(texts: Sequence[str], own: Set[str], left: Set[str]) -> bool:
    """Whether a reply has what it replaces beside the new text: as a diff, as another
    version in a fence, or whole.
    """
    missing = own - left
    if sum(read_fence(text) is not None for text in texts) > _ONE_BLOCK:
        return True
    if any(
        _OLD.match(text) or (text[:1] in "+-<" and text[1:].strip() in missing)
        for text in texts
        if text
    ):
        return True
    quoted = "\n".join(text for text in texts if text not in left)
    is_most = 2 * len(missing) >= len(own) and not left <= own
    return is_most and bool(missing) and all(text in quoted for text in missing)


def _is_like(text: str, own: str, near: Iterable[str] = ()) -> bool:
    """Whether a line is one of the range's but for a correction.

    Args:
        text: The line.
        own: The range's.
        near: Lines next to the range; a line that is like one of them was taken for a
            copy, so it only has to be more like the range's.
    """
    tag, own_tag = _TAG.fullmatch(text), _TAG.fullmatch(own)
    if tag and own_tag and tag[1] == own_tag[1]:
        return True
    frame, own_frame = _FRAME.fullmatch(text), _FRAME.fullmatch(own)
    if frame and own_frame and frame.groups() == own_frame.groups():
        return True
    if _is_corrected(text, own):
        return True
    sign, own_sign = _COMMENT.match(text), _COMMENT.match(own)
    are_comments = sign and own_sign and sign[0] == own_sign[0]
    least = _MIN_RATIO_OF_COMMENTS if are_comments else _MIN_RATIO
    copied = max((_ratio(text, one) for one in near), default=0.0)
    if copied >= _MIN_RATIO_OF_COPIES:
        least = min(least, copied)
    elif not are_comments and min(len(text), len(own)) < _MIN_N_CHARS:
        return False
    return _ratio(text, own, least) >= least


def _is_corrected(text: str, own: str) -> bool:
    """Whether two lines differ in one word or sign."""
    words, own_words = _WORD.findall(text), _WORD.findall(own)
    return len(words) == len(own_words) >= _MIN_N_WORDS and (
        sum(map(str.__ne__, words, own_words)) == 1
    )


def _ratio(text: str, other: str, least: float = 0.0) -> float:
    matcher = SequenceMatcher(None, text, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= least else 0.0
