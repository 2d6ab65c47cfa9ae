"""The edit target: the region of an open document that an edit changes.

It follows the user's edits by its anchor and recognizes our own edit when the document
shows it. Its owner reports every change of the document to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from redline.text.anchor import Anchor
from redline.text.document import Document
from redline.text.edit_parts import EditPart, join_instructions, moved_parts
from redline.text.line_diff import LineHunk, apply_hunks, diff_lines
from redline.text.lines import line_end, split_lines
from redline.text.position import Position, Range
from redline.text.proposal import moved_border
from redline.text.region import Landing, Region, overlap, region_at, region_of


class EditTarget:
    """One region of one document."""

    def __init__(
        self, document: Document, region: Region, parts: Sequence[EditPart] = ()
    ) -> None:
        self.document = document
        self.region = region
        self.parts = tuple(parts)
        """The ranges of an edit of several, in lines of the range; none: it is all."""
        self.original = region.lines
        """The region before any change of ours."""
        self.n_above = 0
        """The number of its first lines that are above the range: the edit changes
        imports there."""
        self._n_above_before = 0
        self.is_released = False
        """Whether it no longer follows, for example because the document was closed."""
        self.is_queued = False
        """Whether it waits for another edit of the same text to land."""
        self._anchor = document.anchor(region.range, is_of_lines=True)
        self._is_altered = False
        """Whether one change brought an edit of ours together with typing inside it."""
        self._landing: Landing | None = None
        self._landing_anchor: Anchor | None = None
        self._on_seen: Callable[[int], None] | None = None

    @property
    def start(self) -> Position:
        """Where the region starts now."""
        return self._anchor.range.start

    @property
    def place(self) -> Range:
        """Where the region is now."""
        return self._anchor.range

    @property
    def range_place(self) -> Range:
        """Where the range is now, without the lines above it."""
        if not self.n_above:
            return self.place
        return Range(Position(self._span.start, 0), self.place.end)

    @property
    def code(self) -> str:
        """The text that the edit may change."""
        if not self.parts:
            return self.region.text
        lines = self.region.lines[self.n_above :]
        return "\n".join("".join(lines[part.start : part.end]) for part in self.parts)

    @property
    def n_range_lines(self) -> int:
        """The number of lines of the range before any change of ours."""
        return len(self.original) - self._n_above_before

    @property
    def can_widen(self) -> bool:
        """Whether lines above the range can become a part of the region."""
        return self.start.character == 0

    @property
    def first_line(self) -> int:
        """The region's first line now, or the line where new ones will be inserted."""
        is_moved = self.start.character > self.region.range.start.character
        is_after_line = not self.region.lines and is_moved
        return self.start.line + (is_after_line or self.region.is_after_end)

    @property
    def is_touched(self) -> bool:
        """Whether the user typed inside, or the place for new lines is gone.

        New lines have no place between two lines once the user typed there without a
        line end.
        """
        is_moved = self.start.character != self.region.range.start.character
        return (
            self._anchor.is_touched
            or self._is_altered
            or (self.region.range.is_empty and is_moved)
        )

    @property
    def has_changed(self) -> bool:
        """Whether changes of ours are in the document, unmodified."""
        return self.region.lines != self.original and not self.is_touched

    def overlaps(self, other: EditTarget) -> bool:
        """Whether the two share lines, or are the same place between lines."""
        return self.document is other.document and overlap(self._span, other._span)

    def covers(self, line: int) -> bool:
        """Whether a line is in the region as it is now."""
        place = self.range_place
        return bool(self._span) and place.start.line <= line <= place.end.line

    @property
    def _span(self) -> range:
        end = self.first_line + len(self.region.lines)
        return range(self.first_line + self.n_above, end)

    def release(self) -> None:
        """Stop following, for example because the document was closed; idempotent.

        The callback of `expect` is called: an edit that was sent may still land.
        """
        self.is_released = True
        self.document.release(self._anchor)
        self._call_back(0)

    def replan(self) -> None:
        """Make the whole lines that are there now the region."""
        if self.parts:
            self.parts = self._moved_parts(self.typed())
        if self.n_above:
            self.n_above = moved_border(self.n_above, self.typed())
            self._n_above_before = self.n_above
        self._move_to(self._region_now())
        self.original = self.region.lines

    def widen(self, first: int) -> None:
        """Extend the region to a line above it.

        Args:
            first: The line where it begins from now on.
        """
        lines = self.document.snapshot().lines
        above = tuple(lines[first : self.first_line])
        assert above
        assert not self.n_above
        self.n_above = self._n_above_before = len(above)
        self.original = (*above, *self.original)
        self._move_to(region_at(Position(first, 0), (*above, *self.region.lines)))

    def narrow(self) -> None:
        """Undo `widen`; what has changed above the range stays as it is."""
        lines = self.region.lines[self.n_above :]
        self.original = self.original[self._n_above_before :]
        start = self.range_place.start
        self.n_above = self._n_above_before = 0
        self._move_to(region_at(start, lines))

    def typed(self) -> Sequence[LineHunk]:
        """Return what the user changed, in lines of the region."""
        return diff_lines(self.region.lines, self._region_now().lines)

    def _region_now(self) -> Region:
        lines = self.document.snapshot().lines
        is_place = not self.region.lines
        return region_of(lines, self._anchor.range, is_place=is_place)

    def queue(self) -> None:
        """Wait for another edit of the same text to land."""
        self.is_queued = True

    def leave_queue(self) -> None:
        """Make the current text the region, after the other edit landed."""
        self.replan()
        self.is_queued = False

    @property
    def n_ranges(self) -> int:
        """The number of ranges of the request; 0: it is an edit of all lines."""
        return sum(len(part.indices) for part in self.parts)

    def instruct_parts(self, instructions: Sequence[str]) -> None:
        """Set the instructions of the ranges of the request, in its order."""
        self.parts = tuple(
            replace(
                part,
                instruction=join_instructions(instructions[at] for at in part.indices),
            )
            for part in self.parts
        )

    # Edits on their way to the editor.

    @property
    def is_landing(self) -> bool:
        """Whether an edit is on its way."""
        return self._landing is not None

    def expect(self, landing: Landing, on_seen: Callable[[int], None]) -> None:
        """Call back when the document shows an edit, or when this target is released.

        Args:
            landing: How to recognize the edit in the document.
            on_seen: Called with the number of lines that the place has moved since.
        """
        self._landing = landing
        self._landing_anchor = self.document.anchor(landing.range)
        self._on_seen = on_seen

    def forget(self) -> None:
        """Stop waiting for an edit to show."""
        if self._landing_anchor is not None:
            self.document.release(self._landing_anchor)
        self._landing = self._landing_anchor = self._on_seen = None

    def has_landed(self) -> bool:
        """Return whether the changed document shows the edit, and call back if so."""
        if self._landing is None or self._landing_anchor is None:
            return False
        lines, now = self.document.snapshot().lines, self._landing_anchor.range
        n_lines_moved = self._landing.n_lines_moved(lines, now)
        if n_lines_moved is None:
            return False
        self._call_back(n_lines_moved)
        return True

    def take_over(self, start: Position, changes: Sequence[LineHunk]) -> None:
        """Make the landed text the region.

        Args:
            start: Where the region starts.
            changes: What landed, in lines of the old region.
        """
        lines = tuple(apply_hunks(self.region.lines, changes))
        self.parts = self._moved_parts(changes)
        self.n_above = moved_border(self.n_above, changes)
        is_after_end = self.region.is_after_end
        self._move_to(region_at(start, lines, is_after_end=is_after_end))
        shown = self.document.snapshot().text_in(self.place)
        if is_after_end:
            shown = shown[len(line_end(split_lines(shown)[0])) :]
        self._is_altered = shown != self.region.anchored_text

    @property
    def has_joined_parts(self) -> bool:
        """Whether the user's changes left no line between two of its ranges.

        `replan` would make them one range; those after it would get other numbers than
        the instruction has.
        """
        return len(self._moved_parts(self.typed())) < len(self.parts)

    def _moved_parts(self, changes: Sequence[LineHunk]) -> tuple[EditPart, ...]:
        n_above = self.n_above
        return moved_parts(
            self.parts,
            [
                LineHunk(
                    start=each.start - n_above, end=each.end - n_above, lines=each.lines
                )
                for each in changes
                if each.start >= n_above
            ],
        )

    def _move_to(self, region: Region) -> None:
        self.document.release(self._anchor)
        self._is_altered = False
        self.region = region
        self._anchor = self.document.anchor(region.range, is_of_lines=True)

    def _call_back(self, n_lines_moved: int) -> None:
        on_seen = self._on_seen
        self.forget()
        if on_seen is not None:
            on_seen(n_lines_moved)
