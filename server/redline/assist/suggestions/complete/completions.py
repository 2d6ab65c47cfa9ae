"""Answers the editor's requests for completions, and sends ours to the model.

A request to the model is sent when a key is read, before the editor requests anything;
it is kept as long as typing agrees with it. A request of the editor is answered at once
from what is there, or waits for a running reply. Nothing here raises.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from functools import partial

from redline.assist.context.recent_edits import RecentEdit
from redline.assist.editor.workspace import Workspace
from redline.assist.privacy.timely_rules import TimelyRules
from redline.assist.suggestions.complete.answer_wait import CHOICES_S, answer_wait_s
from redline.assist.suggestions.complete.completion_checks import CompletionChecks
from redline.assist.suggestions.complete.document_state import (
    CompletedDocument,
    Items,
    OpenRequest,
)
from redline.assist.suggestions.complete.edits_at_pause import EditsAtPause
from redline.assist.suggestions.complete.items import (
    PopupSelection,
    items_at,
    items_beside_popup,
)
from redline.assist.suggestions.complete.limits import Pause, RequestLimits
from redline.assist.suggestions.complete.nearby_at_pause import Nearby, NearbyAtPause
from redline.assist.suggestions.complete.reply_runner import ReplyRunner
from redline.assist.suggestions.complete.request_writer import CompletionWriter
from redline.assist.suggestions.complete.typed_change import cursor_after
from redline.assist.tiers.tier_choice import CompletionModels
from redline.assist.usage.automatic_usage_tally import AutomaticCounter
from redline.checks.edit_question import CheckedFolders
from redline.completion.filters import Insertion
from redline.completion.flight import Flight
from redline.completion.flights import MAX_CHOICES, Look
from redline.completion.gate import is_boundary, refusal
from redline.completion.place import Place
from redline.completion.predictor import predict_at
from redline.models.interface import Model
from redline.parsing.work import WorkRunner
from redline.settings.completion import CompletionSettings
from redline.store.automatic_usage import AutomaticCounts
from redline.text.anchor import Splice
from redline.text.document import Document
from redline.text.position import Position

MAX_CHARS = 2_000_000
"""Larger documents are data."""

_MAX_REPLIES = 256
"""Replies that are remembered for all documents."""


class Completions:
    """The completions of all documents; follows the workspace."""

    def __init__(
        self,
        workspace: Workspace,
        models: CompletionModels,
        settings: Callable[[], CompletionSettings],
        *,
        cache_key: str,
        parser: WorkRunner,
        folders: Callable[[], CheckedFolders | None] = lambda: None,
        on_ready: Callable[[Document], None] = lambda document: None,
        is_edited: Callable[[str, int], bool] = lambda uri, line: False,
        recent_edits: Callable[[], Sequence[RecentEdit]] = tuple,
        nearby: Nearby | None = None,
        counter: AutomaticCounter | None = None,
    ) -> None:
        """Follow a workspace.

        Args:
            workspace: The open documents.
            models: The models.
            settings: Returns the settings in force.
            cache_key: Routes requests to a provider's prompt cache.
            parser: Checks replies.
            folders: Returns what Python's imports are resolved with; None: they are
                not checked.
            on_ready: Called when a request that was answered would now be answered
                with more.
            is_edited: Whether a line of a document is in the region of an edit.
            recent_edits: Returns the last edits, the newest last.
            nearby: Knows code near a cursor; None: prompts do without.
            counter: Counts requests, what is shown and accepted; None: a new one.
        """
        self.counter = counter or AutomaticCounter()
        self.limits = RequestLimits()
        self._workspace = workspace
        self._models = models
        self._settings = settings
        self._on_ready = on_ready
        self._is_edited = is_edited
        self._writer = CompletionWriter(workspace, cache_key)
        self._runner = ReplyRunner(self.limits, self._progressed, self.counter)
        self._checks = CompletionChecks(
            workspace,
            parser,
            folders,
            lambda flight: self._progressed(flight, has_failed=False),
        )
        self._ignore_rules = TimelyRules()
        self._recent = EditsAtPause(workspace, recent_edits, self._ignore_rules)
        self._nearby = NearbyAtPause(workspace, nearby)
        self._documents: dict[str, CompletedDocument] = {}
        self._numbers = itertools.count(1)
        workspace.follow(self)

    @property
    def usd_today(self) -> float:
        """The known cost of the last 24 hours."""
        return self.limits.usd_today(_now())

    @property
    def pause(self) -> Pause:
        """Why no request is sent at the moment."""
        return self.limits.pause(self._settings(), _now())

    async def aclose(self) -> None:
        """Answer what is open, and end every reply."""
        for state in self._documents.values():
            state.answer(None)
        self._recent.close()
        self._nearby.close()
        await self._runner.aclose()
        await self._checks.aclose()

    # Called by the workspace.

    def document_opened(self, document: Document) -> None:
        """Start to follow a document."""
        self._documents[document.uri] = CompletedDocument(document)

    def document_spliced(
        self, document: Document, splice: Splice, old_lines: Sequence[str]
    ) -> None:
        """Record one change."""
        self._documents[document.uri].splice(splice, old_lines)

    def document_closed(self, document: Document) -> None:
        self._nearby.forget(document)
        if (state := self._documents.pop(document.uri, None)) is not None:
            state.answer(None)
            self._recent.forget(document)
            for flight in state.flights.running:
                self._runner.stop(flight)

    def document_changed(self, document: Document) -> None:
        """Handle the changes of one message: perhaps send before the editor asks."""
        state = self._documents[document.uri]
        now_s = _now()
        self._recent.note_key(now_s)
        change, is_accepted = state.settle_change(now_s)
        if is_accepted:
            self.counter.add(self._model(state), AutomaticCounts(accepted=1))
        if change is None:
            return
        at = cursor_after(change)
        self._nearby.note_cursor(document, at.line, now_s)
        if state.kind != "typed" or not state.expects_request(now_s):
            return
        if self._is_edited(state.document.uri, at.line):
            return
        place = state.place(at)
        if not self._may_complete(state, place, now_s):
            return
        look = self._look(state, at, now_s)
        if not (look.insertions or _is_answered(look, change.new)):
            self._send(state, at, place, now_s, inserted=change.new)

    # Called for the editor.

    def request(
        self,
        uri: str,
        at: Position,
        *,
        is_invoked: bool,
        selection: PopupSelection | None,
    ) -> Items | OpenRequest | None:
        """Answer a request at once, or open it.

        Args:
            uri: The document.
            at: The cursor, in code points.
            is_invoked: Whether the user asked for a completion.
            selection: The selected item of the popup.

        Returns:
            The items, perhaps none; or a request that calls back with them.
        """
        state = self._documents.get(uri)
        if state is None:
            return ()
        now_s = _now()
        state.answer(None)
        self._nearby.note_cursor(state.document, at.line, now_s)
        if not is_invoked:
            state.note_asked(at, now_s)
        if not self._is_allowed(state, is_invoked=is_invoked):
            return ()
        if self._is_edited(uri, at.line):
            return ()
        if selection is not None:
            return items_beside_popup(state, at, selection)
        place = state.place(at)
        look = self._look(state, at, now_s, is_invoked=is_invoked)
        n_wanted = MAX_CHOICES if is_invoked else 1
        if (
            len(look.insertions) >= n_wanted
            and not look.insertions[0].may_grow
            and set(self._checks.readiness(state, at, place, look)) == {"ready"}
        ):
            return self._show(state, at, look, now_s, is_at_once=True)
        if self._model(state) is None and not look.insertions:
            return self._predicted(state, at, place, now_s, is_invoked=is_invoked)
        request = OpenRequest(at, state.document.version, is_invoked=is_invoked)
        state.open(request)
        self._settle(state, is_first=True)
        return request.items if request.is_answered else request

    def cancel(self, uri: str, request: OpenRequest) -> None:
        """Forget a request that the editor cancelled; the replies run on."""
        state = self._documents.get(uri)
        if state is not None and state.request is request:
            state.answer(None)

    def dismissed(self, uri: str) -> None:
        """Record that the user does not want what is shown in a document."""
        if (state := self._documents.get(uri)) is not None:
            state.dismiss(_now())

    def is_showing(self, uri: str, line: int) -> bool:
        """Whether a text is shown in a line of a document."""
        state = self._documents.get(uri)
        return state is not None and state.is_showing(line)

    # Deciding.

    def _settle(self, state: CompletedDocument, *, is_first: bool = False) -> None:
        """Answer the open request, if it can be answered now."""
        request = state.request
        if request is None:
            return
        is_old = request.version != state.document.version
        if is_old or self._is_edited(state.document.uri, request.at.line):
            # The editor asks again for a new text; an edit may have begun here.
            state.answer(None if is_old else ())
            return
        now_s = _now()
        place = state.place(request.at)
        if request.is_invoked:
            self._settle_invoked(state, request, place, now_s, is_first=is_first)
            return
        look = self._look(state, request.at, now_s)
        if look.insertions:
            (ready,) = self._checks.readiness(state, request.at, place, look)
            wait_s = answer_wait_s(
                state, request, look, ready, calm=self._settings().calm, now_s=now_s
            )
            if wait_s > 0:
                request.wait(wait_s, partial(self._settle, state))
            elif ready != "unknown":
                items = self._show(state, request.at, look, now_s)
                state.answer(items)
            return
        inserted = place.left[-1:] if is_first else ""
        if _is_answered(look, inserted) and not look.is_pending:
            state.answer(())
            return
        if (
            self._may_complete(state, place, now_s)
            and request.may_send
            and self._send(state, request.at, place, now_s, inserted=inserted)
        ):
            request.note_sent()
            return
        if not look.is_pending:
            state.answer(())

    def _settle_invoked(
        self,
        state: CompletedDocument,
        request: OpenRequest,
        place: Place,
        now_s: float,
        *,
        is_first: bool,
    ) -> None:
        """Answer with several texts, when all have arrived or one has waited."""
        look = self._look(state, request.at, now_s, is_invoked=True)
        n_missing = MAX_CHOICES - len(look.insertions) if is_first else 0
        for _ in range(n_missing):
            self._send(state, request.at, place, now_s, inserted="", is_invoked=True)
        if n_missing:
            look = self._look(state, request.at, now_s, is_invoked=True)
        ready = self._checks.readiness(state, request.at, place, look)
        is_complete = not (
            look.is_pending
            or any(one.may_grow for one in look.insertions)
            or set(ready) - {"ready"}
        )
        if is_complete or (request.has_waited and set(ready) - {"unknown"}):
            look = look.only([each != "unknown" for each in ready])
            items = (
                self._show(state, request.at, look, now_s) if look.insertions else ()
            )
            state.answer(items)
        elif look.insertions:
            request.wait(CHOICES_S, partial(self._settle, state))

    def _look(
        self,
        state: CompletedDocument,
        at: Position,
        now_s: float,
        *,
        is_invoked: bool = False,
    ) -> Look:
        return state.look(
            at,
            is_invoked=is_invoked,
            comments=self._settings().in_comments,
            now_s=now_s,
        )

    def _is_allowed(self, state: CompletedDocument, *, is_invoked: bool) -> bool:
        settings = self._settings()
        if state.n_chars > MAX_CHARS or not self._models.is_ready:
            return False
        if is_invoked:
            return True
        return (
            settings.enabled
            and settings.calm != "manual"
            and state.document.language_id not in settings.off
        )

    def _may_complete(
        self, state: CompletedDocument, place: Place, now_s: float
    ) -> bool:
        """Whether something may be requested that the user did not ask for."""
        return (
            self._is_allowed(state, is_invoked=False)
            and not state.is_pausing(now_s)
            and refusal(place, comments=self._settings().in_comments) is None
        )

    def _model(self, state: CompletedDocument) -> Model | None:
        return self._models.completer(state.document.language_id)

    # Sending.

    def _send(
        self,
        state: CompletedDocument,
        at: Position,
        place: Place,
        now_s: float,
        *,
        inserted: str,
        is_invoked: bool = False,
    ) -> bool:
        """Send a request, if one is worth it and allowed; return whether it was."""
        boundary = is_boundary(inserted)
        may_send = is_invoked or state.flights.may_send(
            at.line,
            place,
            now_s=now_s,
            is_boundary=boundary,
            first_delta_s=self._runner.first_delta_s,
        )
        model = self._model(state)
        if not may_send or model is None:
            return False
        if not self.limits.may_send(self._settings(), now_s, is_boundary=boundary):
            return False
        document = state.document
        if self._is_ignored(document):
            state.flights.clear()
            return False
        written = self._writer.write(
            document,
            at.line,
            place,
            self._recent.texts(document, at.line),
            self._nearby.code(document),
            self._recent.secrets,
        )
        if written is None:
            return False
        for surplus in state.flights.surplus():
            self._runner.stop(surplus)
        number = next(self._numbers)
        flight = self._runner.start(model, written, number, at.line, place)
        state.flights.add(flight)
        self._drop_surplus()
        self.limits.note_sent(now_s)
        self.counter.add(model, AutomaticCounts(requests=1))
        return True

    def _is_ignored(self, document: Document) -> bool:
        roots = self._workspace.roots
        return self._ignore_rules.reason(document.uri, roots) is not None

    def _drop_surplus(self) -> None:
        """Forget old replies, first of the document that is unchanged for longest."""
        n_surplus = sum(len(one.flights) for one in self._documents.values())
        n_surplus -= _MAX_REPLIES
        if n_surplus <= 0:
            return
        for one in sorted(self._documents.values(), key=lambda one: one.key_s):
            while n_surplus > 0 and one.flights.drop_oldest():
                n_surplus -= 1

    def _progressed(self, flight: Flight, *, has_failed: bool) -> None:
        """Handle that a reply has more to show, or has ended."""
        for state in self._documents.values():
            if flight in state.flights:
                if has_failed and not flight.reply:
                    state.flights.remove(flight)
                    if state.request is not None:
                        state.request.give_up()
                self._settle(state)
                self._announce(state, flight)
                return

    def _announce(self, state: CompletedDocument, flight: Flight) -> None:
        """Report that the editor's last request would now be answered with more."""
        at = state.asked_at
        if at is None or state.request is not None or not flight.is_over:
            return
        if self._is_edited(state.document.uri, at.line):
            return
        place = state.place(at)
        look = self._look(state, at, _now())
        if look.flights != (flight,):
            return
        is_more = len(look.insertions[0].text) > len(state.answered_text)
        if is_more and self._checks.readiness(state, at, place, look) == ["ready"]:
            self._on_ready(state.document)

    # Answering.

    def _show(
        self,
        state: CompletedDocument,
        at: Position,
        look: Look,
        now_s: float,
        *,
        is_at_once: bool = False,
    ) -> Items:
        state.flights.note_shown(look, at.line)
        state.note_shown(look.insertions[0].text, at, now_s)
        shown = AutomaticCounts(shown=1, at_once=int(is_at_once))
        self.counter.add(self._model(state), shown)
        return items_at(state.document, at, look.insertions)

    def _predicted(
        self,
        state: CompletedDocument,
        at: Position,
        place: Place,
        now_s: float,
        *,
        is_invoked: bool,
    ) -> Items:
        """Answer without a model."""
        if place.right.strip() or (
            not is_invoked and not self._may_complete(state, place, now_s)
        ):
            return ()
        text = predict_at(state.document, at.line, place)
        if not text or state.refuses(text, at.line, now_s):
            return ()
        if self._is_ignored(state.document):
            return ()
        look = Look(insertions=(Insertion(text=text),))
        return self._show(state, at, look, now_s, is_at_once=True)


def _is_answered(look: Look, inserted: str) -> bool:
    """Whether the model has said all there is to show; what it wrote and was not worth
    showing is written again at the next token."""
    return look.is_answered or (look.is_cut and not is_boundary(inserted))


def _now() -> float:
    return asyncio.get_running_loop().time()
