"""How much of a document an action is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from redline.assist.actions.action import Diagnostic, Spot
from redline.assist.actions.definition import (
    IndentedDefinition,
    definitions_around,
    range_of_lines,
)
from redline.text.position import Range

_MAX_LINES = 400
"""Of a definition that is given to a model whole."""

_MARGIN = 10
"""Lines around a place that stands in no definition, or in one that is too long."""


def without_block_cursor(selection: Range) -> Range:
    """Take a selection of one character for a cursor: some editors have no empty ones.

    A line's end is a character, too.
    """
    start, end = selection.start, selection.end
    is_in_line = start.line == end.line and end.character - start.character == 1
    # From a line's start to the next one's is a line that was selected.
    is_line_end = (
        end.line - start.line == 1 and end.character == 0 and start.character > 0
    )
    return Range(start, start) if is_in_line or is_line_end else selection


@dataclass(frozen=True, kw_only=True)
class ActionScope:
    """A spot, and what it is in."""

    spot: Spot
    definitions: tuple[IndentedDefinition, ...] = field(default=())
    """Around the selection, the innermost first."""

    @classmethod
    def of(cls, spot: Spot) -> ActionScope:
        """Look around a spot."""
        first, last = lines_of(spot.selection)
        around = definitions_around(spot.lines, first, spot.language)
        return cls(
            spot=spot,
            definitions=tuple(each for each in around if last <= each.last),
        )

    @property
    def definition(self) -> IndentedDefinition | None:
        """The innermost definition around the selection."""
        return self.definitions[0] if self.definitions else None

    @property
    def function(self) -> IndentedDefinition | None:
        """The innermost function around it."""
        return next((one for one in self.definitions if one.kind == "function"), None)

    @property
    def is_selection(self) -> bool:
        """Whether something is selected."""
        return not self.spot.selection.is_empty

    @property
    def target(self) -> Range | None:
        """What an action on code is about: the selection, else the definition."""
        if self.is_selection:
            return self.lines(*lines_of(self.spot.selection))
        return self.range_of(self.definition) if self.definition else None

    @property
    def file(self) -> Range:
        """The whole document."""
        return self.lines(0, len(self.spot.lines) - 1)

    def lines(self, first: int, last: int) -> Range:
        """The range of whole lines, the last one included."""
        return range_of_lines(self.spot.lines, first, last)

    def range_of(self, definition: IndentedDefinition) -> Range:
        """The range of a definition, with what stands above it."""
        return self.lines(definition.first, definition.last)

    def text(self, where: Range) -> str:
        """The text of whole lines."""
        return "".join(self.spot.lines[where.start.line : where.end.line + 1])

    def around(self, diagnostic: Diagnostic) -> Range:
        """What has to be seen to mend what a diagnostic is about."""
        first, last = lines_of(diagnostic.range)
        top = len(self.spot.lines) - 1
        first, last = min(first, top), min(last, top)
        for one in self._around(first):
            if one.last >= last and one.last - one.first < _MAX_LINES:
                return self.range_of(one)
        return self.lines(max(first - _MARGIN, 0), min(last + _MARGIN, top))

    def _around(self, line: int) -> Sequence[IndentedDefinition]:
        if line == lines_of(self.spot.selection)[0]:
            return self.definitions
        return definitions_around(self.spot.lines, line, self.spot.language)


def lines_of(selection: Range) -> tuple[int, int]:
    """Return the first and the last line that a selection has something of."""
    first, last = selection.start.line, selection.end.line
    if last > first and selection.end.character == 0:
        last -= 1
    return first, last
