"""What stands around a region, as much of it as a byte budget allows.

The nearest lines come first, so gathering costs the budget and never the file's size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from redline.text.lines import line_end, strip_end

_BEFORE_SHARE = 2 / 3
"""What leads up to a range says more about it than what follows."""

_ENCLOSING_N_LINES = 40
"""As much above a region as may lead to what it stands in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Whole lines around a region, with LF line ends."""

    before: str
    after: str
    is_whole_file: bool
    """Whether nothing was left out on either side."""


def gather_surroundings(
    lines: Sequence[str], first: int, end: int, *, max_bytes: int
) -> Surroundings:
    """Take the lines nearest to a region.

    Args:
        lines: The document's lines, ends kept.
        first: Index of the region's first line.
        end: Index after its last one.
        max_bytes: Bound for both sides together, in UTF-8 bytes; what one side does
            not use the other may.
    """
    above = map(lines.__getitem__, range(first - 1, -1, -1))
    below = map(lines.__getitem__, range(end, len(lines)))
    before, before_bytes = _take(above, int(max_bytes * _BEFORE_SHARE))
    after, after_bytes = _take(below, max_bytes - before_bytes)
    if len(before) < first:
        rest = map(lines.__getitem__, range(first - 1 - len(before), -1, -1))
        before += _take(rest, max_bytes - before_bytes - after_bytes)[0]
    return Surroundings(
        before=with_line_feeds(reversed(before)),
        after=with_line_feeds(after),
        is_whole_file=len(before) == first and len(after) == len(lines) - end,
    )


def enclosing(lines: Sequence[str], first: int, target: Sequence[str]) -> str:
    """Take what a region stands in, as far as its indentation tells.

    Args:
        lines: The document's lines.
        first: Index of the region's first line.
        target: The region's lines.

    Returns:
        The lines from the nearest less indented one above to the region, a few at most;
        empty if the region is not indented.
    """
    widths = [len(line) - len(line.lstrip()) for line in target if line.strip()]
    width = min(widths, default=0)
    if not width:
        return ""
    for at in range(first - 1, max(first - _ENCLOSING_N_LINES, 0) - 1, -1):
        line = lines[at]
        if line.strip() and len(line) - len(line.lstrip()) < width:
            return "".join(lines[at:first])
    return ""


def with_line_feeds(lines: Iterable[str]) -> str:
    """Join lines with LF in place of whatever ends they have."""
    lines = tuple(lines)
    text = "".join(lines)
    # Line by line it takes 0.15 ms for a usual prompt, and 2 ms for one of 128 kB.
    if "\r" not in text:
        return text
    return "".join(strip_end(line) + "\n" * bool(line_end(line)) for line in lines)


def _take(lines: Iterable[str], max_bytes: int) -> tuple[list[str], int]:
    taken: list[str] = []
    room = max_bytes
    for line in lines:
        size = len(line)
        # A line that does not fit by its characters need not be encoded to see it.
        if size <= room and not line.isascii():
            size = len(line.encode())
        if size > room:
            break
        taken.append(line)
        room -= size
    return taken, max_bytes - room
