"""Offers what follows from the user's last edit, once that edit has settled.

A keystroke is only recorded. The rules run when the user pauses, saves, or leaves the
changed lines. If they find nothing, a model is asked, if there is one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from redline.assist.context.recent_edits import RecentEdit
from redline.assist.editor.services import EditorServices
from redline.assist.privacy.timely_rules import TimelyRules
from redline.assist.suggestions.next_edits.edited_document import EditedDocument
from redline.assist.suggestions.next_edits.edited_documents import EditedDocuments
from redline.assist.suggestions.next_edits.model_edits import ModelEdits
from redline.assist.suggestions.next_edits.offered import FileEdits, OfferedEdit
from redline.assist.suggestions.next_edits.other_files import OtherFiles
from redline.assist.suggestions.next_edits.request_writer import NextEditWriter
from redline.assist.suggestions.next_edits.rule_search import (
    APPLY_RULES,
    RuleAnswer,
    RuleSearch,
    apply_rules,
)
from redline.assist.tiers.tier_choice import NextEditModels
from redline.assist.usage.automatic_usage_tally import AutomaticCounter
from redline.errors import ParserEndedError
from redline.next_edits.checks import allowed
from redline.next_edits.importers import ExportedRename
from redline.next_edits.memory import DismissReason
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.patches import PlacedPatch
from redline.next_edits.source import EditedSource, TooLongError
from redline.next_edits.together import as_one, n_steps, taken_together
from redline.settings.completion import NextEditSettings
from redline.store.automatic_usage import AutomaticCounts
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


Problems: TypeAlias = Callable[[Document, range], Sequence[tuple[int, str]]]
"""Takes a document and lines, and returns the line and the message of each problem."""


class NextEdits:
    """The next edits of all documents; follows the workspace."""

    def __init__(
        self,
        services: EditorServices,
        models: NextEditModels,
        *,
        on_change: Callable[[str], None] = lambda uri: None,
        is_edited: Callable[[str, int], bool] = lambda uri, line: False,
        is_completing: Callable[[str, int], bool] = lambda uri, line: False,
        recent_edits: Callable[[], Sequence[RecentEdit]] = tuple,
        problems: Problems = lambda document, lines: (),
        counter: AutomaticCounter | None = None,
    ) -> None:
        """Follow the workspace of an editor.

        Args:
            services: The services of the editor.
            models: The models to ask.
            on_change: Called with the URI when the next edit of a document changes.
            is_edited: Whether a line of a document is in the region of an edit of
                ours, whose changes are not the user's.
            is_completing: Whether a completion is shown in a line of a document.
            recent_edits: Returns the last edits of all documents, the newest last.
            problems: Returns what the editor reports in some lines of a document.
            counter: Counts requests, what is shown and accepted; None: a new one.
        """
        self.counter = counter or AutomaticCounter()
        self._workspace = services.workspace
        self._services = services
        self._on_change = on_change
        self._is_edited = is_edited
        self._is_completing = is_completing
        self._ignore_rules = TimelyRules()
        self._documents = EditedDocuments()
        self._other_files = OtherFiles(
            services, self._documents, may_offer=self._may_offer
        )
        writer = NextEditWriter(
            services.workspace,
            services.cache_key,
            self._ignore_rules,
            recent_edits=recent_edits,
            is_accepted=self._is_accepted,
            problems=problems,
        )
        self._models = models
        self.model = ModelEdits(services, models, writer, counter=self.counter)
        """The requests to a model."""
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._supervisor = Supervisor()
        services.workspace.follow(self)

    @property
    def _settings(self) -> NextEditSettings:
        return self._services.settings().next_edit

    async def aclose(self) -> None:
        """Cancel what waits."""
        await self.model.aclose()
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        await self._supervisor.aclose()

    async def found(self) -> None:
        """Wait until no other files are searched, and the model has answered."""
        await self._supervisor.wait()
        await self.model.answered()

    def settings_known(self) -> None:
        """Ask the model about the document that had to wait for the settings."""
        document = self.model.take_due()
        state = None if document is None else self._documents.at(document.uri)
        if state is not None:
            state.note_unanswered()
            self._ask_model(state)

    # Called by the workspace.

    def document_opened(self, document: Document) -> None:
        """Start to follow a document, in which something may be offered already."""
        if self._documents.open(document):
            self._on_change(document.uri)

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Keep a change: it is recorded when a completion's request was sent."""
        state = self._documents.at(document.uri)
        if state is not None:
            is_ours = self._is_edited(document.uri, splice.new.start.line)
            state.note_splice(splice, old_lines, is_ours=is_ours)

    def document_closed(self, document: Document) -> None:
        self._documents.close(document.uri)
        timer = self._timers.pop(document.uri, None)
        if timer is not None:
            timer.cancel()

    def document_changed(self, document: Document) -> None:
        """Handle the changes of one message: wait until the user pauses."""
        uri = document.uri
        self.model.changed(uri)
        state = self._documents.at(uri)
        if state is None:
            return
        by_model = state.is_by_model
        if n_accepted := state.record_splices(_now()):
            accepted = AutomaticCounts(accepted=n_accepted)
            self._count(state, accepted, by_model=by_model)
        if uri not in self._timers:
            self._wait(uri, SETTLE_S)
        if state.take_moved():
            self._on_change(uri)

    # Called for the editor.

    def next_edit(
        self,
        uri: str,
        cursor: Position | None,
        *,
        is_settled: bool,
        is_invoked: bool = False,
    ) -> OfferedEdit | None:
        """Return the next edit of a document, or else one in another file.

        Args:
            uri: The document.
            cursor: Where the user is; None: not known.
            is_settled: Whether the last change has settled, as the editor knows it.
            is_invoked: Whether the user asked for it: then the model is asked even if
                nothing has changed. What it answers is there after `found`.
        """
        state = self._documents.at(uri)
        if state is None:
            return None
        if cursor is not None:
            state.move(cursor)
        if is_settled:
            self._find(state, is_invoked=is_invoked)
        return self._offered(state)

    def offered(self, edit_id: str) -> OfferedEdit | None:
        """Return the edit with an id; None: it is not the next one any more."""
        state = self._documents.of_offer(edit_id)
        return None if state is None else self._offered(state)

    def _offered(self, state: EditedDocument) -> OfferedEdit | None:
        standing = self._standing(state)
        if not standing:
            return None
        head, edits = standing[0]
        return OfferedEdit(
            id=head.head_id,
            edit=as_one(taken_together(edits), head.document.lines),
            n_left=sum(n_steps(one) for _, one in standing) - 1,
            document=head.document,
            is_open=head.stamp is None,
        )

    def all_edits(self, uri: str) -> list[FileEdits]:
        """Return the next edits of a document, and those in other files after them."""
        return self._all_edits(self._documents.at(uri))

    def all_with(self, edit_id: str) -> list[FileEdits]:
        """Return the edit with an id and all that follow it."""
        return self._all_edits(self._documents.of_offer(edit_id))

    def _all_edits(self, state: EditedDocument | None) -> list[FileEdits]:
        if state is None:
            return []
        return [
            FileEdits(document=one.document, is_open=one.stamp is None, edits=edits)
            for one, edits in self._standing(state)
        ]

    def shown(self, edit_id: str) -> None:
        state = self._documents.of_offer(edit_id)
        if state is not None and not state.is_shown:
            state.note_shown()
            by_model = state.is_by_model
            shown = AutomaticCounts(shown=1, at_once=int(not by_model))
            self._count(state, shown, by_model=by_model)

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

    def _find(self, state: EditedDocument, *, is_invoked: bool = False) -> bool:
        """Run the rules on a change that they have not seen, and otherwise ask the
        model; return whether anything is offered now that was not before."""
        document = state.document
        if state.rejections.is_pausing(_now()) or not self._may_offer(document):
            return False
        if sum(map(len, document.snapshot().lines)) > _MAX_CHARS:
            return False
        if not state.take_new():
            self._ask_model(state, is_invoked=is_invoked)
            return False
        search = self._rule_search(state)
        try:
            answer = apply_rules(search)
        except TooLongError:
            self._supervisor.start(
                self._find_in_long(state, search, is_invoked=is_invoked),
                name="find next edits",
            )
            return False
        return self._take_answer(state, answer, is_invoked=is_invoked)

    async def _find_in_long(
        self, state: EditedDocument, search: RuleSearch, *, is_invoked: bool
    ) -> None:
        """Run the rules in a process."""
        answer = RuleAnswer()
        try:
            answer = await self._services.parser.run(APPLY_RULES, search)
        except ParserEndedError as error:
            logger.info("the rules did not come to an end: %s", error.reason)
        is_same = state.changes == search.changes
        if is_same and self._take_answer(state, answer, is_invoked=is_invoked):
            self._on_change(state.document.uri)

    def _take_answer(
        self, state: EditedDocument, answer: RuleAnswer, *, is_invoked: bool = False
    ) -> bool:
        """Offer what the rules found, search other files, and otherwise ask the model;
        return whether anything is offered now."""
        edits = state.allowed(answer.edits, _now())
        if edits:
            self._begin(state, edits)
        if answer.exported is not None:
            self._supervisor.start(
                self._find_importing(state, answer.exported, is_invoked=is_invoked),
                name="find importing files",
            )
        elif not edits:
            self._ask_model(state, is_invoked=is_invoked)
        return bool(edits)

    def _rule_search(self, state: EditedDocument) -> RuleSearch:
        document = state.document
        root = self._workspace.root_of(document.uri)
        return RuleSearch(
            lines=document.snapshot().lines,
            language=document.language_id,
            path="" if root is None else path_in(document.uri, root) or "",
            changes=state.changes,
            cursor=state.cursor,
            now_s=_now(),
            removes_imports=self._settings.remove_imports,
        )

    def _begin(self, state: EditedDocument, edits: Sequence[NextEdit]) -> None:
        self._documents.withdraw(state)
        state.begin(edits)

    def _may_offer(self, document: Document) -> bool:
        settings = self._settings
        if not settings.enabled or document.language_id in settings.off:
            return False
        roots = self._workspace.roots
        return self._ignore_rules.reason(document.uri, roots) is None

    def _standing(
        self, state: EditedDocument
    ) -> list[tuple[EditedDocument, tuple[NextEdit, ...]]]:
        """Return what is offered for a document, by file."""
        if state.rejections.is_pausing(_now()) or not self._settings.enabled:
            return []
        self._documents.drop_changed()
        group = [(one, one.standing()) for one in self._documents.group(state)]
        return [(one, edits) for one, edits in group if edits]

    def _notify(self, state: EditedDocument) -> None:
        """Report that the next edit is another one, in every file of the group."""
        for one in self._documents.group(state):
            if one.stamp is None:
                self._on_change(one.document.uri)

    async def _find_importing(
        self, state: EditedDocument, rename: ExportedRename, *, is_invoked: bool
    ) -> None:
        """Search the workspace for the uses of a renamed definition."""
        changes = state.changes
        if not changes:
            return
        found = await self._other_files.find(state.document, rename)
        if found is None or state.changes != changes:
            return
        if not found:
            self._ask_model(state, is_invoked=is_invoked)
            return
        if not (state.has_cause and state.cause == changes[-1]):
            self._begin(state, ())
        for file in found:
            if (other := self._other_files.state(file)) is not None:
                other.begin_elsewhere(other.allowed(file.edits, _now()), state)
        self._on_change(state.document.uri)

    # The model.

    def _ask_model(self, state: EditedDocument, *, is_invoked: bool = False) -> None:
        """Ask the model about a text that it has not seen, if nothing is offered."""
        uri, cursor = state.document.uri, state.cursor
        if cursor is None or cursor.line >= state.document.n_lines:
            return
        is_busy = state.journal.is_undone or self._is_completing(uri, cursor.line)
        if is_busy and not is_invoked:
            return
        if not (state.is_unseen or is_invoked) or self._standing(state):
            return
        # Asked here again: the rules may have taken some time.
        is_sent = self._may_offer(state.document) and self.model.ask(
            state,
            cursor,
            allowed=partial(self._allows, cursor_uri=uri),
            found=partial(self._take_patches, state),
        )
        if is_sent:
            state.note_asked()

    def _allows(self, patch: PlacedPatch, *, cursor_uri: str) -> bool:
        """Whether a patch undoes nothing, and was not rejected."""
        state, now_s = self._documents.at(patch.uri), _now()
        if state is None or not state.allowed([patch.edit], now_s):
            return False
        document = state.document
        source = EditedSource(document.snapshot().lines, document.language_id)
        cursor = state.cursor if patch.uri == cursor_uri else None
        changes = state.journal.changes
        return bool(allowed([patch.edit], source, changes, cursor, now_s))

    def _take_patches(
        self, state: EditedDocument, patches: Sequence[PlacedPatch]
    ) -> None:
        """Offer what the model has answered."""
        by_uri: dict[str, list[NextEdit]] = {state.document.uri: []}
        for patch in patches:
            by_uri.setdefault(patch.uri, []).append(patch.edit)
        for uri, edits in by_uri.items():
            other = self._documents.at(uri)
            if other is state:
                self._begin(state, edits)
            elif other is not None:
                other.begin_elsewhere(edits, state)
        self._on_change(state.document.uri)

    def _is_accepted(self, edit: RecentEdit) -> bool:
        """Whether an edit is an accepted offer, which may be changed again."""
        state = self._documents.at(edit.document.uri)
        return state is not None and any(
            change.is_accepted
            and change.first < edit.lines.stop
            and edit.lines.start < change.end
            for change in state.journal.changes
        )

    def _count(
        self,
        state: EditedDocument,
        counts: AutomaticCounts,
        *,
        by_model: bool,
    ) -> None:
        language = state.document.language_id
        model = self._models.next_editor(language) if by_model else None
        self.counter.add(model, counts)


def _now() -> float:
    return asyncio.get_running_loop().time()
