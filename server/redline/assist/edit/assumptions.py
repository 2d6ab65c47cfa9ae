"""What a session takes for granted, because its instruction leaves it open."""

from __future__ import annotations

from redline.assist.edit.edit_target import EditTarget
from redline.assist.edit.result import EditRequest
from redline.instructions.sharpen import assumed


def assumptions(
    request: EditRequest, edit_target: EditTarget, instruction: str
) -> tuple[str, ...]:
    """Return what an instruction leaves open and is taken for granted, as sentences.

    The instructions of code actions are ours, and leave nothing open.
    """
    if request.kind != "edit":
        return ()
    first = edit_target.first_line
    end = first + len(edit_target.region.lines)
    lines = edit_target.document.snapshot().lines
    return assumed(instruction, lines, first, end)
