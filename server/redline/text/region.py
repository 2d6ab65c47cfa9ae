"""Regions: the whole lines that an edit works on, and the places of its hunks.

A region starts as whole lines of one snapshot. Its anchor then follows the user's
edits, so that hunks, which count lines from the region's first, can be placed in any
later version of the document, as long as the user does not type inside the region.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from redline.text.line_diff import LineHunk
from redline.text.lines import line_end, majority_end, split_lines, strip_end
from redline.text.position import Position, Range, text_in
from redline.text.streaming_diff import Hunk

_BYTE_ORDER_MARK = "\ufeff"
"""It stays the first character, where an editor leaves it in a document."""

_N_SAMPLED = 400
"""Lines that decide the line end of new ones: 0.1 ms. All of 100,000 take 20 ms, too
long between a keystroke and the next message."""


class TextEdit(msgspec.Struct, frozen=True, kw_only=True):
    """Replace a range (code points) by new text."""

    range: Range
    new_text: str


class Region(Struct, frozen=True, kw_only=True):
    """Whole lines of a document, or a place between two lines."""

    first: int
    """Index of its first line."""
    lines: tuple[str, ...]
    """Its lines with their ends; none for an insertion."""
    range: Range
    """The range to anchor: from its first character to its last line's content end. The
    last line end is left out, so that the region does not grow with the next line."""
    is_after_end: bool = False
    """Whether it is behind a last line without a line end. New lines there begin with
    that end, and the last of them has none, so its range begins at the end of the line
    before."""

    @property
    def text(self) -> str:
        return "".join(self.lines)

    @property
    def anchored_text(self) -> str:
        """The part of its text that `range` covers: without the last line end."""
        # An empty last line has no end; the text's last end belongs to the line before.
        n_left_out = len(line_end(self.lines[-1])) if self.lines else 0
        return self.text[: len(self.text) - n_left_out]


def widen(lines: Sequence[str], selection: Range) -> Region:
    """Widen a selection (code points, inside the document) to whole lines.

    A selection that ends at the start of a line leaves that line out. An empty one is a
    place for new lines: before its line if it is at its start or the line is blank,
    after it otherwise.
    """
    first, last = selection.start.line, selection.end.line
    if selection.is_empty:
        at_start = _is_at_start(selection.start, lines) or not lines[first].strip()
        return _insertion(lines, first if at_start else first + 1)
    if selection.end.character == 0 and last > first:
        last -= 1
    return whole_lines(lines, first, last)


def range_of_lines(lines: Sequence[str], first: int, n_lines: int) -> Range:
    """Return a range that `widen` widens to `n_lines` lines, or to a place for some."""
    if n_lines == 0:
        if first < len(lines):
            place = Position(first, 0)
        else:
            place = Position(first - 1, len(lines[-1]))
        return Range(place, place)
    last = first + n_lines - 1
    return Range(Position(first, 0), Position(last, max(1, len(lines[last]))))


def region_of(lines: Sequence[str], anchored: Range, *, is_place: bool) -> Region:
    """Return the region that an anchor follows.

    Args:
        lines: The document's current lines.
        anchored: The anchor's place in it.
        is_place: Whether it follows a place between lines.
    """
    if is_place or (anchored.is_empty and anchored.start.character > 0):
        return widen(lines, Range(anchored.start, anchored.start))
    return whole_lines(lines, anchored.start.line, anchored.end.line)


def whole_lines(lines: Sequence[str], first: int, last: int) -> Region:
    """Return the region of the lines from `first` to `last`, included."""
    return Region(
        first=first,
        lines=tuple(lines[first : last + 1]),
        range=Range(Position(first, 0), _content_end(lines, last)),
    )


def overlap(one: range, other: range) -> bool:
    """Whether two regions share a line, or one is a place between lines of the other,
    or both are the same place.

    Args:
        one: Indexes of its lines; an empty range is the place before its start.
        other: Likewise.
    """
    if not one and not other:
        return one.start == other.start
    return one.start < other.stop and other.start < one.stop


def region_at(
    start: Position, lines: tuple[str, ...], *, is_after_end: bool = False
) -> Region:
    """Return the region of whole lines whose range begins at a place of a document."""
    first = start.line + is_after_end
    end = start
    if lines:
        is_shifted = len(lines) == 1 and not is_after_end
        length = len(strip_end(lines[-1])) + is_shifted * start.character
        end = Position(first + len(lines) - 1, length)
    return Region(
        first=first, lines=lines, range=Range(start, end), is_after_end=is_after_end
    )


def place(
    hunk: LineHunk, region_start: Position, region: Region, lines: Sequence[str]
) -> TextEdit:
    """Convert a hunk of a region to an edit of the current document.

    Args:
        hunk: Its lines are relative to the region's first.
        region_start: The current start of the region's anchor.
        region: The region.
        lines: The document's current lines.
    """
    text = "".join(hunk.lines)
    if region.is_after_end and region.lines:
        start = _end_before(hunk.start, region_start, lines)
        end = _end_before(hunk.end, region_start, lines)
        text = _glue(text, start, lines) if text else ""
        return TextEdit(range=Range(start, end), new_text=text)
    start = _line_start(hunk.start, region_start, lines)
    if not region.lines and not _is_at_start(region_start, lines):
        return TextEdit(range=Range(start, start), new_text=_glue(text, start, lines))
    return TextEdit(
        range=Range(start, _line_start(hunk.end, region_start, lines)), new_text=text
    )


def n_covered(hunk: Hunk, starts: Sequence[int], old_lines: Sequence[str]) -> int:
    """Count the old lines that an open hunk covers where it is painted line for line.

    An open hunk usually turns out to replace the lines after it. If each of its lines
    takes the place of one of them, the text below moves only by what the hunk grows
    beyond them, instead of down and up again.

    Args:
        hunk: One of a text that is being written.
        starts: Where those that are painted start, this one too, in order; none of
            them is covered.
        old_lines: The region's. A last line without an end is not covered.
    """
    if not hunk.is_open:
        return 0
    n_lines = len(old_lines)
    if old_lines and not old_lines[-1].endswith(("\n", "\r")):
        n_lines -= 1
    following = bisect_left(starts, hunk.end)
    if hunk.start == hunk.end:
        # It is one of them itself.
        following += 1
    limit = starts[following] if following < len(starts) else n_lines
    return max(0, min(len(hunk.lines), limit - hunk.end, n_lines - hunk.end))


class Landing(Struct, frozen=True, kw_only=True):
    """The expected lines of a part of a document after edits."""

    range: Range
    """The range to anchor before sending: the lines of the edits, and one before."""
    lines: tuple[str, ...]
    first: int
    """Index in `lines` of the first one that shows the edits."""
    end: int
    """The index after the last one that shows them."""
    is_at_start: bool
    """Whether the edits begin at the start of the document."""
    before: Sequence[str]
    """The document before the edits."""

    def n_lines_moved(self, lines: Sequence[str], now: Range) -> int | None:
        """Return how far the edits have moved; None: the document does not show them.

        Args:
            lines: The document's lines.
            now: The current place of the anchor on `range`.
        """
        # Text inserted before an anchor moves it, so an edit at the very start does.
        first = 0 if self.is_at_start else now.start.line
        shown = tuple(lines[first : now.end.line + 1])
        expected = self.lines[self.first : self.end]
        if shown[self.first : self.end] == expected and len(shown) == len(self.lines):
            return first - self.range.start.line
        return 0 if self._is_all_of(lines) else None

    def _is_all_of(self, lines: Sequence[str]) -> bool:
        """Whether a document is the one before with the edits, and nothing else.

        An editor that reports the smallest difference may report it beside the anchor:
        above a line like its own first one, an insertion ends as it begins.
        """
        first, end = self.range.start.line, self.range.end.line + 1
        landed_end = first + len(self.lines)
        return (
            len(lines) - landed_end == len(self.before) - end
            and tuple(lines[first:landed_end]) == self.lines
            and lines[:first] == self.before[:first]
            and lines[landed_end:] == self.before[end:]
        )


def expect_landing(lines: Sequence[str], edits: Sequence[TextEdit]) -> Landing:
    """Return how a document's lines will show that edits have landed.

    Args:
        lines: The document before the edits.
        edits: In order, disjoint, at least one.
    """
    # From the line before to the end of the last touched line, so that the edits are
    # inside the anchor's borders.
    first, last = edits[0].range.start, edits[-1].range.end
    at = start = Position(max(0, first.line - 1), 0)
    text = ""
    for edit in edits:
        text += text_in(lines, Range(at, edit.range.start)) + edit.new_text
        at = edit.range.end
    end = _content_end(lines, last.line)
    text += text_in(lines, Range(at, end))
    landed = _whole_but_last(text, lines[last.line])
    # The user's changes of the lines around do not matter, unless only those lines can
    # show that everything between them is gone.
    n_before, n_after = first.line - start.line, int(last.character == 0)
    is_gone = n_before + n_after >= len(landed)
    return Landing(
        range=Range(start, end),
        lines=landed,
        first=0 if is_gone else n_before,
        end=len(landed) - (0 if is_gone else n_after),
        is_at_start=first == Position(0, 0),
        before=lines,
    )


def end_of_new_lines(lines: Sequence[str], near: int) -> str:
    """Return the line end for new lines: that of most lines around.

    Args:
        lines: The document's lines.
        near: Index of a line that is or was in it.
    """
    first = max(0, min(near, len(lines)) - _N_SAMPLED // 2)
    return majority_end(lines[first : first + _N_SAMPLED])


def _whole_but_last(text: str, last_line: str) -> tuple[str, ...]:
    landed = split_lines(text)
    landed[-1] += line_end(last_line)
    return tuple(landed)


def _insertion(lines: Sequence[str], at: int) -> Region:
    is_after_end = at == len(lines)
    here = _content_end(lines, at - 1) if is_after_end else Position(at, 0)
    if at == 0 and lines[0].startswith(_BYTE_ORDER_MARK):
        here = Position(0, len(_BYTE_ORDER_MARK))
    return region_at(here, (), is_after_end=is_after_end)


def _is_at_start(at: Position, lines: Sequence[str]) -> bool:
    """Whether new lines have their place before a line, behind a byte order mark."""
    is_behind_mark = at == Position(0, 1) and lines[0].startswith(_BYTE_ORDER_MARK)
    return at.character == 0 or is_behind_mark


def _content_end(lines: Sequence[str], line: int) -> Position:
    return Position(line, len(strip_end(lines[line])))


def _line_start(index: int, region_start: Position, lines: Sequence[str]) -> Position:
    if index == 0:
        return region_start
    line = region_start.line + index
    if line < len(lines):
        return Position(line, 0)
    return _content_end(lines, len(lines) - 1)


def _end_before(index: int, region_start: Position, lines: Sequence[str]) -> Position:
    """Return where the line before one of a region `is_after_end` ends."""
    return _content_end(lines, region_start.line + index) if index else region_start


def _glue(text: str, at: Position, lines: Sequence[str]) -> str:
    """Write new lines for a place in the middle or at the end of a line."""
    end = end_of_new_lines(lines, at.line)
    rest = lines[at.line][at.character :]
    body = text if strip_end(rest) else text[: len(text) - len(line_end(text))]
    return end + body
