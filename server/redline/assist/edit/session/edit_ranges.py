"""Edits of several ranges: the ranges of a request, joined and numbered."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from redline.assist.actions.action import RangeWork
from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.edit.session.result import EditRequest
from redline.errors import InvalidArgumentsError
from redline.text.document import Document
from redline.text.edit_parts import (
    MAX_RANGES,
    EditPart,
    join_parts,
    moved_parts,
    numbered_instruction,
)
from redline.text.instruction_comment import InstructionComment, read_comment
from redline.text.line_diff import LineHunk
from redline.text.lines import split_lines, with_line_feeds
from redline.text.marked_ranges import RangeMarkers, mark_ranges
from redline.text.region import whole_lines, widen

MAX_SPAN = 5_000
"""Most lines from the first range to the last."""


def edit_target_of(document: Document, request: EditRequest) -> EditTarget:
    """Return what a request edits.

    Raises:
        InvalidArgumentsError: If there are too many ranges, or they are too far apart.
    """
    lines = document.snapshot().lines
    if not request.ranges:
        return EditTarget(document, widen(lines, request.range))
    if len(request.ranges) > MAX_RANGES:
        raise InvalidArgumentsError(
            f"The edit has {len(request.ranges)} ranges; one edit takes at most"
            f" {MAX_RANGES}. Nothing was changed: edit them in several requests."
        )
    parts = join_parts(
        _part(lines, each, index) for index, each in enumerate(request.ranges)
    )
    first = parts[0].start
    end = max(part.end for part in parts)
    if end - first > MAX_SPAN:
        raise InvalidArgumentsError(
            f"The ranges span {end - first:,} lines; one edit takes at most"
            f" {MAX_SPAN:,}. Nothing was changed: edit them in several requests."
        )
    if end == first:
        # One place for new lines.
        [place] = parts
        return EditTarget(
            document,
            widen(lines, request.ranges[0].range),
            [replace(place, start=0, end=0)],
        )
    return EditTarget(
        document,
        whole_lines(lines, first, end - 1),
        [
            replace(part, start=part.start - first, end=part.end - first)
            for part in parts
        ],
    )


def follow_instructions(target: EditTarget, request: EditRequest) -> None:
    """Set the instructions of a draft's ranges to those of a later request.

    A request without ranges leaves them. Where the ranges are, the text decides.

    Raises:
        InvalidArgumentsError: If the request has another number of ranges.
    """
    if not request.ranges:
        return
    if len(request.ranges) != target.n_ranges:
        raise InvalidArgumentsError(
            f"This draft began with {target.n_ranges} ranges, not"
            f" {len(request.ranges)}. Use another sessionId for other ranges."
        )
    target.instruct_parts([each.instruction for each in request.ranges])


def with_instructions(request: EditRequest, target: EditTarget) -> EditRequest:
    """Return a request whose range and instruction are those of all its ranges."""
    if not target.parts:
        return request
    return replace(
        request,
        range=target.region.range,
        instruction=numbered_instruction(request.instruction, target.parts),
    )


def marked_text(
    lines: Sequence[str],
    parts: Sequence[EditPart],
    markers: RangeMarkers,
    *,
    is_shortened: bool = True,
) -> str:
    """Write lines of a region as a prompt shows them, with its ranges numbered."""
    texts = split_lines(with_line_feeds(lines))
    return mark_ranges(texts, parts, markers, is_shortened=is_shortened)


def marked_draft(
    edit_target: EditTarget, new_lines: Sequence[str], changes: Sequence[LineHunk]
) -> str:
    """Write new lines of a region as a prompt shows them, with its ranges numbered.

    Args:
        edit_target: The region, with the ranges in its old lines.
        new_lines: What an edit makes of it.
        changes: The same as changes of its old lines.
    """
    markers = RangeMarkers.for_text(edit_target.region.lines)
    return marked_text(new_lines, moved_parts(edit_target.parts, changes), markers)


def _part(lines: Sequence[str], asked: RangeWork, index: int) -> EditPart:
    region = widen(lines, asked.range)
    comments: tuple[InstructionComment, ...] = ()
    if asked.from_comment is not None:
        comments = (read_comment(lines, asked.from_comment),)
    return EditPart(
        start=region.first,
        end=region.first + len(region.lines),
        instruction=asked.instruction,
        comments=comments,
        indices=(index,),
    )
