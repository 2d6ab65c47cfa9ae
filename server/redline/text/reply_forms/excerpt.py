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

from redline.text.chatter import PROSE_LANGUAGES
from redline.text.indentation import NO_SHIFT, Shift, indent_of, shift_between
from redline.text.reply_forms.brackets import depth, tag_depth
from redline.text.reply_forms.copies import (
    HEADER,
    MIN_N_LETTERS,
    are_nearer,
    is_copy,
    is_like,
    is_telling,
    letters_of,
)
from redline.text.reply_forms.enclosed import (
    CLOSERS,
    inside,
    without_blanks,
)
from redline.text.reply_forms.surroundings import Surroundings

_MAX_N_CHANGED = 12
"""Most repeated lines of which the outermost is not an exact copy."""

_MAX_N_TRIES = 50
"""Most places at which a copy may begin: in a table of equal rows, each is one."""

_N_NEXT, _MAX_N_NEXT, _MIN_N_NEXT_LETTERS = 2, 4, 20
"""The least and most lines next to the range that show that a reply goes beyond it, and
their letters."""

_NOTE = re.compile(r"\s*(?://|#\s|--\s|/\*.*\*/\s*$|<!--.*-->\s*$)")
"""A comment of one line."""
_NOTE_OF_PAGE = re.compile(r"\s*<!--.*-->\s*$")
_PAGES = frozenset({"html", "xml"})

_MIN_N_SHARED = 2
"""Lines of the file in a reply that show how much less deep all of it is."""

_BRANCH = re.compile(
    r"[\s}]*(?:if|elif|elsif|else|for|foreach|while|until|unless|switch|match|case|when"
    r"|with|return|throw|raise)\b"
)
"""A statement that declares no name: another one means something else."""
_OPENER = re.compile(r"\s*\S.*[{:(\[]\s*$")
_TAG = re.compile(r"\s*<[^<>]*+>(?:[^<>]*+</[^<>]*+>)?\s*$")
_BRACKETS = re.compile(r"[\s()\[\]{};,]*+")
_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")


class RangePart(Struct, frozen=True, kw_only=True):
    """The part of a reply that replaces the range."""

    lines: list[str]
    is_sure: bool = True
    """Whether the rest is a copy of the lines around the range, and nothing of it is
    left in the part."""
    goes_beyond: bool = False
    """Whether lines that follow the range were cut off."""


class _Repeat(Struct, frozen=True, kw_only=True):
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


def range_part(lines: Sequence[str], around: Surroundings) -> RangePart:
    """Cut off what a reply repeats of the lines around the range.

    Args:
        lines: The reply's code.
        around: What it is compared with.
    """
    own = around.own_texts
    # Blank lines are left out below.
    n_near = 2 * len(lines) + _MAX_N_CHANGED
    before, after = _texts(around.before[-n_near:]), _texts(around.after[:n_near])
    found = _repeat(lines, around, before, own, after)
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
    head, tail = _certain(found, near, own, around.language, apart)
    left = (
        (
            reply[head : found.head],
            before[len(before) - found.head + head :],
            apart[0],
        ),
        (
            reply[len(reply) - found.tail : len(reply) - tail],
            after[: found.tail - tail],
            apart[1],
        ),
    )
    is_doubtful = any(
        _is_left(texts, near, is_likely=head + tail > 0 or is_apart)
        for texts, near, is_apart in left
    )
    n_closers = _closers(reply[head:], own) if head and not tail else 0
    stop = len(reply) - tail - n_closers
    first = found.places[head - 1] + 1 if head else 0
    last = found.places[stop] if stop < len(reply) else len(lines)
    if tail and not (own and _NOTE.match(own[-1])):
        last = _above_notes(lines, found.places[stop - 1] + 1, last)
    part = without_blanks(list(lines[first:last]), around, head, len(reply) - stop)
    if head:
        copied = lines[found.places[0]]
        part = _as_deep(part, copied, before[len(before) - head], own)
    middle = reply[head : len(reply) - tail]
    ends = (
        _End(cut=reply[:head], original=before[len(before) - head :]),
        _End(cut=reply[len(reply) - tail :], original=after[:tail]),
    )
    borders_kept = (
        _begins_alike(middle, own),
        bool(own) and middle[-1] == own[-1],
    )
    is_sure = all(
        _is_certain_end(
            end, middle, own, is_next=is_next, is_enclosed=head > 0 and tail > 0
        )
        for end, is_next in zip(ends, borders_kept, strict=True)
    )
    is_sure = is_sure and not (is_doubtful or _is_spilled(part, around))
    return RangePart(lines=part, is_sure=is_sure, goes_beyond=tail > 0)


