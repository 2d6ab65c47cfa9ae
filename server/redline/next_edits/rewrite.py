"""Reads lines that a model has rewritten: what changes between lines that stay.

A rewrite may end too early. So a change counts only if the lines behind it come again,
and lines that are missing at the end are not deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from redline.next_edits.model_reply import MAX_PATCHES
from redline.next_edits.patches import PlacedPatch, placed_lines, reorders_imports
from redline.next_edits.sights import Sight

_MIN_SAME, _MIN_SIGNIFICANT = 3, 2
"""Lines behind a change that must come again: so many, or so many with a letter or a
digit."""

_Opcode = tuple[str, int, int, int, int]


def rewritten(
    text: str, sight: Sight, cursor_line: int, *, is_whole: bool, why: str
) -> list[PlacedPatch]:
    """Return the changes of a rewrite, the nearest to the cursor first.

    Args:
        text: What the model wrote in place of the lines.
        sight: The lines that it was to rewrite.
        cursor_line: The line of the cursor in their file.
        is_whole: Whether the model has ended by itself: otherwise its last line may
            lack characters.
        why: The reason, for people.
    """
    new = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if not is_whole:
        new.pop()
    old = sight.lines
    if not new:
        return []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    hunks = _trusted(matcher.get_opcodes(), old, is_whole=is_whole)
    removed = [line for _, first, end, *_ in hunks for line in old[first:end]]
    added = [line for *_, start, stop in hunks for line in new[start:stop]]
    if reorders_imports(removed, added):
        return []
    patches = (
        placed_lines(sight.file, sight.first + first, end - first, lines, why=why)
        for first, end, lines in _with_context(hunks, old, new)
    )
    found = [one for one in patches if one is not None]
    found.sort(key=lambda one: abs(one.edit.range.start.line - cursor_line))
    return found[:MAX_PATCHES]


def _trusted(
    opcodes: Sequence[_Opcode], old: Sequence[str], *, is_whole: bool
) -> list[_Opcode]:
    """Return the changes up to the last one behind which the model has gone on with
    what is there."""
    n_trusted = 0
    for number, (what, first, end, start, stop) in enumerate(opcodes):
        if what == "equal":
            lines = old[first:end]
            n_significant = _n_significant(lines)
            is_enough = len(lines) >= _MIN_SAME or n_significant >= _MIN_SIGNIFICANT
            is_sure = is_enough or (is_whole and end == len(old))
        else:
            # Fewer lines than before at the end are a missing tail.
            is_last = number + 1 == len(opcodes)
            is_sure = is_whole and is_last and stop - start >= end - first
        if is_sure:
            n_trusted = number + 1
    return [one for one in opcodes[:n_trusted] if one[0] != "equal"]


def _n_significant(lines: Sequence[str]) -> int:
    return sum(any(map(str.isalnum, line)) for line in lines)


def _with_context(
    hunks: Sequence[_Opcode], old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the replaced lines and their replacement; an insertion with a line that
    stays."""
    for _, first, end, start, stop in hunks:
        lines = list(new[start:stop])
        if first < end:
            yield first, end, lines
        elif first > 0:
            yield first - 1, end, [old[first - 1], *lines]
        else:
            yield first, end + 1, [*lines, old[first]]
