"""The parts of a region that an edit of several ranges changes.

The region reaches from the first range to the last. The lines between two parts stay
as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from redline.text.instruction_comment import InstructionComment
from redline.text.line_diff import LineHunk

MAX_RANGES = 50
"""Most ranges of one edit."""

_OWN = re.compile(r"^Range (?P<number>\d{1,6}): ", re.MULTILINE)


class EditPart(Struct, frozen=True, kw_only=True):
    """Some lines of a region, counted from its first."""

    start: int
    end: int
    """The index after its last line; `start` for a place for new lines."""
    instruction: str = ""
    """What to do with it; empty: what the instruction of all parts says."""
    comments: tuple[InstructionComment, ...] = ()
    """The comments in it that hold its instruction."""
    indices: tuple[int, ...] = ()
    """The ranges of the request that it is made of, counted from 0."""


def join_parts(parts: Iterable[EditPart]) -> tuple[EditPart, ...]:
    """Sort parts, and join those that overlap or have no line between them."""
    joined: list[EditPart] = []
    for part in sorted(parts, key=lambda each: (each.start, each.end)):
        if joined and part.start <= joined[-1].end:
            joined[-1] = _join(joined[-1], part)
        else:
            joined.append(part)
    return tuple(joined)


def moved_parts(
    parts: Iterable[EditPart], changes: Sequence[LineHunk]
) -> tuple[EditPart, ...]:
    """Return parts after changes of the region.

    New lines at a border of a part belong to it; changed lines beside it do not.

    Args:
        parts: In lines of the region before.
        changes: In order, in the same lines.
    """
    moved = []
    for part in parts:
        touching = [each for each in changes if _is_touching(each, part)]
        start = min([part.start, *(each.start for each in touching)])
        end = max([part.end, *(each.end for each in touching)])
        before = sum(
            each.shift
            for each in changes
            if each.end <= part.start and each not in touching
        )
        inside = sum(each.shift for each in touching)
        moved.append(replace(part, start=start + before, end=end + before + inside))
    return join_parts(moved)


def numbered_instruction(instruction: str, parts: Sequence[EditPart]) -> str:
    """Write the instructions of an edit of several ranges as one text.

    Args:
        instruction: What to do with all of them; may be empty.
        parts: The ranges; the first one is number 1.
    """
    own = [
        f"Range {number}: {part.instruction.strip()}"
        for number, part in enumerate(parts, 1)
        if part.instruction.strip()
    ]
    return "\n".join(filter(None, [instruction.strip(), *own]))


def instruction_for(number: int, instructions: str) -> str:
    """Return what a text by `numbered_instruction` says about one range."""
    found = list(_OWN.finditer(instructions))
    texts = [instructions[: found[0].start()] if found else instructions]
    ends = [*(each.start() for each in found[1:]), len(instructions)]
    texts += (
        instructions[each.end() : end]
        for each, end in zip(found, ends, strict=False)
        if int(each["number"]) == number
    )
    return "\n".join(filter(None, map(str.strip, texts)))


def join_instructions(instructions: Iterable[str]) -> str:
    """Return the instruction of a part that is made of ranges with these."""
    return "\n".join(filter(None, dict.fromkeys(instructions)))


def _is_touching(change: LineHunk, part: EditPart) -> bool:
    is_place = change.start == change.end or part.start == part.end
    if is_place:
        return change.start <= part.end and part.start <= change.end
    return change.start < part.end and part.start < change.end


def _join(one: EditPart, other: EditPart) -> EditPart:
    comments = dict.fromkeys((*one.comments, *other.comments))
    return EditPart(
        start=one.start,
        end=max(one.end, other.end),
        instruction=join_instructions((one.instruction, other.instruction)),
        comments=tuple(comments),
        indices=one.indices + other.indices,
    )
