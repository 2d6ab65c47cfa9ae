"""Writes what the editor is to show."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from redline.assist.suggestions.complete.document_state import (
    CompletedDocument,
    CompletionItem,
    Items,
)
from redline.completion.filters import Insertion
from redline.completion.place import Place
from redline.text.document import Document
from redline.text.lines import line_end
from redline.text.position import Position


class PopupSelection(Struct, frozen=True, kw_only=True):
    """The item that is selected in the editor's popup."""

    start: int
    end: int
    """Columns of the cursor's line, in code points."""
    text: str


def items_at(
    document: Document, at: Position, insertions: Sequence[Insertion]
) -> Items:
    """Write insertions at a cursor, with the document's line ends."""
    end_of_line = _line_end(document, at.line)
    return tuple(
        CompletionItem(
            text=one.text.replace("\n", end_of_line),
            start=Position(at.line, at.character - one.n_left),
            end=Position(at.line, at.character + one.n_right),
        )
        for one in insertions
    )


def items_beside_popup(
    state: CompletedDocument, at: Position, selection: PopupSelection
) -> Items:
    """Write what continues the selected item of the popup, in its range (LSP 3.18,
    "SelectedCompletionInfo")."""
    place = state.place(at)
    line = place.left + place.right
    selected = Place(
        left=line[: selection.start] + selection.text,
        right=line[selection.end :],
        around=place.around,
    )
    look = state.flights.look(at.line, selected)
    end_of_line = _line_end(state.document, at.line)
    return tuple(
        CompletionItem(
            text=selection.text + one.text.replace("\n", end_of_line),
            start=Position(at.line, selection.start),
            end=Position(at.line, selection.end),
        )
        for one in look.insertions[:1]
        if not (one.n_left or one.n_right)
    )


def _line_end(document: Document, line: int) -> str:
    for own in document.lines_between(line - 1, line + 1)[::-1]:
        if end := line_end(own):
            return end
    return "\n"
