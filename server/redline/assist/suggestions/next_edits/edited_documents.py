"""All documents in which something was done or is offered, also files not open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath

from redline.assist.suggestions.next_edits.edited_document import EditedDocument
from redline.files import stamp_of
from redline.text.document import Document
from redline.text.uri import uri_path

_MAX_CLOSED = 20
"""Files that are not open."""


class EditedDocuments:
    """The open documents by URI; files that are not open by path.

    Offers in several documents that follow from one change form a group. The *root* is
    the document of the change.
    """

    def __init__(self) -> None:
        self._open: dict[str, EditedDocument] = {}
        self._closed: dict[PurePath, EditedDocument] = {}

    def __iter__(self) -> Iterator[EditedDocument]:
        """Yield the open ones, then the others."""
        yield from (*self._open.values(), *self._closed.values())

    def open(self, document: Document) -> bool:
        """Start to follow a document; return whether something is offered in it."""
        state = self._open[document.uri] = EditedDocument(document)
        closed = self._closed.pop(uri_path(document.uri), None)
        if closed is not None:
            state.adopt(closed)
        return bool(state.standing())

    def close(self, uri: str) -> None:
        self._open.pop(uri, None)

    def at(self, uri: str) -> EditedDocument | None:
        return self._open.get(uri)

    def add_closed(self, state: EditedDocument) -> None:
        """Add a file that is not open; what was rejected in it stays so."""
        path = uri_path(state.document.uri)
        before = self._closed.pop(path, None)
        if before is not None:
            state.remember(before)
        self._closed[path] = state
        for oldest in list(self._closed)[:-_MAX_CLOSED]:
            del self._closed[oldest]

    def of_offer(self, edit_id: str) -> EditedDocument | None:
        """Return the document whose next edit has an id."""
        return next((one for one in self if one.head_id == edit_id), None)

    def group(self, state: EditedDocument) -> list[EditedDocument]:
        """Return a document and the others of its group, in the order of offering."""
        root = state.root or state
        others = [one for one in self if one is not state and root in (one, one.root)]
        return [state, *sorted(others, key=lambda one: one is not root)]

    def withdraw(self, root: EditedDocument) -> None:
        """Withdraw what a change of one document led to in others."""
        for one in self:
            if one.root is root:
                one.clear()

    def drop_changed(self) -> None:
        """Withdraw what is offered in files that have changed since they were read."""
        for state in self._closed.values():
            path = Path(uri_path(state.document.uri))
            if state.head_id and stamp_of(path) != state.stamp:
                state.clear()
