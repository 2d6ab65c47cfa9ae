"""Chooses what is shown of a text: one logical line, or a block."""

from __future__ import annotations

from msgspec import Struct

from redline.completion.brackets import open_in
from redline.completion.place import Place, depth_of, opens_block

MAX_BLOCK = 12
MAX_LOGICAL = 6
"""Lines that one statement may take."""


class ShownPart(Struct, frozen=True):
    """The part of a text that is shown."""

    text: str
    may_grow: bool
    """Whether more of it may arrive: worth a short wait."""


def present(
    text: str,
    place: Place,
    *,
    is_over: bool,
    is_invoked: bool,
    is_one_line: bool,
    n_shown: int = 0,
) -> ShownPart | None:
    """Return what to show; None: its first line is not complete yet.

    Args:
        text: What would be inserted at the cursor.
        place: The cursor.
        is_over: Whether the text will not grow.
        is_invoked: Whether the user asked for it: a block is shown anywhere.
        is_one_line: Whether it must end with the cursor's line.
        n_shown: The lines of it that are shown already; they stay.
    """
    lines = text.split("\n")
    if not is_over:
        lines.pop()
    n_blank = _n_blank(lines)
    if not lines or (n_blank == len(lines) and text.startswith("\n") and not is_over):
        return None
    if is_one_line and n_shown <= 1:
        return ShownPart(lines[0].rstrip(), may_grow=False)
    if _is_block(lines, place, is_invoked=is_invoked):
        shown = lines[:MAX_BLOCK]
        return ShownPart(_joined(shown), may_grow=not is_over)
    n_lines = _n_logical(lines, n_blank + 1, place)
    if n_lines is None and not is_over and not n_shown:
        # Its brackets are not closed yet.
        return None
    n_lines = max(n_lines or n_blank + 1, n_shown)
    return ShownPart(_joined(lines[:n_lines]), may_grow=False)


def _is_block(lines: list[str], place: Place, *, is_invoked: bool) -> bool:
    if is_invoked:
        return True
    first = place.left + lines[0]
    if lines[0].strip() and opens_block(first):
        return not first.rstrip().endswith(("(", "["))
    header = place.last_line if place.is_blank else place.left
    is_call = header.rstrip().endswith(("(", "["))
    if not opens_block(header) or (is_call and not place.is_blank):
        return False
    is_inside = depth_of(place.left) > depth_of(header) or not place.is_blank
    return is_inside and depth_of(place.next_line) <= depth_of(header)


def _n_blank(lines: list[str]) -> int:
    """Return the number of lines before the first that is not blank."""
    return next((at for at, line in enumerate(lines) if line.strip()), len(lines))


def _n_logical(lines: list[str], first: int, place: Place) -> int | None:
    """Return the number of lines, from `first` on, until all brackets are closed; None:
    too many."""
    whole = [place.left + lines[0], *lines[1:]]
    for n_lines in range(first, min(len(lines), MAX_LOGICAL) + 1):
        part = [*whole[: n_lines - 1], whole[n_lines - 1] + place.right]
        if not open_in(part, place.language).closers:
            return n_lines
    return first if len(lines) > MAX_LOGICAL else None


def _joined(lines: list[str]) -> str:
    return "\n".join(line.rstrip() for line in lines).rstrip()
