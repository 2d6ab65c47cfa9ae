"""Edits: one instruction on one range, from the command to the document.

`Edits` is what the editor's side calls: it opens sessions, and stops and answers the
running ones. `redirects.py` gives them other instructions, `runner.py` runs them. A
command that opens a session is answered when the session is applied, offered, held or
over, whichever side ended it; the session itself does not depend on a waiting caller.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.edit.document.applier import Applier
from redline.assist.edit.document.document_changes import DocumentChanges
from redline.assist.edit.document.offer_answers import OfferAnswers
from redline.assist.edit.document.rejected_offers import RejectedOffer, RejectedOffers
from redline.assist.edit.document.stale_imports import StaleImports
from redline.assist.edit.document.undo import AppliedEdits
from redline.assist.edit.prompt.next_prompt import NextPrompt
from redline.assist.edit.prompt.prompt_writer import PromptWriter
from redline.assist.edit.redirects import Redirects
from redline.assist.edit.running.router import Router
from redline.assist.edit.running.runner import Runner
from redline.assist.edit.session.edit_ranges import (
    edit_target_of,
    follow_instructions,
    with_instructions,
)
from redline.assist.edit.session.lifecycle import StopReason
from redline.assist.edit.session.result import (
    EditRequest,
    EditResult,
    FinishWriting,
    OfferProgress,
    with_tags,
)
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import Step
from redline.assist.editor.services import EditorServices
from redline.errors import (
    InvalidArgumentsError,
    UnknownSessionError,
)
from redline.routing.tag import unknown_tag
from redline.supervisor import Supervisor
from redline.text.document import Document, Snapshot
from redline.text.position import Position, Range
from redline.text.region import widen
from redline.text.uri import FileRename

MAX_WAITING = 64
"""Most offers that wait for an answer; beyond it the oldest is rejected."""

_CLOSE_LIMIT_S = 1.0


class PendingOutcome(Struct, frozen=True):
    session: EditSession
    answer: asyncio.Future[EditResult]

    def cancel(self) -> None:
        """Stop the session, unless its edit is on its way or another caller waits."""
        if self.session.lifecycle.drop(self.answer):
            self.session.stopping.stop("cancelled")

    async def outcome(self) -> EditResult:
        """Wait until the session is applied, offered, held or over.

        Cancelling is safe: the session is stopped, unless its edit is already on its
        way to the editor; then the edit finishes without the caller.

        Raises:
            HeldBackError: If the document must not be sent to a model.
            ModelError: If no tier could answer; the document is as it was.
            EditNotLandedError: If the editor did not apply the edit.
        """
        try:
            return await self.answer
        except asyncio.CancelledError:
            # Cancelling the task cancels its future; no other caller waits for it.
            self.cancel()
            raise


class Edits:
    """The edit sessions of one editor."""

    def __init__(
        self,
        services: EditorServices,
        *,
        tasks: PromptWriter,
        on_change: Callable[[EditSession], None] = lambda session: None,
    ) -> None:
        self._workspace = services.workspace
        self._editor = services.editor
        self._tiers = services.tiers
        self._on_change = on_change
        self._supervisor = Supervisor()
        self._applier = Applier(services, self._supervisor)
        self._applied = AppliedEdits(self._workspace, self._applier)
        stale_imports = StaleImports(lambda: self.sessions)
        self._tasks = tasks
        self._router = Router(services)
        self._runner = Runner(
            services,
            tasks=tasks,
            applier=self._applier,
            supervisor=self._supervisor,
            take_over=self._take_over,
            router=self._router,
            stale_imports=stale_imports,
        )
        self.redirects = Redirects(
            services, tasks=tasks, router=self._router, runner=self._runner
        )
        self._answers = OfferAnswers(self._applier, self._supervisor, stale_imports)
        self._rejected = RejectedOffers()
        self._sessions: dict[str, EditSession] = {}

    @property
    def sessions(self) -> tuple[EditSession, ...]:
        """The sessions that are not over, oldest first."""
        return tuple(self._sessions.values())

    def covers(self, uri: str, line: int) -> bool:
        """Whether a line is in the region of a session that is not over."""
        return any(
            session.request.uri == uri and session.edit_target.covers(line)
            for session in self._sessions.values()
        )

    def open(
        self, request: EditRequest, *, finish: FinishWriting | None = None
    ) -> PendingOutcome:
        """Begin an edit, or continue a draft whose instruction is still being typed.

        From now on the session can be stopped, and it follows its text.

        Args:
            request: What to do.
            finish: Waits for the edit if it is written elsewhere.

        Raises:
            InvalidArgumentsError: If there is no instruction, or the id is in use.
            UnknownDocumentError: If the document is not open.
        """
        request = with_tags(request, self._tiers.names)
        own = [each.instruction.strip() for each in request.ranges]
        if not request.instruction.strip() and not (own and all(own)):
            raise InvalidArgumentsError("The instruction is empty.")
        session = self._sessions.get(request.session_id)
        if session is None:
            session = self._open(request)
            asked = _ask(session)
            self._runner.start(session, finish)
            return asked
        if not session.is_draft:
            raise InvalidArgumentsError("A session with this sessionId is running.")
        follow_instructions(session.edit_target, request)
        request = with_instructions(request, session.edit_target)
        asked = _ask(session)
        self.redirects.type_on(session, request)
        return asked

    def prepare(self, uri: str, selection: Range) -> None:
        """Prepare, soon, what an edit of a range would need, before one is requested.

        Raises:
            UnknownDocumentError: If the document is not open.
        """
        document = self._workspace.document(uri)
        snapshot = document.snapshot()
        # The current request is answered first.
        asyncio.get_running_loop().call_soon(
            self._prepare, document, snapshot, selection
        )

    async def next_prompt(self, request: EditRequest, *, n_images: int) -> NextPrompt:
        """Describe the prompt that a request would begin with; nothing is sent.

        Args:
            request: What would be asked for; its instruction may be empty.
            n_images: Images that are attached.

        Raises:
            AttachmentError: If a file that it names cannot be sent.
            HeldBackError: If one, or the document, must not be sent.
            InvalidArgumentsError: If there are too many ranges.
            UnknownDocumentError: If the document is not open.
        """
        request = with_tags(request, self._tiers.names)
        document = self._workspace.document(request.uri)
        edit_target = edit_target_of(document, request)
        try:
            request = with_instructions(request, edit_target)
            route = self._router.route_for(
                request, edit_target, request.instruction, has_images=n_images > 0
            )
            tier = route.tier
            model = self._tiers.choose(tier, route.model).model.describe()
            if model.is_model:
                await self._router.refuse_ignored(request.uri)
            found = await self._tasks.next_prompt(
                request, edit_target, tier=tier, model=model, n_images=n_images
            )
            return replace(found, assumes=(*found.assumes, *_unknown(request)))
        finally:
            edit_target.release()

    async def edit(self, request: EditRequest) -> EditResult:
        return await self.open(request).outcome()

    def stop(
        self,
        *,
        session_id: str | None = None,
        uri: str | None = None,
        why: StopReason = "asked",
    ) -> list[str]:
        """Stop one session, those of a document, or all; returns the stopped ids."""
        return [
            session.id
            for session in self.sessions
            if session_id in (None, session.id) and uri in (None, session.request.uri)
            if session.stopping.stop(why)
        ]

    async def accept(
        self, session: EditSession, hunk_ids: Collection[int] | None
    ) -> OfferProgress:
        """Apply an offer, or some of its hunks.

        While it is being written, single hunks that have settled are applied at once;
        the whole offer is applied when it is done.

        Raises:
            InvalidArgumentsError: If none of the hunks can be accepted.
            EditNotLandedError: If the editor did not apply the edit; the offer stays.
        """
        return await self._answers.accept(session, hunk_ids)

    def reject(
        self, session_id: str, hunk_ids: Collection[int] | None
    ) -> OfferProgress:
        """Reject an edit, or some of its hunks, offered or still being written.

        Raises:
            UnknownSessionError: If there is no such session.
        """
        return self._answers.reject(self.session(session_id), hunk_ids)

    def next_candidate(self, session_id: str) -> EditSession:
        """Show the next candidate of a session, the best one after the last.

        Raises:
            UnknownSessionError: If there is no such session.
        """
        session = self.session(session_id)
        session.acceptance.next_candidate()
        return session

    def bring_back(
        self,
        uri: str,
        *,
        session_id: str,
        progress_token: str | int | None,
        stored: tuple[RejectedOffer, Range] | None = None,
    ) -> PendingOutcome:
        """Offer the last rejected or dropped offer of a document again.

        Args:
            uri: An open document.
            session_id: The id of the new session.
            progress_token: Reports its progress.
            stored: An offer that the editor has stored, and its place, instead.

        Raises:
            InvalidArgumentsError: If there is none, its text has changed since, the id
                is in use, or the editor has no preview.
            UnknownDocumentError: If the document is not open.
        """
        if not self._editor.traits.has_preview:
            raise InvalidArgumentsError("This editor has no preview to show it in.")
        if session_id in self._sessions:
            raise InvalidArgumentsError("A session with this sessionId is running.")
        snapshot = self._workspace.document(uri).snapshot()
        if stored is not None:
            self._rejected.forget(uri)
        offer, place = stored or self._rejected.take(snapshot)
        request = EditRequest(
            session_id=session_id,
            uri=uri,
            range=place,
            instruction=offer.instruction,
            apply="preview",
            progress_token=progress_token,
        )
        session = self._open(request)
        asked = _ask(session)
        self._rejected.resume(session, offer)
        self._runner.recall(session, offer)
        return asked

    async def take_back(self, session_id: str) -> None:
        """Restore the text from before an applied session.

        Raises:
            UnknownSessionError: If no such session was applied recently.
            EditNotLandedError: If the text was changed since, or the editor refused.
        """
        work = partial(self._applied.take_back, session_id)
        await self._supervisor.see_through(work, name=f"take back {session_id}")

    def files_renamed(self, renames: Sequence[FileRename]) -> None:
        """Keep the rejected offers of files that have another name now."""
        self._rejected.files_renamed(renames)

    def session(self, session_id: str) -> EditSession:
        """Return a session that is not over.

        Raises:
            UnknownSessionError: If there is none.
        """
        try:
            return self._sessions[session_id]
        except KeyError:
            raise UnknownSessionError(
                "This edit is over, or there never was one with that id."
            ) from None

    def session_at(self, uri: str, position: Position) -> EditSession:
        """Return the session whose region contains a position (in code points).

        Raises:
            UnknownSessionError: If there is none.
        """
        for session in reversed(self.sessions):
            where = session.edit_target.range_place
            if session.request.uri == uri and where.start <= position <= where.end:
                return session
        raise UnknownSessionError("No edit is running at that place.")

    async def aclose(self) -> None:
        """End every session."""
        self.stop(why="shutdown")
        await self._supervisor.aclose(limit_s=_CLOSE_LIMIT_S)
        await self._runner.aclose()
        for session in self.sessions:
            session.acceptance.give_up("shutdown")
        self._applied.clear()

    def _open(self, request: EditRequest) -> EditSession:
        if request.is_draft and not self._editor.traits.has_preview:
            raise InvalidArgumentsError(
                "A draft is only shown, and this editor has no preview."
            )
        document = self._workspace.document(request.uri)
        edit_target = edit_target_of(document, request)
        session = EditSession(
            request=with_instructions(request, edit_target),
            edit_target=edit_target,
            editor=self._editor,
            received=asyncio.get_running_loop().time(),
            on_change=self._changed,
            wait_s=self.redirects.pause_s(request),
        )
        if self._is_being_applied(session):
            session.edit_target.queue()
        else:
            self._take_over(session)
        self._sessions[session.id] = session
        self._workspace.watch(request.uri, DocumentChanges(session))
        session.offer.open(
            self._editor.start_progress(
                "Redline",
                request.progress_token,
                lambda: session.stopping.stop("asked"),
                message=session.title,
            )
        )
        return session

    def _prepare(
        self, document: Document, snapshot: Snapshot, selection: Range
    ) -> None:
        if not (self._workspace.is_open(document) and self._tiers.is_ready):
            return
        # The range may be outside of the text of a newer version.
        if document.version == snapshot.version:
            region = widen(snapshot.lines, selection)
            model = self._tiers.choose("fast").model
            model.activity()
            self._tasks.prepare(document, region, model.describe())
            self._router.prepare(snapshot, region)

    def _is_being_applied(self, session: EditSession) -> bool:
        """Whether an edit of the same text is on its way into the document."""
        return any(
            (other.state.is_committed or other.edit_target.is_landing)
            and other.overlaps(session)
            for other in self.sessions
        )

    def _take_over(self, session: EditSession) -> None:
        """Supersede sessions on overlapping regions, and continue their drafts."""
        for other in self.sessions:
            is_other = other is not session and other.overlaps(session)
            if is_other and other.lifecycle.can(Step.SUPERSEDE):
                session.take_over(other)

    def _changed(self, session: EditSession) -> None:
        self._runner.session_changed(session)
        self._rejected.session_changed(session)
        if session.state.is_end:
            self._sessions.pop(session.id, None)
            self._workspace.unwatch(session.request.uri, DocumentChanges(session))
            is_open = self._workspace.is_open(session.edit_target.document)
            if session.edit_target.has_changed and is_open:
                self._applied.remember(session)
        elif session.state.is_waiting:
            self._bound_waiting()
        self._on_change(session)

    def _bound_waiting(self) -> None:
        waiting = [other for other in self.sessions if other.state.is_waiting]
        for oldest in waiting[:-MAX_WAITING]:
            message = "Dropped, because many newer offers wait."
            oldest.lifecycle.advance(Step.REJECT, message)


def _unknown(request: EditRequest) -> tuple[str, ...]:
    """Say what looks like a tag and is none, before it is sent as text."""
    tag = unknown_tag(request.instruction)
    said = f"`{tag}` names no tier or model, so it is a part of the instruction."
    return () if tag is None else (said,)


def _ask(session: EditSession) -> PendingOutcome:
    answer = session.lifecycle.ask(lambda: session.result("superseded"))
    return PendingOutcome(session, answer)
