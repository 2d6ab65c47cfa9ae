"""The findings that are shown, with their current places in all files of the workspace.

They follow the text of open documents at every keystroke. Slower work, such as
searching a whole text and notifying the editor, is batched and runs a moment later, so
that typing never waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import msgspec

from redline.assist.editor.workspace import Workspace
from redline.assist.review.change.reading import path_of
from redline.assist.review.shown.shown_files import (
    FileSighting,
    ShownFile,
    ShownFinding,
    search_disk,
    search_lines,
)
from redline.errors import StoreError, UnknownReviewError
from redline.findings.finding import Finding, FindingState
from redline.findings.following import ChangedLines
from redline.findings.review import Review
from redline.supervisor import Supervisor
from redline.text.anchor import Splice, line_splice, n_new_lines
from redline.text.document import Document
from redline.text.position import Range
from redline.text.uri import FileRename, path_in, renamed_uri

SETTLE_S = 0.1
"""How long a change may wait until it is shown: users perceive a tenth of a second as
immediate (J. Nielsen, Usability Engineering, 1993, section 5.5)."""

STORE_AGAIN_S = 5.0
"""Pause before a state that could not be stored is stored again."""

logger = logging.getLogger(__name__)


class StateKeeper(Protocol):
    """Stores the states of findings; see `Reviews`."""

    async def set_state(self, finding: Finding, state: FindingState) -> Finding:
        """Store a state; return the finding with it."""

    async def store_place(self, finding: Finding) -> None:
        """Store a finding whose file was renamed."""


class FindingView(msgspec.Struct, frozen=True, kw_only=True):
    finding: Finding
    """Its `state` follows from the current text, not from the store."""
    uri: str
    range: Range
    """In the client's units; the last known place of a stale finding."""


