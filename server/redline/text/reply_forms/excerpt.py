"""Finds the range's part in a reply that repeats lines around the range.

Models return the whole file, the class around the range, or some lines before or after
it, often with other spacing or quotes. Lines at the borders of the reply are compared
with those at the borders of the range.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise

from msgspec import Struct

from redline.text.indentation import indent_of
from redline.text.reply_forms.brackets import depth
from redline.text.reply_forms.copies import (
    MIN_N_LETTERS,
    is_copy,
    is_telling,
    letters_of,
)
from redline.text.reply_forms.cut_ends import (
    CutEnd,
    adds_names,
    begins_alike,
    is_certain_end,
    n_certain_lines,
)
from redline.text.reply_forms.enclosed import (
    CLOSERS,
    inside,
    without_blanks,
)
from redline.text.reply_forms.repeated_lines import (
    MAX_N_CHANGED,
    NOTE,
    Repeat,
    find_repeat,
    stripped,
    texts_of,
)
from redline.text.reply_forms.surroundings import Surroundings

_N_NEXT, _MAX_N_NEXT, _MIN_N_NEXT_LETTERS = 2, 4, 20
"""The least and most lines next to the range that show that a reply goes beyond it, and
their letters."""


_OF_FILE = re.compile(
    r"\b(?:unchanged|unmodified|untouched|existing|rest of|remaining|as before)\b"
    r"|\bcontext\b|\.\.\.|\u2026",
    re.IGNORECASE,
)
"""What a comment says that is about lines of the file."""


class RangePart(Struct, frozen=True, kw_only=True):
    """The part of a reply that replaces the range."""

    lines: list[str]
    is_sure: bool = True
    """Whether the rest is a copy of the lines around the range, and nothing of it is
    left in the part."""
    goes_beyond: bool = False
    """Whether lines that follow the range were cut off."""


def range_part(lines: Sequence[str], around: Surroundings) -> RangePart:
    """Cut off what a reply repeats of the lines around the range.

    Args:
        lines: The reply's code.
        around: What it is compared with.
    """
    own = around.own_texts
    # Blank lines are left out below.
    n_near = 2 * len(lines) + MAX_N_CHANGED
    before, after = texts_of(around.before[-n_near:]), texts_of(around.after[:n_near])
    found = find_repeat(lines, around, before, own, after)
    reply = found.texts
    if found.n_lines >= len(reply):
        return RangePart(lines=list(lines), is_sure=found.n_lines == 0)
    has_closers = all(map(CLOSERS.match, reply[len(reply) - found.tail :]))
    if not found.head and has_closers and (inner := inside(lines, around)) is not None:
        return RangePart(lines=inner, is_sure=not _has_other_part(inner, around))
    if not found.n_lines:
        return RangePart(
            lines=without_blanks(list(lines), around, 0, 0),
            is_sure=not _is_spilled(lines, around),
        )
    lines = found.lines
    apart = _is_apart(lines, around, found)
    near = before[len(before) - found.head :], after[: found.tail]
    head, tail = n_certain_lines(found, near, own, around.language, apart)
    if (head > 0) != (tail > 0) and adds_names(
        _cut_ends(found, (head, tail), before, after)[tail > 0],
        reply[head : len(reply) - tail],
        own,
    ):
        return RangePart(lines=list(lines))
    is_doubtful = _has_copies_left(found, (head, tail), near, apart)
    n_closers = _closers(reply[head:], own) if head and not tail else 0
    stop = len(reply) - tail - n_closers
    first = found.places[head - 1] + 1 if head else 0
    last = found.places[stop] if stop < len(reply) else len(lines)
    if tail and not (own and NOTE.match(own[-1])):
        last = _above_notes(lines, found.places[stop - 1] + 1, last)
    part = without_blanks(list(lines[first:last]), around, head, len(reply) - stop)
    if head:
        copied = lines[found.places[0]]
        part = _as_deep(part, copied, before[len(before) - head], own)
    is_sure = _is_surely_cut(found, (head, tail), before, own, after)
    is_sure = is_sure and not (is_doubtful or _is_spilled(part, around))
    return RangePart(lines=part, is_sure=is_sure, goes_beyond=tail > 0)


def _is_surely_cut(
    found: Repeat,
    n_cut: tuple[int, int],
    before: Sequence[str],
    own: Sequence[str],
    after: Sequence[str],
) -> bool:
    """Whether the lines that are cut off at both ends are no part of the new text."""
    (head, tail), reply = n_cut, found.texts
    middle = reply[head : len(reply) - tail]
    ends = _cut_ends(found, n_cut, before, after)
    borders_kept = (
        begins_alike(middle, own),
        bool(own) and middle[-1] == own[-1],
    )
    return all(
        is_certain_end(
            end, middle, own, is_next=is_next, is_enclosed=head > 0 and tail > 0
        )
        for end, is_next in zip(ends, borders_kept, strict=True)
    )


def _cut_ends(
    found: Repeat,
    n_cut: tuple[int, int],
    before: Sequence[str],
    after: Sequence[str],
) -> tuple[CutEnd, CutEnd]:
    """Return what is cut off at either end, with the lines that it repeats."""
    (head, tail), reply = n_cut, found.texts
    return (
        CutEnd(cut=reply[:head], original=before[len(before) - head :]),
        CutEnd(cut=reply[len(reply) - tail :], original=after[:tail]),
    )


def _is_apart(
    lines: Sequence[str], around: Surroundings, found: Repeat
) -> tuple[bool, bool]:
    """Whether blank lines part what a reply repeats, as in the file, at either end."""
    places, stop = found.places, len(found.places) - found.tail
    head, tail = found.head > 0, found.tail > 0
    return (
        head
        and around.before[-1:] != []
        and not around.before[-1].strip()
        and not lines[places[found.head - 1] + 1].strip(),
        tail
        and around.after[:1] != []
        and not around.after[0].strip()
        and not lines[places[stop] - 1].strip(),
    )


def _has_copies_left(
    found: Repeat,
    n_cut: tuple[int, int],
    near: tuple[Sequence[str], Sequence[str]],
    apart: tuple[bool, bool],
) -> bool:
    """Whether repeated lines that are not cut off may be copies nevertheless."""
    (head, tail), reply = n_cut, found.texts
    left = (
        (reply[head : found.head], near[0][head:]),
        (
            reply[len(reply) - found.tail : len(reply) - tail],
            near[1][: found.tail - tail],
        ),
    )
    return any(
        _is_left(texts, originals, is_likely=head + tail > 0 or is_apart)
        for (texts, originals), is_apart in zip(left, apart, strict=True)
    )


def _is_left(texts: Sequence[str], near: Sequence[str], *, is_likely: bool) -> bool:
    """Whether lines that are not cut off may be copies nevertheless.

    Args:
        texts: Lines at a border of the reply.
        near: Those of the file that they are like, as many.
        is_likely: Whether the reply shows that it goes beyond the range.
    """
    least = MIN_N_LETTERS if is_likely else 2 * MIN_N_LETTERS + 1
    return any(
        is_copy(line, original)
        and not CLOSERS.match(line)
        and (line[0] == "#" or len(letters_of(line)) >= least)
        for line, original in zip(texts, near, strict=True)
    )


def _above_notes(lines: Sequence[str], start: int, stop: int) -> int:
    """Return where the notes begin that stand above a line that is cut off.

    They are parted from the lines before by blank ones, or speak of lines of the file;
    others are the new text's.
    """
    at = stop
    while at > start and indent_of(lines[at - 1]) == indent_of(lines[stop]):
        if not lines[at - 1].strip():
            break
        at -= 1
    is_apart = at > start and not lines[at - 1].strip()
    is_of_file = all(map(_OF_FILE.search, lines[at:stop]))
    return at if is_apart or is_of_file else stop


def _has_other_part(inner: Sequence[str], around: Surroundings) -> bool:
    """Whether what came in a header begins or ends with other lines that it has.

    Deep in a definition, a single line may be as another one of the file by chance.
    """
    filled = texts_of(inner)
    texts, own = stripped(filled), set(stripped(around.own_texts))
    outside = stripped(texts_of((*around.before, *around.after)))
    known, pairs = set(outside) - own, set(pairwise(outside))
    least = min(len(indent_of(line)) for line in filled)
    return any(
        text in known
        and not CLOSERS.match(text)
        and (len(indent_of(line)) == least or pair in pairs)
        for line, text, pair in (
            (filled[0], texts[0], tuple(texts[:2])),
            (filled[-1], texts[-1], tuple(texts[-2:])),
        )
    )


def _as_deep(
    part: list[str], copied: str, original: str, own: Sequence[str]
) -> list[str]:
    """Indent a part as deep as the line above it that came with it, if that fits."""
    have, want = indent_of(copied), indent_of(original)
    first = next(filter(str.strip, part), "")
    missing = want.removesuffix(have)
    if not (own and first and missing) or not want.endswith(have):
        return part
    if missing + indent_of(first) != indent_of(own[0]):
        return part
    return [missing + line if line.strip() else line for line in part]


def _closers(reply: Sequence[str], own: Sequence[str]) -> int:
    """Count the last lines that only close what the cut-off lines opened."""
    count = 0
    while (
        count < len(reply)
        and CLOSERS.match(reply[len(reply) - 1 - count])
        and depth(reply[: len(reply) - count]) < depth(own)
    ):
        count += 1
    return count


def _is_spilled(part: Sequence[str], around: Surroundings) -> bool:
    """Whether a part still has the lines with text that are next to the range.

    A new text has them neither at its borders nor side by side.
    """
    reply = [line for line in part if line.strip()]
    if not reply:
        return False
    own = around.own_texts
    below, above = _texts_next(around.after), _texts_next(reversed(around.before))
    if own and (
        _is_doubled(reply, own, below) or _is_doubled(reply[::-1], own[::-1], above)
    ):
        return True
    after, before = _nearest(below), _nearest(above)[::-1]
    if own and reply[0] == own[0] and reply.count(own[0]) <= own.count(own[0]):
        # It begins where the range does, so nothing of it is from above.
        before = []
    return any(
        len(near) >= _N_NEXT
        and is_telling(near)
        and _n_letters(near) > _MIN_N_NEXT_LETTERS
        and _count(reply, near) > _count(own, near)
        for near in (before, after)
    )


def _is_doubled(reply: Sequence[str], own: Sequence[str], near: Sequence[str]) -> bool:
    """Whether a reply ends with lines that follow the range, and the range has not."""
    texts = texts_of(reply)
    return any(
        texts[-n_lines:] == list(near[:n_lines])
        and not all(map(CLOSERS.match, near[:n_lines]))
        and _n_letters(near[:n_lines]) > 0
        and _count(texts, near[:n_lines]) > _count(own, near[:n_lines])
        for n_lines in range(1, len(near) + 1)
    )


def _texts_next(lines: Iterable[str]) -> list[str]:
    """Return the first lines with text."""
    return [line.rstrip() for line in islice(filter(str.strip, lines), _MAX_N_NEXT)]


def _nearest(texts: Sequence[str]) -> list[str]:
    """Return the first lines that say enough together, at least two."""
    found: list[str] = []
    for text in texts:
        found.append(text)
        if len(found) >= _N_NEXT and _n_letters(found) > _MIN_N_NEXT_LETTERS:
            break
    return found


def _n_letters(lines: Iterable[str]) -> int:
    return sum(len(letters_of(line)) for line in lines)


def _count(lines: Sequence[str], run: Sequence[str]) -> int:
    texts, wanted = [line.strip() for line in lines], [line.strip() for line in run]
    return sum(
        texts[at : at + len(wanted)] == wanted
        for at in range(len(texts) - len(wanted) + 1)
    )
