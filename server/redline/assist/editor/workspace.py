"""The open documents, and the observers of their changes."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import PurePath
from typing import Protocol

from redline.errors import InvalidArgumentsError, UnknownDocumentError
from redline.text.anchor import Splice
from redline.text.document import ContentChange, Document, Snapshot
from redline.text.position import Encoding
from redline.text.uri import check_path_length, is_file, path_in, uri_path

logger = logging.getLogger(__name__)


class DocumentWatcher(Protocol):
    def document_changed(self) -> None:
        """Handle a change by the user or by an edit of ours."""

    def document_closed(self) -> None:
        """Release the document: it is no longer open."""


class WorkspaceFollower(Protocol):
    """An observer of all documents at every keystroke: it must be quick."""

    def document_opened(self, document: Document) -> None:
        """Start to follow a document."""

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Record one change."""

    def document_changed(self, document: Document) -> None:
        """Handle the changes of one message, once all of them are recorded."""

    def document_closed(self, document: Document) -> None:
        """Release a document."""


class Workspace:
    """The documents that the editor has open."""

    def __init__(self, encoding: Encoding = Encoding.UTF_16) -> None:
        self.encoding = encoding
        """The client's position units."""
        self.roots: tuple[str, ...] = ()
        """URIs of the workspace folders."""
        self._documents: dict[str, Document] = {}
        self._watchers: dict[str, list[DocumentWatcher]] = {}
        self._followers: list[WorkspaceFollower] = []

    @property
    def documents(self) -> tuple[Document, ...]:
        """The open documents, in the order in which they were opened."""
        return tuple(self._documents.values())

    def change_roots(self, *, added: Sequence[str], removed: Collection[str]) -> None:
        """Add and remove workspace folders, given by their URIs.

        A folder whose path no system opens is not added.
        """
        kept = [root for root in self.roots if root not in removed]
        usable = filter(_has_usable_path, added)
        self.roots = (*kept, *(uri for uri in usable if uri not in kept))

    def follow(self, follower: WorkspaceFollower) -> None:
        """Notify a follower of every document from now on."""
        self._followers.append(follower)

    def open(self, uri: str, language_id: str, version: int, text: str) -> None:
        """Add a document; opening an open one again replaces it.

        Raises:
            InvalidArgumentsError: If its path is too long.
        """
        check_path_length(uri)
        if uri in self._documents:
            self.close(uri)
        document = self._documents[uri] = Document(
            uri=uri,
            language_id=language_id,
            version=version,
            text=text,
            encoding=self.encoding,
        )
        document.on_splice = partial(self._spliced, document)
        for follower in self._followers:
            follower.document_opened(document)

    def change(self, uri: str, version: int, changes: Sequence[ContentChange]) -> None:
        """Apply the user's changes.

        Raises:
            UnknownDocumentError: If it is not open.
        """
        document = self.document(uri)
        document.change(version, changes)
        for follower in self._followers:
            follower.document_changed(document)
        for watcher in tuple(self._watchers.get(uri, ())):
            watcher.document_changed()

    def close(self, uri: str) -> None:
        """Remove a document; closing an unknown one does nothing."""
        document = self._documents.pop(uri, None)
        for watcher in self._watchers.pop(uri, []):
            watcher.document_closed()
        if document is not None:
            for follower in self._followers:
                follower.document_closed(document)

    def has(self, uri: str) -> bool:
        """Whether a document with this URI is open."""
        return uri in self._documents

    def own_uri(self, uri: str) -> str:
        """Return a file's URI in the editor's own spelling, if it is open."""
        if uri in self._documents or not is_file(uri):
            return uri
        path = uri_path(uri)
        same = (
            one for one in self._documents if is_file(one) and uri_path(one) == path
        )
        return next(same, uri)

    def is_open(self, document: Document) -> bool:
        """Whether this object is still open; a reopened document is another object."""
        return self._documents.get(document.uri) is document

    def document(self, uri: str) -> Document:
        """Return an open document.

        Raises:
            UnknownDocumentError: If it is not open.
            InvalidArgumentsError: If its path is too long to be opened.
        """
        try:
            return self._documents[uri]
        except KeyError:
            check_path_length(uri)
            raise UnknownDocumentError(
                f"{display_name(uri)!r} is not open in this editor."
            ) from None

    def watch(self, uri: str, watcher: DocumentWatcher) -> None:
        """Notify a watcher of every change until `unwatch`."""
        self._watchers.setdefault(uri, []).append(watcher)

    def unwatch(self, uri: str, watcher: DocumentWatcher) -> None:
        """Stop notifying a watcher; does nothing if it is unknown."""
        watchers = self._watchers.get(uri, [])
        if watcher in watchers:
            watchers.remove(watcher)

    def snapshots(self) -> dict[str, Snapshot]:
        """Snapshot every open document, by its URI."""
        return {uri: document.snapshot() for uri, document in self._documents.items()}

    def root_of(self, uri: str) -> str | None:
        """Return the innermost workspace folder that a document is in."""
        inside = (root for root in self.roots if path_in(uri, root) is not None)
        return max(inside, key=len, default=None)

    def roots_around(self, uri: str) -> tuple[str, ...]:
        """Return the workspace folders, that of a document first."""
        own = self.root_of(uri)
        return tuple(sorted(self.roots, key=lambda root: root != own))

    def relative_path(self, uri: str) -> str:
        """Name a document for a prompt: relative to its root, else its bare name.

        A document that is no file and has no suffix gets its language as one, which
        says how values, also secret ones, are written in it. Bytes that are not UTF-8
        are replaced: no model and no store takes them.
        """
        for root in self.roots:
            if inside := path_in(uri, root):
                return _showable(inside)
        name = display_name(uri)
        document = self._documents.get(uri)
        if document is None or is_file(uri) or PurePath(name).suffix:
            return name
        return f"{name}.{document.language_id}" if document.language_id else name

    def _spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        for follower in self._followers:
            follower.document_spliced(document, splice, old_lines)


def _has_usable_path(root: str) -> bool:
    try:
        root.encode()
        check_path_length(root)
    except (InvalidArgumentsError, UnicodeEncodeError) as error:
        logger.warning("a workspace folder is not used: %s", error)
        return False
    if "\0" in str(uri_path(root)):
        logger.warning("a workspace folder is not used: its path has a NUL")
        return False
    return True


def display_name(uri: str) -> str:
    """Name a document without its folder, for prompts and messages."""
    return _showable(uri_path(uri).name) or "untitled"


def _showable(name: str) -> str:
    return name if name.isascii() else name.encode("utf-8", "replace").decode()