class ShownFindings:
    """Follows the workspace's documents, and the findings of all reviews."""

    def __init__(
        self,
        workspace: Workspace,
        keeper: StateKeeper,
        on_change: Callable[[str], None],
    ) -> None:
        """Follow the workspace; there are no findings yet."""
        self._workspace = workspace
        self._keeper = keeper
        self._on_change = on_change
        self._files: dict[str, ShownFile] = {}
        self._open: dict[str, ShownFile] = {}
        """The files of open documents, by URI."""
        self._file_of: dict[str, ShownFile] = {}
        """The files by the ids of their findings."""
        self._views: dict[str, tuple[FindingView, ...]] = {}
        self._due: dict[str, asyncio.TimerHandle] = {}
        self._settling: set[str] = set()
        self._unstored: dict[str, StoreError] = {}
        """Why the state of a finding could not be stored, by the finding's id."""
        self._roots = workspace.roots
        self._removed_roots: set[str] = set()
        """The folders that were in the workspace before."""
        self._supervisor = Supervisor()
        workspace.follow(self)

    # Queries.

    @property
    def uris(self) -> tuple[str, ...]:
        return tuple(file.uri for file in self._files.values())

    def in_file(self, uri: str) -> tuple[FindingView, ...]:
        """Return the open findings of a file: places and states as last published."""
        return tuple(view for view in self._newest(uri) if view.finding.state == "open")

    def views(self, review_id: str | None = None) -> tuple[FindingView, ...]:
        """Return all findings, or those of one review, in any state, file by file."""
        return tuple(
            view
            for uri in sorted(self._views)
            for view in self._newest(uri)
            if review_id in (None, view.finding.review_id)
        )

    def of_review(self, review_id: str) -> tuple[FindingView, ...]:
        views = self.views(review_id)
        return tuple(view for view in views if view.finding.state == "open")

    def _newest(self, uri: str) -> Iterator[FindingView]:
        """The published findings with what a review has added since, such as a fix."""
        for view in self._views.get(uri, ()):
            file = self._file_of.get(view.finding.id)
            if file is not None:
                newest = file.findings[view.finding.id].finding
                finding = msgspec.structs.replace(newest, state=view.finding.state)
                yield msgspec.structs.replace(view, finding=finding)

    def shown(self, finding_id: str) -> ShownFinding:
        """Find a finding by its id.

        Raises:
            UnknownReviewError: If there is none.
        """
        return self._file_with(finding_id).findings[finding_id]

    def uri_of(self, finding_id: str) -> str:
        """Return the URI of a finding's file.

        Raises:
            UnknownReviewError: If there is none.
        """
        return self._file_with(finding_id).uri

    def _file_with(self, finding_id: str) -> ShownFile:
        try:
            return self._file_of[finding_id]
        except KeyError:
            raise UnknownReviewError(f"There is no finding {finding_id!r}.") from None

    # Events of reviews.

    def load(self, findings: Iterable[Finding]) -> None:
        """Show findings of earlier runs of the server."""
        for finding in findings:
            self._show(finding)

    def review_changed(self, review: Review) -> None:
        """Do nothing: a review reports each finding by itself."""

    def finding_changed(self, review: Review, finding: Finding) -> None:
        if finding.state == "dismissed":
            self.finding_gone(review, finding.id)
        else:
            self._show(finding)

    def finding_gone(self, review: Review, finding_id: str) -> None:
        self._hide(finding_id)

    def fix_applied(self, finding_id: str, new_text: str) -> None:
        """Record that a finding's lines were replaced by those of its fix."""
        self.shown(finding_id).apply(new_text)
        self._changed(self._file_of[finding_id])

    def fix_offered(self, finding_id: str, new_text: str) -> None:
        """Record that the user may replace a finding's lines by those of its fix."""
        self.shown(finding_id).offer(new_text)
        self._changed(self._file_of[finding_id])

    # Events of the workspace.

    def document_opened(self, document: Document) -> None:
        """Follow a document if its file has findings."""
        file = self._files.get(_key(document.uri))
        if file is not None:
            self._attach(file, document)
            self._changed(file)

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Move the findings in a document; the cost depends only on the change."""
        file = self._open.get(document.uri)
        if file is None:
            return
        first = splice.old.start.line
        end = first + n_new_lines(splice, old_lines)
        new_lines = document.lines_between(first, end)
        lines = line_splice(splice, old_lines, new_lines)
        if file.follow(ChangedLines(lines, document)):
            self._changed(file)

    def document_changed(self, document: Document) -> None:
        """Do nothing: each splice is recorded."""

    def document_closed(self, document: Document) -> None:
        """Use the text on disk again."""
        file = self._open.pop(document.uri, None)
        if file is not None:
            file.closed()
            self._changed(file)

    def files_changed(self) -> None:
        """Search files on disk again after a change there."""
        for file in self._files.values():
            if file.document is None:
                file.is_read = False
                self._changed(file)

    def files_renamed(self, renames: Sequence[FileRename]) -> None:
        """Show the findings of files under the names that these have now."""
        for file in tuple(self._files.values()):
            new_uri = renamed_uri(file.uri, renames)
            if new_uri is None:
                continue
            for shown in tuple(file.findings.values()):
                finding = msgspec.structs.replace(shown.finding, uri=new_uri)
                self._hide(finding.id)
                self._show(finding)
                self._supervisor.start(
                    self._store_place(finding), name="store a finding's file"
                )

    def roots_changed(self) -> None:
        """Hide the findings of folders that were removed from the workspace.

        If one is added again, `load` gets its findings.
        """
        roots = self._workspace.roots
        self._removed_roots = (self._removed_roots | {*self._roots}) - {*roots}
        self._roots = roots
        for finding_id, file in tuple(self._file_of.items()):
            if self._is_removed(file.uri):
                self._hide(finding_id)

    async def aclose(self) -> None:
        """Stop following documents; idempotent."""
        self._open.clear()
        for timer in self._due.values():
            timer.cancel()
        await self._supervisor.aclose()

    async def settle(self, uri: str) -> None:
        """Search a file's lost quotes and publish its findings now."""
        key = _key(uri)
        timer = self._due.pop(key, None)
        if timer is not None:
            timer.cancel()
        if key in self._files:
            await self._settle(key)

    async def store_fixes(self, uri: str) -> None:
        """Settle a file, and store which of its findings are fixed.

        Raises:
            StoreError: If that cannot be stored now. They are shown as fixed, and that
                is stored again later.
        """
        await self.settle(uri)
        file = self._files.get(_key(uri))
        for finding_id, shown in file.findings.items() if file is not None else ():
            error = self._unstored.get(finding_id)
            if error is not None and shown.state == "fixed":
                raise type(error)(
                    f"The fix is applied, but that could not be stored: {error}",
                    remedy="Redline stores it again as long as it runs.",
                )

    async def settle_all(self) -> None:
        """Settle every file that has changed, or that is being searched."""
        for key in {*self._due, *self._settling}:
            if (file := self._files.get(key)) is not None:
                await self.settle(file.uri)

    # Settling: search, judge, publish and store, a moment after a change.

    def _show(self, finding: Finding) -> None:
        if self._is_removed(finding.uri):
            return
        file = self._file_of.get(finding.id)
        if file is not None:
            file.findings[finding.id].update(finding)
        else:
            file = self._file(finding.uri)
            file.findings[finding.id] = ShownFinding(finding)
            file.is_read = False
            self._file_of[finding.id] = file
        self._changed(file)

    def _hide(self, finding_id: str) -> None:
        file = self._file_of.pop(finding_id, None)
        self._unstored.pop(finding_id, None)
        if file is not None:
            del file.findings[finding_id]
            self._changed(file)

    def _is_removed(self, uri: str) -> bool:
        if self._workspace.root_of(uri) is not None:
            return False
        return any(path_in(uri, root) is not None for root in self._removed_roots)

    def _file(self, uri: str) -> ShownFile:
        key = _key(uri)
        file = self._files.get(key)
        if file is None:
            file = self._files[key] = ShownFile(uri)
            for document in self._workspace.documents:
                if _key(document.uri) == key:
                    self._attach(file, document)
        return file

    def _attach(self, file: ShownFile, document: Document) -> None:
        if file.uri != document.uri and self._views.pop(file.uri, ()):
            self._on_change(file.uri)
        file.opened(document)
        self._open[document.uri] = file

    def _changed(self, file: ShownFile, *, pause_s: float = SETTLE_S) -> None:
        key = _key(file.uri)
        loop = asyncio.get_running_loop()
        due = self._due.get(key)
        if due is not None and due.when() <= loop.time() + pause_s:
            return
        if due is not None:
            due.cancel()
        self._due[key] = loop.call_later(pause_s, self._begin_settling, key)

    def _begin_settling(self, key: str) -> None:
        self._due.pop(key, None)
        file = self._files.get(key)
        if file is None:
            return
        if key in self._settling:
            # The running search has begun with another text.
            self._changed(file)
        else:
            # Its views are out of date from now on, not from its first step.
            self._settling.add(key)
            self._supervisor.start(self._settle(key), name="settle findings")

    async def _settle(self, key: str) -> None:
        self._settling.add(key)
        try:
            file = self._files.get(key)
            if file is None:
                return
            await self._search(file)
            file.judge()
            self._publish(file)
            await self._keep(file)
        finally:
            self._settling.discard(key)

    async def _search(self, file: ShownFile) -> None:
        if not file.is_unsettled:
            return
        document, searches = file.document, file.searches()
        if document is None:
            sighting = await asyncio.to_thread(
                search_disk, searches, file.uri, self._workspace.encoding
            )
            is_current = file.document is None
        else:
            snapshot = document.snapshot()
            sighting = await asyncio.to_thread(
                search_lines, searches, snapshot.lines, snapshot.encoding
            )
            is_current = (
                file.document is document and document.version == snapshot.version
            )
        self._take(file, sighting, is_current=is_current)

    def _take(
        self, file: ShownFile, sighting: FileSighting, *, is_current: bool
    ) -> None:
        if is_current:
            file.sighted(sighting)
        else:
            # The text changed during the search, so it is searched again.
            self._changed(file)

    def _publish(self, file: ShownFile) -> None:
        views = tuple(
            FindingView(
                finding=msgspec.structs.replace(shown.finding, state=shown.state),
                uri=file.uri,
                range=shown.range,
            )
            for shown in file.findings.values()
            if shown.range is not None
        )
        if views != self._views.pop(file.uri, ()) or (views and file.is_touched):
            file.is_touched = False
            self._views[file.uri] = views
            self._on_change(file.uri)
        elif views:
            self._views[file.uri] = views
        if not file.findings:
            self._views.pop(file.uri, None)
            self._open.pop(file.uri, None)
            self._files.pop(_key(file.uri), None)

    async def _store_place(self, finding: Finding) -> None:
        try:
            await self._keeper.store_place(finding)
        except StoreError as exc:
            logger.warning("the new file of a finding is not stored: %s", exc)

    async def _keep(self, file: ShownFile) -> None:
        for shown in tuple(file.findings.values()):
            if shown.state != shown.finding.state:
                try:
                    shown.finding = await self._keeper.set_state(
                        shown.finding, shown.state
                    )
                except StoreError as exc:
                    # It is shown with this state anyway.
                    logger.warning("the state of a finding is not stored: %s", exc)
                    self._unstored[shown.finding.id] = exc
                    self._changed(file, pause_s=STORE_AGAIN_S)
                else:
                    self._unstored.pop(shown.finding.id, None)


def _key(uri: str) -> str:
    """Return a key for a file that does not depend on the spelling of its URI."""
    path = path_of(uri)
    return uri if path is None else str(path)
