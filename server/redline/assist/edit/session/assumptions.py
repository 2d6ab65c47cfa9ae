"""What a session takes for granted, because its instruction leaves it open."""

from __future__ import annotations

from collections.abc import Sequence

from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.edit.session.result import EditRequest
from redline.instructions.sharpen import assumed
from redline.text.edit_parts import EditPart, instruction_for


def assumptions(
    request: EditRequest, edit_target: EditTarget, instruction: str
) -> tuple[str, ...]:
    """Return what an instruction leaves open and is taken for granted, as sentences.

    The instructions of code actions are ours, and leave nothing open.
    """
    if request.kind != "edit":
        return ()
    first = edit_target.first_line
    lines = edit_target.document.snapshot().lines
    if edit_target.parts:
        return _of_parts(instruction, lines, first, edit_target.parts)
    end = first + len(edit_target.region.lines)
    return assumed(instruction, lines, first, end)


def _of_parts(
    instruction: str, lines: Sequence[str], first: int, parts: Sequence[EditPart]
) -> tuple[str, ...]:
    """Return what is taken for granted of several ranges, with their numbers."""
    numbers: dict[str, list[str]] = {}
    for number, part in enumerate(parts, 1):
        text = instruction_for(number, instruction)
        found = assumed(text, lines, first + part.start, first + part.end)
        for each in found:
            numbers.setdefault(each, []).append(str(number))
    return tuple(
        text if len(of) == len(parts) else f"Range {', '.join(of)}: {text}"
        for text, of in numbers.items()
    )