def _repeat(
    lines: Sequence[str],
    around: Surroundings,
    before: Sequence[str],
    own: Sequence[str],
    after: Sequence[str],
) -> _Repeat:
    """Compare a reply with the lines around the range, with and without its notes."""
    filled = [at for at, line in enumerate(lines) if line.strip()]
    as_deep = _as_deep_as_file(lines, (*own, *before, *after))
    found = []
    for places in (_without_notes(filled, lines, around), filled):
        texts = [as_deep[at].rstrip() for at in places]
        head = _repeated(texts, before[::-1], own)
        tail = _repeated(texts[::-1], after, own[::-1])
        found.append(
            _Repeat(lines=as_deep, places=places, texts=texts, head=head, tail=tail)
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
    is_note = _NOTE_OF_PAGE.match if is_page else _NOTE.match
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


def _is_apart(
    lines: Sequence[str], around: Surroundings, found: _Repeat
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
    """Return where the notes begin that stand above a line that is cut off."""
    at = stop
    while at > start and (
        not lines[at - 1].strip() or indent_of(lines[at - 1]) == indent_of(lines[stop])
    ):
        at -= 1
    return at


class _End(Struct, frozen=True, kw_only=True):
    """Lines that are cut off at one end of a reply."""

    cut: Sequence[str]
    original: Sequence[str]
    """The lines of the file that they repeat."""


def _is_certain_end(
    end: _End,
    middle: Sequence[str],
    own: Sequence[str],
    *,
    is_next: bool,
    is_enclosed: bool,
) -> bool:
    """Whether lines are no part of the range's new text, and lose nothing of it.

    Args:
        end: The lines.
        middle: What is left of the reply.
        own: The range's lines.
        is_next: Whether they stand next to the range's own first or last line, as in
            the file.
        is_enclosed: Whether lines are cut off at both ends of the reply.
    """
    reply = [*end.cut, *middle]
    if not is_next and _may_be_own(end.cut, reply, own):
        return False
    if all(map(is_copy, end.cut, end.original)):
        return True
    is_header = all(map(HEADER.match, end.cut))
    if not (is_next or (is_enclosed and is_header)):
        return False
    renamed = _renamed(end.cut, end.original)
    if renamed is None or renamed & (_words(middle) - _words(own)):
        return False
    first_lines = [
        next(line for line in end.cut if name in _words([line])) for name in renamed
    ]
    return not any(map(_BRANCH.match, first_lines))


def _renamed(cut: Sequence[str], original: Sequence[str]) -> set[str] | None:
    """Return the names that lines have in place of others; None if more was changed."""
    new, old = (_WORD_OR_SIGN.findall("\n".join(lines)) for lines in (cut, original))
    pairs = {(a, b) for a, b in zip(new, old, strict=False) if a != b}
    is_one_to_one = len(dict(pairs)) == len({b for _, b in pairs}) == len(pairs)
    if len(new) != len(old) or not is_one_to_one:
        return None
    names = {a for a, _ in pairs}
    is_named = all(one.isidentifier() for pair in pairs for one in pair)
    return names if is_named and not names & set(old) else None


def _words(lines: Sequence[str]) -> set[str]:
    return set(_WORD_OR_SIGN.findall("\n".join(lines)))


def _may_be_own(cut: Sequence[str], reply: Sequence[str], own: Sequence[str]) -> bool:
    """Whether what is cut off may be lines of the range that are like those around it.

    The range then has them at least as often as the reply.
    """
    return len(cut) > 0 and _n_runs(cut, reply) <= _n_runs(cut, own)


def _n_runs(run: Sequence[str], lines: Sequence[str]) -> int:
    """Count where lines stand one after the other."""
    whole, part = ("".join(f"\n{line}\n" for line in each) for each in (lines, run))
    return whole.count(part)


def _certain(
    found: _Repeat,
    near: tuple[Sequence[str], Sequence[str]],
    own: Sequence[str],
    language: str,
    apart: tuple[bool, bool],
) -> tuple[int, int]:
    """Return how many repeated lines to cut off at either end."""
    reply, head, tail = found.texts, found.head, found.tail
    first, last = reply[:head], reply[len(reply) - tail :]
    if is_telling(first) or is_telling(last):
        return head, _with_closers(reply[head:], tail, own)
    middle = reply[head : len(reply) - tail]
    is_enclosed = (
        head > 0
        and tail > 0
        and any(
            _stripped(copy) == _stripped(original)
            for copy, original in zip((first, last), near, strict=True)
        )
        and all(
            list(map(letters_of, copy)) == list(map(letters_of, original))
            for copy, original in zip((first, last), near, strict=True)
        )
    )
    has_words = _has_words(first) and _has_words(last)
    if is_enclosed and (has_words or _is_outer(first, own)):
        return head, tail
    if _closes_outer(last, middle, own):
        return head, tail
    # Next to the range's own border they stand as in the file.
    is_next = _begins_alike(reply[head:], own)
    sure_head = head if is_next and _has_words(first) else 0
    is_next = bool(own) and _ends_alike(reply, tail, own[-1])
    sure_tail = tail if is_next and _has_words(last) else 0
    # A reply that goes beyond the range at one end may do so at the other.
    if sure_head and apart[1] and _has_words(last):
        sure_tail = tail
    if sure_tail and apart[0] and _has_words(first):
        sure_head = head
    # Lone brackets and tags are cut off if the rest is balanced only without them.
    wanted = depth(own), tag_depth(own, language)
    for n_head, n_tail in (
        (sure_head, sure_tail),
        (head, sure_tail),
        (sure_head, tail),
        (head, tail),
    ):
        part = reply[n_head : len(reply) - n_tail]
        if (depth(part), tag_depth(part, language)) == wanted:
            return n_head, n_tail
    return sure_head, sure_tail


def _with_closers(reply: Sequence[str], tail: int, own: Sequence[str]) -> int:
    """Return how many last lines to cut off: not those that close what is left."""
    wanted = depth(own)
    for n_lines in range(tail, -1, -1):
        if depth(reply[: len(reply) - n_lines]) == wanted:
            return n_lines
        if not n_lines or not CLOSERS.match(reply[-n_lines]):
            break
    return tail


def _has_other_part(inner: Sequence[str], around: Surroundings) -> bool:
    """Whether what came in a header begins or ends with other lines that it has.

    Deep in a definition, a single line may be as another one of the file by chance.
    """
    filled = _texts(inner)
    texts, own = _stripped(filled), set(_stripped(around.own_texts))
    outside = _stripped(_texts((*around.before, *around.after)))
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


def _stripped(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines]


def _is_outer(first: Sequence[str], own: Sequence[str]) -> bool:
    """Whether lines are less deep than the range, as what encloses it."""
    least = min((len(indent_of(line)) for line in own), default=0)
    return all(len(indent_of(line)) < least for line in first)


def _closes_outer(
    last: Sequence[str], middle: Sequence[str], own: Sequence[str]
) -> bool:
    """Whether lines close by a word what neither the rest nor the range can open.

    They are less deep than all lines of both.
    """
    if not last or not own or not all(map(CLOSERS.match, last)):
        return False
    return _is_outer(last, [*middle, *own]) and _has_words(last)


def _ends_alike(reply: Sequence[str], tail: int, own: str) -> bool:
    """Whether a reply has the range's last line in front of its last lines.

    Or a line that ends with the same sign, with which the reply does not end: a row
    that others follow.
    """
    line = reply[len(reply) - tail - 1]
    is_row = line[-1] == own[-1] != reply[-1][-1] and not line[-1].isalnum()
    return line == own or (tail > 0 and is_row)


def _begins_alike(reply: Sequence[str], own: Sequence[str]) -> bool:
    """Whether lines begin as the range does, or with the header of the same name."""
    if not own or reply[0] == own[0]:
        return bool(own)
    return HEADER.match(own[0]) is not None and is_like(reply[0], own[0])


def _has_words(lines: Sequence[str]) -> bool:
    """Whether lines are more than brackets."""
    return not all(map(_BRACKETS.fullmatch, lines))


def _texts(lines: Sequence[str]) -> list[str]:
    return [line.rstrip() for line in lines if line.strip()]


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
    if n_lines <= _MAX_N_CHANGED:
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
    if _stripped(reply) == _stripped(outside) and _is_outer(reply, outside):
        return True  # All of the reply is less deep.
    shifts = {
        len(indent_of(one)) - len(indent_of(other))
        for one, other in zip(reply, outside, strict=True)
    }
    return shifts == {0} or (len(shifts) == 1 and len(reply) > 2)


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
    after = _nearest(around.after)
    before = _nearest(reversed(around.before))[::-1]
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


def _nearest(lines: Iterable[str]) -> list[str]:
    """Return the first lines with text that say enough together, at least two."""
    found: list[str] = []
    for line in islice(filter(str.strip, lines), _MAX_N_NEXT):
        found.append(line.rstrip())
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
