"""Finds the lines at both ends of a reply that repeat those around the range.

They may have another spacing, other quotation marks or comments, and all of the reply
may be less deep.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.indentation import NO_SHIFT, Shift, indent_of, shift_between
from redline.text.reply_forms.copies import (
    HEADER,
    MIN_N_LETTERS,
    are_nearer,
    is_like,
    letters_of,
)
from redline.text.reply_forms.enclosed import CLOSERS
from redline.text.reply_forms.surroundings import Surroundings

MAX_N_CHANGED = 12
"""Most repeated lines of which the outermost is not an exact copy."""

_MAX_N_TRIES = 50
"""Most places at which a copy may begin: in a table of equal rows, each is one."""

NOTE = re.compile(r"\s*(?://|#\s|--\s|/\*.*\*/\s*$|<!--.*-->\s*$)")
"""A comment of one line."""

_NOTE_OF_PAGE = re.compile(r"\s*<!--.*-->\s*$")
_PAGES = frozenset({"html", "xml"})

_MIN_N_SHARED = 2
"""Lines of the file in a reply that show how much less deep all of it is."""

_OPENER = re.compile(r"\s*\S.*[{:(\[]\s*$")
_TAG = re.compile(r"\s*<[^<>]*+>(?:[^<>]*+</[^<>]*+>)?\s*$")


class Repeat(Struct, frozen=True, kw_only=True):
    """The lines with text of a reply that may repeat those around the range."""

    lines: Sequence[str]
    """The whole reply, as deep as the file."""
    places: Sequence[int]
    """Their places in the reply; comments that the file does not have may lack."""
    texts: Sequence[str]
    head: int
    """How many of the first lines repeat those before the range."""
    tail: int
    """How many of the last lines repeat those after it."""

    @property
    def n_lines(self) -> int:
        return self.head + self.tail


def find_repeat(
    lines: Sequence[str],
    around: Surroundings,
    before: Sequence[str],
    own: Sequence[str],
    after: Sequence[str],
) -> Repeat:
    """Compare a reply with the lines around the range, with and without its notes."""
    filled = [at for at, line in enumerate(lines) if line.strip()]
    as_deep = _as_deep_as_file(lines, (*own, *before, *after))
    found = []
    for places in (_without_notes(filled, lines, around), filled):
        texts = [as_deep[at].rstrip() for at in places]
        head = _repeated(texts, before[::-1], own)
        tail = _repeated(texts[::-1], after, own[::-1])
        found.append(
            Repeat(lines=as_deep, places=places, texts=texts, head=head, tail=tail)
        )
    return max(found, key=lambda one: one.n_lines)


def _without_notes(
    places: Sequence[int], lines: Sequence[str], around: Surroundings
) -> Sequence[int]:
    """Leave out the comments that the file does not have; all stay if nothing else
    does."""
    if around.language in PROSE_LANGUAGES - _PAGES:
        return places
    is_page = around.language in _PAGES
    is_note = _NOTE_OF_PAGE.match if is_page else NOTE.match
    rest = [
        at
        for at in places
        if not is_note(lines[at]) or lines[at].strip() in around.texts
    ]
    return rest or places


def _as_deep_as_file(lines: Sequence[str], file: Sequence[str]) -> Sequence[str]:
    """Indent a reply as the lines are that it has in common with the file.

    Most of them must show the same shift, and the first or the last line of the reply:
    others may be in a new block, or no longer in one.
    """
    texts = [line for line in lines if line.strip()]
    ends = set(_shifts([*texts[:1], *texts[-1:]], file))
    shift = ends.pop() if len(ends) == 1 else None
    if shift is None or shift == NO_SHIFT:
        return lines
    shifts = _shifts(texts, file)
    n_lines = shifts.count(shift)
    is_usual = n_lines >= _MIN_N_SHARED and 3 * n_lines > 2 * len(shifts)
    return [shift.apply(line) for line in lines] if is_usual else lines


def _shifts(lines: Sequence[str], file: Sequence[str]) -> list[Shift | None]:
    """Return the shifts of lines that say something and are in the file, always as
    deep."""
    depths: dict[str, set[str]] = {line.strip(): set() for line in lines}
    for line in file:
        if (text := line.strip()) in depths:
            depths[text].add(indent_of(line))
    return [
        shift_between(line, next(iter(found)) + line.strip())
        for line in lines
        if len(found := depths[line.strip()]) == 1
        and len(letters_of(line)) >= MIN_N_LETTERS
    ]


def _repeated(reply: Sequence[str], away: Sequence[str], own: Sequence[str]) -> int:
    """Count the first lines of a reply that are those next to the range.

    Args:
        reply: The reply's lines with text, from one border on.
        away: The lines with text outside, from the border outwards.
        own: The range's lines with text, from the border inwards.
    """
    if not reply:
        return 0
    most = min(len(reply), len(away))
    if own and reply[0] == own[0] and reply[0] not in away[:most]:
        # The reply begins where the range does.
        return 0
    n_tries = n_closers = 0
    for n_lines in range(most, 0, -1):
        if not _may_begin(reply, away, n_lines):
            continue
        n_tries += 1
        if n_tries > _MAX_N_TRIES:
            break
        outside = away[:n_lines][::-1]
        if not _are_copies(reply[:n_lines], outside, own):
            continue
        if reply[:n_lines] == outside or not all(map(CLOSERS.match, outside)):
            return n_lines
        # They have another depth; fewer of them may be as deep as in the file.
        n_closers = n_closers or n_lines
    return n_closers


def _are_copies(
    reply: Sequence[str], outside: Sequence[str], own: Sequence[str]
) -> bool:
    """Whether lines repeat as many outside of the range, and are none of its own."""
    if not all(map(is_like, reply, outside)) or not _is_as_deep(reply, outside):
        return False
    if own and own[: len(reply)] == outside[: len(own)]:
        return False  # The range begins with the same lines.
    # The range's own lines may be like them, as in functions with similar names.
    return reply == outside or not (
        are_nearer(reply, outside, own) or all(map(is_like, reply, own))
    )


def _may_begin(reply: Sequence[str], away: Sequence[str], n_lines: int) -> bool:
    """Whether the outermost and the innermost of some lines may be copies."""
    first = away[n_lines - 1]
    if n_lines <= MAX_N_CHANGED:
        return is_like(reply[0], first)
    # A line such as the end of a docstring begins many copies.
    last = reply[n_lines - 1].split()[:1]
    return reply[0].strip() == first.strip() and last == away[0].split()[:1]


def _is_as_deep(reply: Sequence[str], outside: Sequence[str]) -> bool:
    """Whether lines are indented like those they repeat; all may be shifted alike.

    A line of another depth may be another line, unless it is a header.
    """
    if any(map(HEADER.match, outside)) or "\t" in "".join(reply):
        return True
    if all(
        _OPENER.match(line) or CLOSERS.match(line) or _TAG.match(line)
        for line in outside
    ):
        return True  # `depth` and `tag_depth` decide about these.
    if stripped(reply) == stripped(outside) and is_outer(reply, outside):
        return True  # All of the reply is less deep.
    shifts = {
        len(indent_of(one)) - len(indent_of(other))
        for one, other in zip(reply, outside, strict=True)
    }
    return shifts == {0} or (len(shifts) == 1 and len(reply) > 2)


def is_outer(first: Sequence[str], own: Sequence[str]) -> bool:
    """Whether lines are less deep than the range, as what encloses it."""
    least = min((len(indent_of(line)) for line in own), default=0)
    return all(len(indent_of(line)) < least for line in first)


def stripped(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines]


def texts_of(lines: Sequence[str]) -> list[str]:
    return [line.rstrip() for line in lines if line.strip()]
