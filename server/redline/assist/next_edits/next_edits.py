"""Offers what follows from the user's last edit, once that edit has settled.

A keystroke is only recorded. The rules run when the user pauses, saves, or leaves the
changed lines.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct

from redline.assist.next_edits.edited_document import EditedDocument
from redline.assist.next_edits.edited_documents import EditedDocuments
from redline.assist.next_edits.importing_files import (
    FIND_IMPORTING_FILES,
    ImportingFile,
    ImportSearch,
    SearchedFile,
)
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.assist.workspace import Workspace
from redline.errors import ParserEndedError
from redline.next_edits.importers import ExportedRename, exported_rename
from redline.next_edits.journal import UserChange
from redline.next_edits.memory import DismissReason
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.rules import find_next_edits
from redline.next_edits.source import EditedSource, TooLongError
from redline.parsing.work import WorkRunner
from redline.settings.completion import NextEditSettings
from redline.supervisor import Supervisor
from redline.text.anchor import Splice
from redline.text.document import Document
from redline.text.position import Position
from redline.text.uri import path_in

logger = logging.getLogger(__name__)

SETTLE_S = 0.35
"""A change has settled after this long without a key."""

_MAX_CHARS = 2_000_000
"""Larger documents are data."""


class OfferedEdit(Struct, frozen=True, kw_only=True):
    """The next edit of a document."""

    id: str
    edit: NextEdit
    n_left: int
    """How many follow it."""
    document: Document
    """Where it is, which may be another file."""
    is_open: bool
    """Whether the editor has that file open."""


class FileEdits(Struct, frozen=True, kw_only=True):
    """The next edits in one file."""

    document: Document
    is_open: bool
    edits: tuple[NextEdit, ...]


class NextEdits:
    """The next edits of all documents; follows the workspace."""

    def __init__(
        self,
        workspace: Workspace,
        settings: Callable[[], NextEditSettings],
        *,
        parser: WorkRunner,
        on_change: Callable[[str], None] = lambda uri: None,
        is_edited: Callable[[str, int], bool] = lambda uri, line: False,
    ) -> None:
        """Follow a workspace.

        Args:
            workspace: The open documents.
            settings: Returns the settings in force.
            parser: Searches other files.
            on_change: Called with the URI when the next edit of a document changes.
            is_edited: Whether a line of a document is in the region of an edit of
                ours, whose changes are not the user's.
        """
        self._workspace = workspace
        self._settings = settings
        self._parser = parser
        self._on_change = on_change
        self._is_edited = is_edited
        self._ignore_rules = IgnoreRules()
        self._documents = EditedDocuments()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._supervisor = Supervisor()
        workspace.follow(self)

    async def aclose(self) -> None:
        """Cancel what waits."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        await self._supervisor.aclose()

    async def searched(self) -> None:
        """Wait until no other files are being searched."""
        await self._supervisor.wait()

    # Called by the workspace.

    def document_opened(self, document: Document) -> None:
        """Start to follow a document, in which something may be offered already."""
        if self._documents.open(document):
            self._on_change(document.uri)

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Record one change."""
        is_ours = self._is_edited(document.uri, splice.new.start.line)
        state = self._documents.at(document.uri)
        if state is not None:
            state.splice(splice, old_lines, _now(), is_ours=is_ours)

    def document_closed(self, document: Document) -> None:
        """Release a document."""
        self._documents.close(document.uri)
        timer = self._timers.pop(document.uri, None)
        if timer is not None:
            timer.cancel()

    def document_changed(self, document: Document) -> None:
        """Handle the changes of one message: wait until the user pauses."""
        uri = document.uri
        state = self._documents.at(uri)
        if state is None:
            return
        if uri not in self._timers:
            self._wait(uri, SETTLE_S)
        if state.take_moved():
            self._on_change(uri)

    # Called for the editor.

    def next_edit(
        self, uri: str, cursor: Position | None, *, is_settled: bool
    ) -> OfferedEdit | None:
        """Return the next edit of a document, or else one in another file.

        Args:
            uri: The document.
            cursor: Where the user is; None: not known.
            is_settled: Whether the last change has settled, as the editor knows it.
        """
        state = self._documents.at(uri)
        if state is None:
            return None
        if cursor is not None:
            state.move(cursor)
        if is_settled:
            self._find(state)
        standing = self._standing(state)
        if not standing:
            return None
        head, edits = standing[0]
        return OfferedEdit(
            id=head.head_id,
            edit=edits[0],
            n_left=sum(len(one) for _, one in standing) - 1,
            document=head.document,
            is_open=head.stamp is None,
        )

    def all_edits(self, uri: str) -> list[FileEdits]:
        """Return the next edits of a document, and those in other files after them."""
        state = self._documents.at(uri)
        if state is None:
            return []
        return [
            FileEdits(document=one.document, is_open=one.stamp is None, edits=edits)
            for one, edits in self._standing(state)
        ]

    def shown(self, edit_id: str) -> None:
        """Record that an edit is shown."""
        state = self._documents.of_offer(edit_id)
        if state is not None:
            state.note_shown()

    def accepted(self, edit_id: str) -> None:
        """Record that the editor has carried out an edit."""
        state = self._documents.of_offer(edit_id)
        if state is not None:
            state.remove_head()
            self._notify(state)

    def dismissed(self, edit_id: str, reason: DismissReason) -> None:
        """Record that an edit was not taken; a rejection withdraws those after it."""
        state = self._documents.of_offer(edit_id)
        if state is None:
            return
        group = self._documents.group(state) if reason == "rejected" else [state]
        for one in group:
            one.dismiss(reason, _now())
        self._notify(state)

    # Finding.

    def _wait(self, uri: str, wait_s: float) -> None:
        loop = asyncio.get_running_loop()
        self._timers[uri] = loop.call_later(wait_s, self._settle, uri)

    def _settle(self, uri: str) -> None:
        """Run the rules if the user has paused long enough."""
        self._timers.pop(uri, None)
        state = self._documents.at(uri)
        if state is None:
            return
        left_s = state.key_s + SETTLE_S - _now()
        if left_s > 0.001:
            self._wait(uri, left_s)
        elif self._find(state):
            self._on_change(uri)

    def _find(self, state: EditedDocument) -> bool:
        """Run the rules on a change that they have not seen; return whether anything
        is offered now that was not before."""
        document, settings, now_s = state.document, self._settings(), _now()
        if state.rejections.is_pausing(now_s) or not state.take_new():
            return False
        if not self._may_offer(document):
            return False
        lines = document.snapshot().lines
        if sum(map(len, lines)) > _MAX_CHARS:
            return False
        found = find_next_edits(
            lines,
            document.language_id,
            state.journal,
            state.cursor,
            now_s,
            removes_imports=settings.remove_imports,
        )
        edits = state.allowed(found, now_s)
        if edits:
            self._begin(state, edits)
        self._search_others(state)
        return bool(edits)

    def _begin(self, state: EditedDocument, edits: Sequence[NextEdit]) -> None:
        self._documents.withdraw(state)
        state.begin(edits)

    def _may_offer(self, document: Document) -> bool:
        settings = self._settings()
        if not settings.enabled or document.language_id in settings.off:
            return False
        roots = self._workspace.roots
        return self._ignore_rules.reason(document.uri, roots) is None

    def _standing(
        self, state: EditedDocument
    ) -> list[tuple[EditedDocument, tuple[NextEdit, ...]]]:
        """Return what is offered for a document, by file."""
        if state.rejections.is_pausing(_now()) or not self._settings().enabled:
            return []
        self._documents.drop_changed()
        group = [(one, one.standing()) for one in self._documents.group(state)]
        return [(one, edits) for one, edits in group if edits]

    def _notify(self, state: EditedDocument) -> None:
        """Report that the next edit is another one, in every file of the group."""
        for one in self._documents.group(state):
            if one.stamp is None:
                self._on_change(one.document.uri)

    # Other files.

    def _search_others(self, state: EditedDocument) -> None:
        """Search the workspace, if the last change renamed what others may import."""
        document = state.document
        root = next(
            (one for one in self._workspace.roots if path_in(document.uri, one)), None
        )
        changes = state.journal.changes
        if root is None or not changes or changes[-1].is_accepted:
            return
        source = EditedSource(document.snapshot().lines, document.language_id)
        path = path_in(document.uri, root) or ""
        with suppress(TooLongError):
            rename = exported_rename(source, changes[-1], path)
            if rename is not None:
                self._supervisor.start(
                    self._find_importing(state, changes[-1], rename, root),
                    name="find importing files",
                )

    async def _find_importing(
        self,
        state: EditedDocument,
        change: UserChange,
        rename: ExportedRename,
        root: str,
    ) -> None:
        search = ImportSearch(
            rename=rename,
            root=root,
            open_files=tuple(self._searched_files(root, rename)),
            open_uris=tuple(one.uri for one in self._workspace.documents),
        )
        try:
            found = await self._parser.run(FIND_IMPORTING_FILES, search)
        except ParserEndedError as error:
            logger.info("other files were not searched: %s", error.reason)
            return
        if not found or state.journal.changes[-1:] != (change,):
            return
        if not (state.has_cause and state.cause == change):
            self._begin(state, ())
        for file in found:
            self._offer_elsewhere(state, file)
        self._on_change(state.document.uri)

    def _searched_files(self, root: str, rename: ExportedRename) -> list[SearchedFile]:
        """Return the open documents that hold the old name."""
        files = [
            SearchedFile(
                uri=one.uri,
                path=path,
                language=one.language_id,
                lines=one.snapshot().lines,
            )
            for one in self._workspace.documents
            if (path := path_in(one.uri, root)) and self._may_offer(one)
        ]
        return [
            file for file in files if any(rename.old in line for line in file.lines)
        ]

    def _offer_elsewhere(self, root: EditedDocument, file: ImportingFile) -> None:
        if file.stamp is None:
            state = self._documents.at(file.uri)
            if state is None:
                return
        else:
            document = Document(
                uri=file.uri,
                language_id=file.language,
                version=0,
                text=file.text,
                encoding=self._workspace.encoding,
            )
            if not self._may_offer(document):
                return
            state = EditedDocument(document, stamp=file.stamp)
            self._documents.add_closed(state)
        state.begin_elsewhere(state.allowed(file.edits, _now()), root)


def _now() -> float:
    return asyncio.get_running_loop().time()
