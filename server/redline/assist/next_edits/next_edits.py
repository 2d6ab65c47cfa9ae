"""Offers what follows from the user's last edit, once that edit has settled.

A keystroke is only recorded. The rules run when the user pauses, saves, or leaves the
changed lines; nothing is sent to a model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from msgspec import Struct

from redline.assist.next_edits.edited_document import EditedDocument
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.assist.workspace import Workspace
from redline.next_edits.memory import DismissReason
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.rules import find_next_edits
from redline.settings.completion import NextEditSettings
from redline.text.anchor import Splice
from redline.text.document import Document
from redline.text.position import Position

SETTLE_S = 0.35
"""A change has settled after this long without a key."""

_MAX_CHARS = 2_000_000
"""Larger documents are data."""


class OfferedEdit(Struct, frozen=True):
    """The next edit of a document."""

    id: str
    edit: NextEdit
    n_left: int
    """How many follow it."""


class NextEdits:
    """The next edits of all documents; follows the workspace."""

    def __init__(
        self,
        workspace: Workspace,
        settings: Callable[[], NextEditSettings],
        *,
        on_change: Callable[[str], None] = lambda uri: None,
        is_edited: Callable[[str, int], bool] = lambda uri, line: False,
    ) -> None:
        """Follow a workspace.

        Args:
            workspace: The open documents.
            settings: Returns the settings in force.
            on_change: Called with the URI when the next edit of a document changes.
            is_edited: Whether a line of a document is in the region of an edit of
                ours, whose changes are not the user's.
        """
        self._workspace = workspace
        self._settings = settings
        self._on_change = on_change
        self._is_edited = is_edited
        self._ignore_rules = IgnoreRules()
        self._documents: dict[str, EditedDocument] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        workspace.follow(self)

    async def aclose(self) -> None:
        """Cancel what waits."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    # Called by the workspace.

    def document_opened(self, document: Document) -> None:
        """Start to follow a document."""
        self._documents[document.uri] = EditedDocument(document)

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Record one change."""
        is_ours = self._is_edited(document.uri, splice.new.start.line)
        self._documents[document.uri].splice(splice, old_lines, _now(), is_ours=is_ours)

    def document_closed(self, document: Document) -> None:
        """Release a document."""
        self._documents.pop(document.uri, None)
        timer = self._timers.pop(document.uri, None)
        if timer is not None:
            timer.cancel()

    def document_changed(self, document: Document) -> None:
        """Handle the changes of one message: wait until the user pauses."""
        uri = document.uri
        state = self._documents[uri]
        if uri not in self._timers:
            self._wait(uri, SETTLE_S)
        if state.take_moved():
            self._on_change(uri)

    # Called for the editor.

    def next_edit(
        self, uri: str, cursor: Position | None, *, is_settled: bool
    ) -> OfferedEdit | None:
        """Return the next edit of a document.

        Args:
            uri: The document.
            cursor: Where the user is; None: not known.
            is_settled: Whether the last change has settled, as the editor knows it.
        """
        state = self._documents.get(uri)
        if state is None:
            return None
        if cursor is not None:
            state.move(cursor)
        if is_settled:
            self._find(state)
        return self._offered(state)

    def all_edits(self, uri: str) -> tuple[NextEdit, ...]:
        """Return the next edits of a document, the next one first."""
        state = self._documents.get(uri)
        return () if state is None else self._standing(state)

    def shown(self, edit_id: str) -> None:
        """Record that an edit is shown."""
        state = self._state_of(edit_id)
        if state is not None:
            state.note_shown()

    def accepted(self, edit_id: str) -> None:
        """Record that the editor has carried out an edit."""
        state = self._state_of(edit_id)
        if state is not None:
            state.remove_head()
            self._on_change(state.document.uri)

    def dismissed(self, edit_id: str, reason: DismissReason) -> None:
        """Record that an edit was not taken; a rejection withdraws those after it."""
        state = self._state_of(edit_id)
        if state is not None:
            state.dismiss(reason, _now())
            self._on_change(state.document.uri)

    # Finding.

    def _wait(self, uri: str, wait_s: float) -> None:
        loop = asyncio.get_running_loop()
        self._timers[uri] = loop.call_later(wait_s, self._settle, uri)

    def _settle(self, uri: str) -> None:
        """Run the rules if the user has paused long enough."""
        self._timers.pop(uri, None)
        state = self._documents.get(uri)
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
        if not settings.enabled or document.language_id in settings.off:
            return False
        if self._ignore_rules.reason(document.uri, self._workspace.roots) is not None:
            return False
        lines = document.lines_between(0, document.n_lines)
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
        edits = [
            one for one in found if not state.rejections.refuses(one, lines, now_s)
        ]
        return state.begin(edits)

    def _offered(self, state: EditedDocument) -> OfferedEdit | None:
        edits = self._standing(state)
        return OfferedEdit(state.head_id, edits[0], len(edits) - 1) if edits else None

    def _standing(self, state: EditedDocument) -> tuple[NextEdit, ...]:
        if state.rejections.is_pausing(_now()) or not self._settings().enabled:
            return ()
        return state.standing()

    def _state_of(self, edit_id: str) -> EditedDocument | None:
        return next(
            (one for one in self._documents.values() if one.head_id == edit_id), None
        )


def _now() -> float:
    return asyncio.get_running_loop().time()
