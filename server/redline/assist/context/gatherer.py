"""Gathers context for edits ahead of time, so that it is ready when one is requested.

An indexer, in a separate process, reads the open documents and the workspace; recent
edits and diagnostics are recorded as they arrive. A request looks them up and does not
wait: what is missing is left out, and the next edit has it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import assert_never
from urllib.parse import quote

from msgspec import Struct, field

from redline.assist.actions.action import Diagnostic
from redline.assist.context.indexer_link import IndexerLink
from redline.assist.context.known_diagnostics import KnownDiagnostics
from redline.assist.context.messages import (
    Closed,
    Counts,
    FoundDefinitions,
    FromIndexer,
    Lines,
    Read,
    ReadingFile,
    Rescan,
    Roots,
    Scanned,
)
from redline.assist.context.open_documents import KnownDocument, OpenDocuments
from redline.assist.context.recent_edits import RecentEdit, RecentEdits
from redline.assist.context.secret_warmer import SecretWarmer
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.git_folders import Stamps
from redline.assist.privacy.ignore_rules import GONE
from redline.assist.privacy.timely_rules import TimelyRules
from redline.prompts.context import ContextItem
from redline.prompts.signatures import signature_items, syntax_context
from redline.prompts.tokens import TokenCounter
from redline.text.anchor import Splice
from redline.text.document import Document
from redline.text.lines import with_line_feeds

_MAX_RELATED = 2
"""Open files that are shown; more would only distract."""

_RELATED_N_LINES = 60
"""Length of the shown beginning of each: imports and first definitions."""

_MAX_SIGNATURES = 24

_RESCAN_PAUSE_S = 1.0
"""Switching branches changes files over some time."""


class Gathered(Struct, frozen=True, kw_only=True):
    """The context of one edit, as known at some moment."""

    items: tuple[ContextItem, ...]
    uris: frozenset[str]
    """The other files that the items show something of."""
    hidden: frozenset[str]
    """Files that would have been shown, but must not be."""
    state: int
    """Changes whenever something new is learned."""


class NearCursor(Struct, frozen=True, kw_only=True):
    """Code near a cursor that is not around it."""

    signatures: tuple[ContextItem, ...] = ()
    """What encloses the shown lines, and what they and the rest of the file call."""
    related: tuple[Document, ...] = ()
    """Open documents, the most related first."""
    uris: tuple[str, ...] = ()
    """The files of both."""


class _Looked(Struct, frozen=True):
    """The ignore rules as read during one request."""

    stamps: Stamps = field(default_factory=dict)
    uris: set[str] = field(default_factory=set)
    """Files that may be shown."""
    hidden: set[str] = field(default_factory=set)
    """Files that must not be shown."""


class ContextGatherer:
    """The context of one editor's documents."""

    def __init__(self, workspace: Workspace, counter: TokenCounter) -> None:
        self.is_indexing = False
        """Whether the workspace's files are being read for the first time."""
        self.on_change: Callable[[], None] = lambda: None
        """Called when `is_indexing` changes."""
        self._workspace = workspace
        self._counter = counter
        self._ignore_rules = TimelyRules()
        self._indexer = IndexerLink(
            on_message=self._take,
            on_start=self._send_all,
            on_end=lambda: self._set_indexing(is_indexing=False),
        )
        self._documents = OpenDocuments(
            self._indexer.say,
            path_of=workspace.relative_path,
            may_read=lambda uri: self._may_show(uri, _Looked()),
            is_inside=self._is_inside,
        )
        self._edits = RecentEdits()
        self._diagnostics = KnownDiagnostics()
        self._warmer = SecretWarmer()
        self._is_wanted = False
        self._has_indexed = asyncio.Event()
        self._has_indexed.set()
        self._state = 0
        self._rescan: asyncio.TimerHandle | None = None
        workspace.follow(self)

    @property
    def pid(self) -> int | None:
        """The indexer's process id while there is one."""
        return self._indexer.pid

    def begin(self) -> None:
        """Start to read, since a model is configured that can use it. Idempotent."""
        self._is_wanted = True
        if self._workspace.documents:
            self._start()

    async def indexed(self) -> None:
        """Wait until the workspace's files are read, or will not be."""
        await self._has_indexed.wait()

    async def aclose(self) -> None:
        """End the indexer and forget everything."""
        self._is_wanted = False
        self._documents.close_all()
        self._warmer.close()
        if self._rescan is not None:
            self._rescan.cancel()
            self._rescan = None
        await self._indexer.aclose()

    def note_diagnostics(
        self, uri: str, version: int, diagnostics: Sequence[Diagnostic]
    ) -> None:
        """Replace the diagnostics of a document by those that came with a request.

        Args:
            uri: The document's.
            version: The version that their ranges refer to, in code points.
            diagnostics: All that the editor sent; may be empty.
        """
        if self._diagnostics.note(uri, version, diagnostics):
            self._state += 1

    def files_changed(self) -> None:
        """Schedule another scan of the workspace's files; many may change at once."""
        if self._rescan is None and self._is_wanted:
            loop = asyncio.get_running_loop()
            self._rescan = loop.call_later(_RESCAN_PAUSE_S, self._look_again)

    def roots_changed(self) -> None:
        """Scan the new workspace folders from now on."""
        self._state += 1
        if self._indexer.pid is not None:
            self._send_all()

    def learn(self, text: str) -> None:
        """Have the indexer count the lines of a text that have no token count yet."""
        if unknown := self._counter.unknown(text):
            self._indexer.say(Lines(lines=tuple(unknown)))

    def gather(self, document: Document, *, target: range, shown: range) -> Gathered:
        """Look up the context of an edit.

        Args:
            document: The current document.
            target: The lines of the range.
            shown: The lines that the prompt shows, including the range.
        """
        # Files may have become ignored since they were read, so each is checked again.
        looked = _Looked()
        items = self._items_of_edits(document, looked)
        items += self._diagnostics_in(document, target)
        known = self._documents.find(document)
        if known is not None:
            items += self._of_syntax(known, target, shown, looked)
            items += self._related(known, looked)
        # The caller checks the document itself before sending anything of it.
        others = frozenset(looked.uris) - {document.uri}
        return Gathered(
            items=tuple(items),
            uris=others,
            hidden=frozenset(looked.hidden),
            state=self._state,
        )

    def near_cursor(self, document: Document, *, shown: range) -> NearCursor | None:
        """Look up code near a cursor.

        Args:
            document: The current document.
            shown: The lines of it that are shown in any case.

        Returns:
            None while the document or the workspace is being read for the first time.
        """
        known = self._documents.find(document)
        if known is None or known.version is None or self.is_indexing:
            return None
        looked = _Looked()
        outline, then = known.outline, known.then(shown)
        path = self._workspace.relative_path(document.uri)
        everywhere = outline.called_in(range(then.stop + document.n_lines))
        names = dict.fromkeys((*outline.called_in(then), *everywhere))
        found = signature_items(names, known.found, path=path, shown=then)
        allowed = self._paths_to_show(found, path, looked)
        open_ones = (self._documents.open_at(uri) for uri, _ in known.related)
        return NearCursor(
            signatures=(
                *syntax_context(outline, path, target=then, shown=then),
                *[each for each in found if each.path in allowed][:_MAX_SIGNATURES],
            ),
            related=tuple(
                one
                for one in open_ones
                if one is not None and self._may_show_beside(one.uri, looked)
            )[:_MAX_RELATED],
            uris=tuple(looked.uris),
        )

    def may_show_all(self, uris: Iterable[str]) -> bool:
        """Whether none of these files has become ignored."""
        looked = _Looked()
        return all(self._may_show(uri, looked) for uri in uris)

    def recent_edits(self) -> Sequence[RecentEdit]:
        """Return the last edits of the open documents, the newest last."""
        return self._edits.recall()

    def problems_in(self, document: Document, lines: range) -> list[tuple[int, str]]:
        """Return the known problems in some lines: the line and the message of each."""
        version, diagnostics = self._diagnostics.recall(document.uri)
        if not diagnostics:
            return []
        then = self._documents.shifts(document).back_range(lines, version)
        return [
            (lines.start + line - then.start, one.message)
            for one in diagnostics
            if (line := one.range.start.line) in then
        ]

    def still_holds(self, gathered: Gathered) -> bool:
        """Whether gathering again would give the same, for an unchanged document."""
        looked = _Looked()
        return (
            gathered.state == self._state
            and all(self._may_show(uri, looked) for uri in gathered.uris)
            and not any(self._may_show(uri, looked) for uri in gathered.hidden)
        )

    # Changes of the workspace.

    def document_opened(self, document: Document) -> None:
        """Start to follow a document; see `WorkspaceFollower`."""
        self._state += 1
        self._documents.open(document)
        if self._is_wanted:
            self._start()

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        self._state += 1
        self._documents.spliced(document, splice)
        self._edits.note(document, splice, old_lines)

    def document_changed(self, document: Document) -> None:
        """Do nothing: each splice is recorded."""

    def document_closed(self, document: Document) -> None:
        self._state += 1
        self._documents.close(document)
        self._edits.forget(document)
        self._diagnostics.forget(document.uri)
        self._indexer.say(Closed(uri=document.uri))

    # Gathering.

    def _of_syntax(
        self, known: KnownDocument, target: range, shown: range, looked: _Looked
    ) -> list[ContextItem]:
        path = self._workspace.relative_path(known.document.uri)
        then, shown_then = known.then(target), known.then(shown)
        signatures = signature_items(
            known.outline.called_in(then), known.found, path=path, shown=shown_then
        )
        allowed = self._paths_to_show(signatures, path, looked)
        return [
            *syntax_context(known.outline, path, target=then, shown=shown_then),
            *[x for x in signatures if x.path in allowed][:_MAX_SIGNATURES],
        ]

    def _related(self, known: KnownDocument, looked: _Looked) -> list[ContextItem]:
        """Return the beginnings of the open documents most related to a document.

        Related to the document, not to the range: they come first in the prompt and so
        stay the same from one edit to the next.
        """
        items: list[ContextItem] = []
        for uri, weight in known.related:
            document = self._documents.open_at(uri)
            if document is None or not self._may_show_beside(uri, looked):
                continue
            items.append(
                ContextItem(
                    kind="open-file",
                    source=self._workspace.relative_path(uri),
                    text=_beginning(document),
                    relevance=weight,
                )
            )
        return items[:_MAX_RELATED]

    def _items_of_edits(self, document: Document, looked: _Looked) -> list[ContextItem]:
        return [
            ContextItem(
                kind="recent-edit",
                source=self._workspace.relative_path(edit.document.uri),
                text=edit.text,
                # The newest are chosen first; they are shown in the order given.
                relevance=float(number),
            )
            for number, edit in enumerate(self._edits.recall())
            if (
                edit.document is document
                or self._may_show_beside(edit.document.uri, looked)
            )
        ]

    def _diagnostics_in(self, document: Document, target: range) -> list[ContextItem]:
        version, diagnostics = self._diagnostics.recall(document.uri)
        if not diagnostics:
            return []
        then = self._documents.shifts(document).back_range(target, version)
        by_source: dict[str, list[str]] = {}
        for one in diagnostics:
            first, last = one.range.start.line, one.range.end.line
            if last >= then.start and first < max(then.stop, then.start + 1):
                written = _written(one, first - then.start)
                by_source.setdefault(one.source or "editor", []).append(written)
        return [
            ContextItem(kind="diagnostic", source=source, text="\n".join(lines))
            for source, lines in by_source.items()
        ]

    def _paths_to_show(
        self, signatures: Sequence[ContextItem], own: str, looked: _Looked
    ) -> set[str]:
        """Return the files whose signatures may be shown in a prompt for one of them.

        The caller checks that one.
        """
        others = {item.path for item in signatures} - {own}
        return {own} | {path for path in others if self._may_show_path(path, looked)}

    def _may_show_path(self, path: str, looked: _Looked) -> bool:
        """Whether a file may be shown, in all roots where there is one."""
        roots = self._workspace.roots
        uris = [f"{root.rstrip('/')}/{quote(path)}" for root in roots]
        reasons = {self._look(uri, looked) for uri in uris}
        return None in reasons and reasons <= {None, GONE}

    def _is_inside(self, uri: str) -> bool:
        return self._ignore_rules.is_inside(uri, self._workspace.roots)

    def _may_show_beside(self, uri: str, looked: _Looked) -> bool:
        """Whether a file may be shown with an edit of another one."""
        return self._is_inside(uri) and self._may_show(uri, looked)

    def _may_show(self, uri: str, looked: _Looked) -> bool:
        return self._look(uri, looked) is None

    def _look(self, uri: str, looked: _Looked) -> str | None:
        """Return why a file must not be shown; record the answer."""
        reason = self._ignore_rules.reason(
            uri,
            self._workspace.roots,
            stamps=looked.stamps,
            # What is known of a file that is not open was read from it, some time ago.
            must_exist=self._documents.open_at(uri) is None,
        )
        if reason is None:
            looked.uris.add(uri)
        elif reason != GONE:
            looked.hidden.add(uri)
        return reason

    # Messages from and to the indexer.

    def _send_all(self) -> None:
        """Send the indexer the roots and all documents."""
        self._indexer.say(self._roots_now())
        self._documents.begin()

    def _roots_now(self) -> Roots:
        return Roots(uris=self._workspace.roots, without=self._indexer.endless)

    def _start(self) -> None:
        if self._indexer.start():
            self._set_indexing(is_indexing=True)

    def _look_again(self) -> None:
        self._rescan = None
        self._indexer.say(Rescan())

    def _set_indexing(self, *, is_indexing: bool) -> None:
        self.is_indexing = is_indexing
        if is_indexing:
            self._has_indexed.clear()
        else:
            self._has_indexed.set()
        self.on_change()

    def _take(self, message: FromIndexer) -> None:
        match message:
            case Read():
                self._state += 1
                known = self._documents.take_read(message)
                if known is not None:
                    path = self._workspace.relative_path(message.uri)
                    self._warmer.warm(known.document.snapshot().lines, path)
            case FoundDefinitions():
                self._state += 1
                self._documents.take_found(message)
            case Counts():
                self._counter.learn(message.counts)
            case Scanned():
                self._set_indexing(is_indexing=False)
            case ReadingFile():
                pass  # The link follows these.
            case _:
                assert_never(message)


def _beginning(document: Document) -> str:
    return with_line_feeds(document.snapshot().lines[:_RELATED_N_LINES])


def _written(diagnostic: Diagnostic, line: int) -> str:
    code = f" [{diagnostic.code}]" if diagnostic.code else ""
    message = " ".join(diagnostic.message.split())
    return f"Line {max(line, 0) + 1} of the range: {message}{code}"
