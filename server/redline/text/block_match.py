"""Finds the lines of a range that a search/replace block refers to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from redline.text.fence import read_fence
from redline.text.indentation import NO_SHIFT, Shift, indent_of, shift_between


class Match(Struct, frozen=True, kw_only=True):
    """The lines [start, end) of the range, which a block replaces."""

    start: int
    end: int
    shift: Shift = NO_SHIFT
    """The shift from the block's indentation to the range's."""
    is_fenced: bool = False
    """Whether each part of the block is in a Markdown fence."""


NoMatch = Literal["empty-search", "not-found", "ambiguous"]


def match_block(target: Sequence[str], search: Sequence[str]) -> Match | NoMatch:
    """Find the lines of a block's search text.

    Whole lines must be equal. Only if none are, the text is tried without a fence
    around it, and with one constant difference of indentation.

    Args:
        target: The range's lines, without ends.
        search: The block's lines, without ends. Empty only if the range is.
    """
    inner = strip_fence(search)
    if not any(map(str.strip, (*inner, *target))):
        has_fence = len(inner) < len(search)
        return Match(start=0, end=len(target), is_fenced=has_fence)
    if not any(map(str.strip, search)):
        return "empty-search"
    for lines, is_fenced in ((search, False), (inner, True)):
        if is_fenced and len(lines) == len(search):
            break
        if not any(map(str.strip, lines)):
            return "empty-search"
        matches = _exact(target, lines, is_fenced=is_fenced)
        matches = matches or _shifted(target, lines, is_fenced=is_fenced)
        if matches:
            return matches[0] if len(matches) == 1 else "ambiguous"
    return "not-found"


def strip_fence(lines: Sequence[str]) -> Sequence[str]:
    """Return lines without a fence that surrounds all of them."""
    if len(lines) < 2:
        return lines
    first, last = read_fence(lines[0]), read_fence(lines[-1])
    is_pair = first is not None and last is not None and last.is_bare
    return lines[1:-1] if is_pair else lines


def _exact(
    target: Sequence[str], search: Sequence[str], *, is_fenced: bool
) -> list[Match]:
    n_lines = len(search)
    wanted = list(search)
    return [
        Match(start=at, end=at + n_lines, is_fenced=is_fenced)
        for at in range(len(target) - n_lines + 1)
        if target[at] == wanted[0] and list(target[at : at + n_lines]) == wanted
    ]


def _shifted(
    target: Sequence[str], search: Sequence[str], *, is_fenced: bool
) -> list[Match]:
    n_lines = len(search)
    texts = [line.strip() for line in target]
    wanted = [line.strip() for line in search]
    matches = []
    for at in range(len(target) - n_lines + 1):
        if texts[at] != wanted[0] or texts[at : at + n_lines] != wanted:
            continue
        shift = _shift_of(target[at : at + n_lines], search)
        if shift is not None:
            end = at + n_lines
            matches.append(Match(start=at, end=end, shift=shift, is_fenced=is_fenced))
    return matches


def _shift_of(target: Sequence[str], search: Sequence[str]) -> Shift | None:
    """Return the one shift between lines that differ only in white space."""
    pairs = [
        (have, want) for have, want in zip(search, target, strict=True) if want.strip()
    ]
    shift = shift_between(*pairs[0])
    if shift is None or not all(
        indent_of(shift.apply(have)) == indent_of(want) for have, want in pairs
    ):
        return None
    return shift
