"""Edits: one instruction on one range, from the command to the document.

`Edits` holds the running sessions. `open` begins one at once, so that whatever the
editor says next finds it. `run` carries it out in the task of the request that asked
for it: it routes, writes the prompt, reads the stream, checks the candidate, and
applies or offers it. It returns when the session is applied, offered, held or over,
whichever side ended it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine

from redline.assist.apply import Applier
from redline.assist.editor import Began, Editor
from redline.assist.generate import Candidate, Generator
from redline.assist.held_back import HeldBack
from redline.assist.painter import Painter
from redline.assist.result import Answered, EditRequest, EditResult, OfferState
from redline.assist.session import EditSession, StopReason
from redline.assist.states import WAITING, State, Step
from redline.assist.tiers import Tiers
from redline.assist.workspace import Workspace
from redline.checks.problem import Problem
from redline.checks.reply import check_reply
from redline.errors import (
    EditNotLandedError,
    HeldBackError,
    InvalidArgumentsError,
    ModelError,
    ReplyNotUnderstoodError,
    UnknownSessionError,
)
from redline.routing.route import route
from redline.settings.tree import Settings
from redline.text.proposal import Proposal
from redline.text.region import widen

MAX_WAITING = 64
"""Offers that may wait for an answer at once; the oldest gives way."""


class Edits:
    """The edit sessions of one editor."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        editor: Editor,
        tiers: Tiers,
        settings: Callable[[], Settings],
        cache_key: str,
        on_change: Callable[[EditSession], None] = lambda session: None,
    ) -> None:
        self._workspace = workspace
        self._editor = editor
        self._tiers = tiers
        self._settings = settings
        self._on_change = on_change
        self._generator = Generator(
            workspace=workspace, settings=settings, cache_key=cache_key
        )
        self._applier = Applier(editor=editor, settings=settings)
        self._held_back = HeldBack()
        self._sessions: dict[str, EditSession] = {}

    @property
    def sessions(self) -> tuple[EditSession, ...]:
        """The sessions that are not over, oldest first."""
        return tuple(self._sessions.values())

    def open(self, request: EditRequest) -> EditSession:
        """Begin an edit: from now on it can be stopped, and it follows its text.

        Raises:
            InvalidArgumentsError: If there is no instruction, or the id is in use.
            UnknownDocumentError: If the document is not open.
        """
        if not request.instruction.strip():
            raise InvalidArgumentsError("The instruction is empty.")
        if request.session_id in self._sessions:
            raise InvalidArgumentsError("A session with this sessionId is running.")
        document = self._workspace.document(request.uri)
        session = EditSession(
            request=request,
            document=document,
            region=widen(document.snapshot().lines, request.range),
            editor=self._editor,
            received=asyncio.get_running_loop().time(),
            on_change=self._changed,
        )
        session.is_queued = self._is_being_applied(session)
        session.draft = self._take_over(session)
        self._sessions[session.id] = session
        self._workspace.watch(request.uri, session)
        session.progress = self._editor.start_progress(
            session.label, request.progress_token, lambda: session.stop("asked")
        )
        return session

    async def run(self, session: EditSession) -> EditResult:
        """Carry out an edit that is open; it may have been ended meanwhile.

        Cancelling is safe: the session is stopped, unless its edit is already on its
        way to the editor, which then finishes without the caller.

        Raises:
            HeldBackError: If the document must not be sent to a model.
            ModelError: If no tier could answer; the document is as it was.
            EditNotLandedError: If the editor did not take the edit.
        """
        try:
            await self._run(session)
        except asyncio.CancelledError:
            session.stop("cancelled")
            raise
        except (ModelError, EditNotLandedError, HeldBackError) as exc:
            session.fail(str(exc))
            raise
        except Exception:
            session.fail("Redline failed inside; nothing was changed.")
            raise
        finally:
            session.note_end(asyncio.get_running_loop().time())
        return session.result()

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
            if session.stop(why)
        ]

    async def accept(
        self, session_id: str, hunk_ids: Collection[int] | None
    ) -> Answered:
        """Apply an offer, or some of its hunks.

        Raises:
            UnknownSessionError: If no such session waits.
            InvalidArgumentsError: If none of the hunks is in the offer.
            EditNotLandedError: If the editor did not take the edit; the offer stays.
        """
        session, proposal = self._waiting(session_id)
        accepted = proposal.take(hunk_ids)
        if not accepted:
            raise InvalidArgumentsError("None of these hunks is in the offer.")
        await self._applier.accept(session, accepted)
        return _answered(session)

    def reject(self, session_id: str, hunk_ids: Collection[int] | None) -> Answered:
        """Drop an offer, or some of its hunks.

        Raises:
            UnknownSessionError: If no such session waits.
            InvalidArgumentsError: If none of the hunks is in the offer.
        """
        session, proposal = self._waiting(session_id)
        gone = {hunk.id for hunk in proposal.take(hunk_ids)}
        if not gone:
            raise InvalidArgumentsError("None of these hunks is in the offer.")
        rest = proposal.without(gone)
        session.proposal = rest
        if not rest.hunks:
            session.message = "Rejected."
            session.advance(Step.REJECT)
        elif session.painter is not None:
            session.painter.update((), removed=gone)
        return _answered(session)

    def session(self, session_id: str) -> EditSession:
        """Find a session that is not over.

        Raises:
            UnknownSessionError: If there is none.
        """
        try:
            return self._sessions[session_id]
        except KeyError:
            raise UnknownSessionError(
                "This edit is over, or there never was one with that id."
            ) from None

    async def aclose(self) -> None:
        """End every session."""
        self.stop(why="shutdown")
        await self._applier.aclose()
        for session in self.sessions:
            session.fail("Redline is shutting down.")

    def _is_being_applied(self, session: EditSession) -> bool:
        """Whether an edit of the same text is on its way into the document."""
        return any(
            other.state is State.APPLYING and other.overlaps(session)
            for other in self.sessions
        )

    def _take_over(self, session: EditSession) -> str | None:
        """Supersede sessions on overlapping regions; returns the newest's draft."""
        draft: str | None = None
        for other in self.sessions:
            if other is session or other.state is State.APPLYING:
                continue
            if other.overlaps(session):
                draft = other.draft_for(session.region) or draft
                other.supersede(session.id)
        return draft

    async def _run(self, session: EditSession) -> None:
        if session.is_queued:
            await self._leave_queue(session)
        if not self._tiers.is_ready:
            await self._until(session, self._tiers.ready())
        if session.has_ended:
            return
        settings = self._settings()
        chosen = route(asked=session.request.tier)
        tier = self._tiers.choose(chosen.tier)
        session.route = chosen
        session.reasons = (*chosen.reasons, *((tier.note,) if tier.note else ()))
        if tier.model.describe().is_model:
            self._refuse_held_back(session)
        is_previewed = self._is_previewed(session)
        session.keeps_on_stop = is_previewed and settings.edit.on_stop == "keep"
        session.advance(Step.ROUTED)
        if is_previewed:
            self._begin_preview(session)
        candidate = await self._generator.generate(session, tier.model)
        if candidate is not None and session.is_generating:
            await self._settle(session, candidate)

    async def _leave_queue(self, session: EditSession) -> None:
        """Wait until the text of the region is settled, and work on that."""
        await self._until(session, self._applier.settled(session.document))
        if not session.has_ended:
            session.settle_region()
            session.draft = self._take_over(session) or session.draft

    async def _until(
        self, session: EditSession, work: Coroutine[None, None, None]
    ) -> None:
        """Wait for something, or until the session is over."""
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(work, name=f"wait for {session.id}")
            session.on_end = waiting.cancel
            if session.has_ended:
                waiting.cancel()

    def _refuse_held_back(self, session: EditSession) -> None:
        uri = session.request.uri
        reason = self._held_back.reason(uri, self._workspace.roots)
        if reason is not None:
            name = self._workspace.relative_path(uri)
            raise HeldBackError(f"{name} is not sent to a model: {reason}.")

    async def _settle(self, session: EditSession, candidate: Candidate) -> None:
        session.advance(Step.REPLIED)
        reply, proposal = candidate.reply, candidate.proposal
        session.problems = candidate.problems + check_reply(
            reply.problems, instruction=session.request.instruction
        )
        if reply.lines is None and reply.declined is None:
            raise ReplyNotUnderstoodError(_first_message(session.problems))
        if not proposal.hunks:
            session.message = reply.declined or "The model changed nothing."
            session.advance(Step.KEEP_AS_IS)
            return
        session.proposal = proposal
        if session.problems:
            session.message = "Held back: " + _first_message(session.problems)
            self._offer(session, Step.HOLD)
        elif session.painter is not None:
            self._offer(session, Step.OFFER)
        else:
            # As long as it waits for its turn it can be stopped.
            while self._applier.is_busy(session.document) and not session.has_ended:
                await self._until(session, self._applier.settled(session.document))
            if not session.has_ended:
                await self._applier.apply(session, proposal)

    def _offer(self, session: EditSession, step: Step) -> None:
        session.advance(step)
        if session.painter is not None:
            session.painter.flush()
        if session.progress is not None:
            session.progress.end(session.message or "Offered in the preview.")

    def _is_previewed(self, session: EditSession) -> bool:
        mode = session.request.apply or self._settings().edit.apply
        return mode == "preview" and self._editor.traits.has_preview

    def _begin_preview(self, session: EditSession) -> None:
        session.painter = Painter(
            editor=self._editor,
            session_id=session.id,
            document=session.document,
            n_lines=len(session.region.lines),
            region_start=lambda: session.anchor.range.start,
            paints_per_s=self._settings().edit.paints_per_s,
        )
        self._editor.began(
            Began(
                session_id=session.id,
                snapshot=session.document.snapshot(),
                range=session.anchor.range,
                tier=session.route.tier if session.route else "fast",
                reasons=session.reasons,
            )
        )

    def _waiting(self, session_id: str) -> tuple[EditSession, Proposal]:
        session = self.session(session_id)
        if session.state not in WAITING or session.proposal is None:
            raise UnknownSessionError("This edit has no offer that waits.")
        return session, session.proposal

    def _changed(self, session: EditSession) -> None:
        if session.has_ended:
            self._sessions.pop(session.id, None)
            self._workspace.unwatch(session.request.uri, session)
        self._on_change(session)
        waiting = [other for other in self.sessions if other.state in WAITING]
        for oldest in waiting[:-MAX_WAITING]:
            oldest.message = "Dropped, because many newer offers wait."
            oldest.advance(Step.REJECT)


def _answered(session: EditSession) -> Answered:
    remaining = 0
    if not session.has_ended and session.proposal is not None:
        remaining = len(session.proposal.hunks)
    return Answered(state=_ANSWERS[session.state], remaining=remaining)


_ANSWERS: dict[State, OfferState] = {
    State.ACCEPTED: "accepted",
    State.REJECTED: "rejected",
    State.OFFERED: "offered",
    State.HELD: "held",
    State.STOPPED: "stopped",
    # Another session or another accept was quicker than this answer.
    State.SUPERSEDED: "stopped",
    State.APPLYING: "offered",
    State.FAILED: "stopped",
}


def _first_message(problems: tuple[Problem, ...]) -> str:
    return problems[0].message if problems else "The reply could not be read."
