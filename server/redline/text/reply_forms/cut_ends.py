"""Decides how many of the lines that a reply repeats are cut off at either end.

Lines that say enough are, and so are those at both ends together; of the others, those
that stand next to the range's own border, or without which the brackets close.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from redline.text.reply_forms.brackets import depth, tag_depth
from redline.text.reply_forms.copies import (
    HEADER,
    is_copy,
    is_like,
    is_telling,
    letters_of,
)
from redline.text.reply_forms.enclosed import CLOSERS
from redline.text.reply_forms.repeated_lines import Repeat, is_outer, stripped

_BRANCH = re.compile(
    r"[\s}]*(?:if|elif|elsif|else|for|foreach|while|until|unless|switch|match|case|when"
    r"|with|return|throw|raise)\b"
)
"""A statement that declares no name: another one means something else."""

_BRACKETS = re.compile(r"[\s()\[\]{};,]*+")
_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")


class CutEnd(Struct, frozen=True, kw_only=True):
    """Lines that are cut off at one end of a reply."""

    cut: Sequence[str]
    original: Sequence[str]
    """The lines of the file that they repeat."""


def n_certain_lines(
    found: Repeat,
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
            stripped(copy) == stripped(original)
            for copy, original in zip((first, last), near, strict=True)
        )
        and all(
            list(map(letters_of, copy)) == list(map(letters_of, original))
            for copy, original in zip((first, last), near, strict=True)
        )
    )
    has_words = _has_words(first) and _has_words(last)
    if is_enclosed and (has_words or is_outer(first, own)):
        return head, tail
    if _closes_outer(last, middle, own):
        return head, tail
    # Next to the range's own border they stand as in the file.
    is_next = begins_alike(reply[head:], own)
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


def _closes_outer(
    last: Sequence[str], middle: Sequence[str], own: Sequence[str]
) -> bool:
    """Whether lines close by a word what neither the rest nor the range can open.

    They are less deep than all lines of both.
    """
    if not last or not own or not all(map(CLOSERS.match, last)):
        return False
    return is_outer(last, [*middle, *own]) and _has_words(last)


def _ends_alike(reply: Sequence[str], tail: int, own: str) -> bool:
    """Whether a reply has the range's last line in front of its last lines.

    Or a line that ends with the same sign, with which the reply does not end: a row
    that others follow.
    """
    line = reply[len(reply) - tail - 1]
    is_row = line[-1] == own[-1] != reply[-1][-1] and not line[-1].isalnum()
    return line == own or (tail > 0 and is_row)


def begins_alike(reply: Sequence[str], own: Sequence[str]) -> bool:
    """Whether lines begin as the range does, or with the header of the same name."""
    if not own or reply[0] == own[0]:
        return bool(own)
    return HEADER.match(own[0]) is not None and is_like(reply[0], own[0])


def _has_words(lines: Sequence[str]) -> bool:
    """Whether lines are more than brackets."""
    return not all(map(_BRACKETS.fullmatch, lines))


def is_certain_end(
    end: CutEnd,
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


def adds_names(end: CutEnd, middle: Sequence[str], own: Sequence[str]) -> bool:
    """Whether lines declare other names than those they are like, for new code.

    What is left of the reply uses both, so neither takes the other's place.
    """
    new = _renamed(end.cut, end.original)
    if not new:
        return False
    used, old = _words(middle), _words(end.original) - _words(end.cut)
    return new <= used - _words(own) and bool(old & used)


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
