"""The range of a document that an action is about."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from redline.assist.actions.action import Diagnostic, Spot
from redline.assist.actions.definition import (
    IndentedDefinition,
    definitions_around,
    range_of_lines,
)
from redline.text.position import Range

_MAX_LINES = 400
"""Longest definition that a model is given whole."""

_MARGIN = 10
"""Lines around a place outside of definitions, or inside one that is too long."""


def without_block_cursor(selection: Range) -> Range:
    """Return a cursor for a one-character selection: some editors have no empty ones.

    A line end counts as a character.
    """
    start, end = selection.start, selection.end
    is_in_line = start.line == end.line and end.character - start.character == 1
    # A selection from one line's start to the next one's is a selected line.
    is_line_end = (
        end.line - start.line == 1 and end.character == 0 and start.character > 0
    )
    return Range(start, start) if is_in_line or is_line_end else selection


class ActionScope(Struct, frozen=True, kw_only=True):
    """A place and the definitions around it."""

    spot: Spot
    definitions: tuple[IndentedDefinition, ...] = ()
    """Around the selection, innermost first."""

    @classmethod
    def of(cls, spot: Spot) -> ActionScope:
        """Find the definitions around a place."""
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
        """The innermost function around the selection."""
        return next((one for one in self.definitions if one.kind == "function"), None)

    @property
    def is_selection(self) -> bool:
        return not self.spot.selection.is_empty

    @property
    def target(self) -> Range | None:
        """The range for an action on code: the selection, else the definition."""
        if self.is_selection:
            return self.lines(*lines_of(self.spot.selection))
        return self.range_of(self.definition) if self.definition else None

    @property
    def file(self) -> Range:
        """The whole document."""
        return self.lines(0, len(self.spot.lines) - 1)

    def lines(self, first: int, last: int) -> Range:
        """Return the range of whole lines, the last one included."""
        return range_of_lines(self.spot.lines, first, last)

    def range_of(self, definition: IndentedDefinition) -> Range:
        """Return the range of a definition, with its comments and decorators."""
        return self.lines(definition.first, definition.last)

    def text(self, where: Range) -> str:
        return "".join(self.spot.lines[where.start.line : where.end.line + 1])

    def around(self, diagnostic: Diagnostic) -> Range:
        """Return the range that a fix of a diagnostic needs to see."""
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
    """Return the first and the last line of which anything is selected."""
    first, last = selection.start.line, selection.end.line
    if last > first and selection.end.character == 0:
        last -= 1
    return first, last
