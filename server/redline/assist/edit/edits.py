"""Edits: one instruction on one range, from the command to the document.

`Edits` is what the editor's side calls: it opens sessions, and stops, turns and answers
the running ones. `runner.py` runs them. A command that opens a session is answered when
that is applied, offered, held or over, whichever side ended it; the session itself does
not depend on anybody waiting for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any  # What a coroutine yields to the loop is the loop's affair.

from redline.assist.applied import AppliedEdits
from redline.assist.apply import Applier
from redline.assist.edit.router import Router
from redline.assist.edit.runner import Runner
from redline.assist.edit.session import EditSession, StopReason
from redline.assist.edit.states import WAITING, State, Step, can
from redline.assist.edit.steering import is_nearly_written
from redline.assist.editor import Editor
from redline.assist.judge import Judge, OffLoop
from redline.assist.result import (
    Answered,
    EditRequest,
    EditResult,
    OfferState,
    Redirected,
)
from redline.assist.round import Turn
from redline.assist.site import Site
from redline.assist.tasks import TaskWriter
from redline.assist.tiers import Tiers
from redline.assist.workspace import Workspace
from redline.errors import (
    InvalidArgumentsError,
    RedlineError,
    UnknownSessionError,
)
from redline.settings.tree import Settings
from redline.supervisor import Supervisor
from redline.text.document import Document
from redline.text.instruction_comment import InstructionComment, read_comment
from redline.text.position import Position, Range
from redline.text.proposal import ProposedHunk
from redline.text.region import widen

MAX_WAITING = 64
"""Offers that may wait for an answer at once; the oldest gives way."""

_CLOSE_LIMIT_S = 1.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for the outcome of a session."""

    session: EditSession
    answer: asyncio.Future[EditResult]

    def cancel(self) -> None:
        """Stop the session, unless its edit is on its way or somebody else asks."""
        if self.session.drop(self.answer):
            self.session.stop("cancelled")

    async def outcome(self) -> EditResult:
        """Wait until the session is applied, offered, held or over.

        Cancelling is safe: the session is stopped, unless its edit is already on its
        way to the editor, which then finishes without the caller.

        Raises:
            HeldBackError: If the document must not be sent to a model.
            ModelError: If no tier could answer; the document is as it was.
            EditNotLandedError: If the editor did not take the edit.
        """
        try:
            return await self.answer
        except asyncio.CancelledError:
            # With the task its future is cancelled, which nobody else waits for.
            self.cancel()
            raise


class Edits:
    """The edit sessions of one editor."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        editor: Editor,
        tiers: Tiers,
        settings: Callable[[], Settings],
        tasks: TaskWriter,
        on_change: Callable[[EditSession], None] = lambda session: None,
        off_loop: OffLoop = asyncio.to_thread,
    ) -> None:
        self._workspace = workspace
        self._editor = editor
        self._tiers = tiers
        self._settings = settings
        self._on_change = on_change
        self._supervisor = Supervisor()
        self._applier = Applier(
            editor=editor, settings=settings, supervisor=self._supervisor
        )
        self._applied = AppliedEdits(workspace, self._applier)
        self._tasks = tasks
        self._router = Router(workspace=workspace, tiers=tiers, settings=settings)
        self._runner = Runner(
            workspace=workspace,
            editor=editor,
            tiers=tiers,
            settings=settings,
            tasks=tasks,
            applier=self._applier,
            supervisor=self._supervisor,
            take_over=self._take_over,
            router=self._router,
            judge=Judge(workspace=workspace, settings=settings, off_loop=off_loop),
        )
        self._sessions: dict[str, EditSession] = {}

    @property
    def sessions(self) -> tuple[EditSession, ...]:
        """The sessions that are not over, oldest first."""
        return tuple(self._sessions.values())

    def open(self, request: EditRequest) -> Asked:
        """Begin an edit, or go on with one whose instruction is being typed.

        From now on it can be stopped, and it follows its text.

        Raises:
            InvalidArgumentsError: If there is no instruction, or the id is in use.
            UnknownDocumentError: If the document is not open.
        """
        if not request.instruction.strip():
            raise InvalidArgumentsError("The instruction is empty.")
        session = self._sessions.get(request.session_id)
        if session is None:
            session = self._open(request)
            asked = Asked(session, session.ask())
            self._runner.start(session)
            return asked
        if not session.is_draft:
            raise InvalidArgumentsError("A session with this sessionId is running.")
        asked = Asked(session, session.ask())
        self._type_on(session, request)
        return asked

    def prepare(self, uri: str, selection: Range) -> None:
        """Have ready, soon, what an edit of a range would need: one may be asked for.

        Raises:
            UnknownDocumentError: If the document is not open.
        """
        document = self._workspace.document(uri)
        # What is being answered is answered first.
        asyncio.get_running_loop().call_soon(self._prepare, document, selection)

    async def edit(self, request: EditRequest) -> EditResult:
        """Open an edit and wait for its outcome; see `Asked.outcome`."""
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
            if session.stop(why)
        ]

    async def redirect(
        self,
        session: EditSession,
        instruction: str,
        *,
        from_comment: Range | None = None,
    ) -> Redirected:
        """Give a session another instruction, while it writes or as a follow-up.

        Args:
            session: A session of these.
            instruction: What to do instead, or next.
            from_comment: The comment in the document that it was written in.

        Returns:
            Once the new generation has begun.

        Raises:
            InvalidArgumentsError: If there is no instruction.
        """
        if not instruction.strip():
            raise InvalidArgumentsError("The instruction is empty.")
        comment = None
        if from_comment is not None:
            lines = session.site.document.snapshot().lines
            comment = read_comment(lines, from_comment)
        session.n_redirects += 1
        number = session.n_redirects
        if await self._steered(session, instruction, comment):
            return Redirected(session_id=session.id, how="steered", is_accepted=True)
        if number != session.n_redirects:
            # A later one came while this one's steer was waited for.
            return Redirected(session_id=session.id, how="restarted", is_accepted=False)
        turn = session.next_turn(
            instruction,
            from_comment=comment,
            earlier=session.instruction,
            draft=session.draft,
        )
        is_accepted = self._turn(session, turn)
        await turn.begun.wait()
        return Redirected(
            session_id=session.id,
            how="restarted",
            is_accepted=is_accepted and not session.has_ended,
        )

    async def accept(
        self, session: EditSession, hunk_ids: Collection[int] | None
    ) -> Answered:
        """Apply an offer, or some of its hunks.

        While it is still written, single hunks that have settled are applied at once;
        the whole is applied when it is done.

        Raises:
            InvalidArgumentsError: If none of the hunks is there to be accepted.
            EditNotLandedError: If the editor did not take the edit; the offer stays.
        """
        if hunk_ids is None:
            await session.is_written()
        if session.has_ended:
            return _answered(session)
        work = self._begin_accepting(session, hunk_ids)
        await self._see_through(work, name=f"accept {session.id}")
        return _answered(session)

    def reject(self, session_id: str, hunk_ids: Collection[int] | None) -> Answered:
        """Drop an edit, or some of its hunks, offered or still written.

        Raises:
            UnknownSessionError: If there is no such session.
        """
        session = self.session(session_id)
        if hunk_ids is None and can(session.state, Step.REJECT):
            self._end_answered(session)
        elif not self._has_any(session, hunk_ids):
            raise InvalidArgumentsError("None of these hunks is in the offer.")
        elif session.is_at_work and session.shown is not None:
            session.shown.live.reject(session.shown.live.settled(hunk_ids))
            session.show(session.shown)
        elif session.proposal is not None and session.state in WAITING:
            gone = set(hunk_ids or ())
            session.proposal = session.proposal.without(gone)
            if session.painter is not None:
                session.painter.update((), removed=gone)
            if session.shown is not None:
                session.shown.live.reject(session.shown.live.settled(gone))
            self._end_if_empty(session)
        return _answered(session)

    def next_candidate(self, session_id: str) -> EditSession:
        """Show the next candidate of a session, the best one after the last.

        Raises:
            UnknownSessionError: If there is no such session.
        """
        session = self.session(session_id)
        choices = session.candidates
        if session.state in WAITING and len(choices) > 1:
            at = choices.index(session.shown) if session.shown in choices else -1
            candidate = choices[(at + 1) % len(choices)]
            session.show(candidate)
            session.proposal = candidate.proposal
            session.advance(Step.HOLD if candidate.problems else Step.OFFER)
        return session

    async def take_back(self, session_id: str) -> None:
        """Put back what stood there before an applied session.

        Raises:
            UnknownSessionError: If no such session was applied lately.
            EditNotLandedError: If the text was changed since, or the editor refused.
        """
        work = partial(self._applied.take_back, session_id)
        await self._see_through(work, name=f"take back {session_id}")

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

    def session_at(self, uri: str, position: Position) -> EditSession:
        """Find the session whose region a position (in code points) is in.

        Raises:
            UnknownSessionError: If there is none.
        """
        for session in reversed(self.sessions):
            where = session.site.place
            if session.request.uri == uri and where.start <= position <= where.end:
                return session
        raise UnknownSessionError("No edit is running at that place.")

    async def aclose(self) -> None:
        """End every session."""
        self.stop(why="shutdown")
        await self._supervisor.aclose(limit_s=_CLOSE_LIMIT_S)
        for session in self.sessions:
            session.give_up()
        self._applied.clear()

    def _open(self, request: EditRequest) -> EditSession:
        if request.is_draft and not self._editor.traits.has_preview:
            raise InvalidArgumentsError(
                "A draft is only shown, and this editor has no preview."
            )
        document = self._workspace.document(request.uri)
        region = widen(document.snapshot().lines, request.range)
        session = EditSession(
            request=request,
            site=Site(document, region),
            editor=self._editor,
            received=asyncio.get_running_loop().time(),
            on_change=self._changed,
        )
        assert session.turn is not None
        session.turn = replace(session.turn, wait_s=self._pause_s(request))
        session.is_queued = self._is_being_applied(session)
        if not session.is_queued:
            self._take_over(session)
        self._sessions[session.id] = session
        self._workspace.watch(request.uri, session)
        session.progress = self._editor.start_progress(
            "Redline",
            request.progress_token,
            lambda: session.stop("asked"),
            message=session.title,
        )
        return session

    def _prepare(self, document: Document, selection: Range) -> None:
        if self._workspace.is_open(document) and self._tiers.is_ready:
            region = widen(document.snapshot().lines, selection)
            model = self._tiers.choose("fast").model
            model.activity()
            self._tasks.prepare(document, region, model.describe())

    def _is_being_applied(self, session: EditSession) -> bool:
        """Whether an edit of the same text is on its way into the document."""
        return any(
            (other.is_committed or other.site.is_landing) and other.overlaps(session)
            for other in self.sessions
        )

    def _take_over(self, session: EditSession) -> None:
        """Supersede sessions on overlapping regions, and go on from their drafts."""
        for other in self.sessions:
            is_other = other is not session and other.overlaps(session)
            if is_other and can(other.state, Step.SUPERSEDE):
                session.take_draft(other)
                other.supersede(session.id)

    def _type_on(self, session: EditSession, request: EditRequest) -> None:
        """Go on with an instruction that was being typed."""
        session.type_on(request)
        if session.state is not State.ROUTING:
            session.mode = self._runner.mode(session)
        is_same = session.instruction.strip() == request.instruction.strip()
        if not (is_same and session.round is not None):
            pause_s = self._pause_s(request)
            turn = session.next_turn(request.instruction, wait_s=pause_s)
            self._turn(session, turn)
        elif session.state in WAITING and session.shown is not None:
            if request.is_draft:
                session.reply()
            else:
                self._runner.settle(session)

    def _pause_s(self, request: EditRequest) -> float:
        return self._settings().edit.live_pause_s if request.is_draft else 0.0

    def _turn(self, session: EditSession, turn: Turn) -> bool:
        was_waiting = session.state in WAITING
        is_accepted = session.redirect(turn)
        if is_accepted and was_waiting:
            self._runner.resume(session)
        return is_accepted

    async def _steered(
        self,
        session: EditSession,
        instruction: str,
        comment: InstructionComment | None,
    ) -> bool:
        """Try to steer the one generation that writes."""
        round_ = session.round
        if not session.is_generating or round_ is None:
            return False
        if not self._router.may_steer(session, instruction):
            return False
        candidate, *others = round_.candidates
        generation = candidate.generation
        if generation is None or others:
            return False
        if not is_nearly_written(
            generation.timing,
            n_chars=candidate.n_chars - candidate.n_void_chars,
            n_expected_chars=sum(map(len, session.original)),
        ):
            return False
        text, task = self._tasks.steer(session, instruction, comment)
        is_steered = await generation.steer(text, task=task)
        if not (is_steered and session.round is round_ and session.is_generating):
            return False
        self._tasks.steered(session, text)
        session.instruct(instruction, comment)
        return True

    def _begin_accepting(
        self, session: EditSession, hunk_ids: Collection[int] | None
    ) -> Callable[[], Coroutine[Any, Any, None]]:
        """Take hold of what is accepted; returns what brings it into the document."""
        if session.site.is_landing or session.is_committed:
            raise InvalidArgumentsError("Another edit is on its way; try again.")
        if session.painter is not None:
            # What is applied has been shown, if only just.
            session.painter.flush()
        if session.proposal is None:
            settled = session.settle_on_hunks(hunk_ids or ())
            if not settled:
                raise InvalidArgumentsError("None of these hunks has settled yet.")
            return partial(self._land_settled, session, settled)
        accepted = session.proposal.take(hunk_ids)
        if not accepted:
            raise InvalidArgumentsError("None of these hunks is in the offer.")
        session.begin_accepting()
        return partial(self._land_accepted, session, accepted)

    async def _land_settled(
        self, session: EditSession, settled: Sequence[ProposedHunk]
    ) -> None:
        try:
            await self._applier.land(
                session.site,
                [hunk.change for hunk in settled],
                label=session.label,
                on_landed=lambda: session.accepted(settled),
            )
        finally:
            if not session.has_ended and session.site.is_touched:
                session.typed_inside()
        if session.state in WAITING:
            # The writing ended while the hunks were on their way.
            self._end_if_empty(session)

    async def _land_accepted(
        self, session: EditSession, accepted: Sequence[ProposedHunk]
    ) -> None:
        try:
            await self._applier.land(
                session.site,
                [hunk.change for hunk in accepted],
                label=session.label,
                on_landed=lambda: session.accepted(accepted),
            )
        finally:
            session.wait_again()

    async def _see_through(
        self, work: Callable[[], Coroutine[Any, Any, None]], *, name: str
    ) -> None:
        """Await what cannot be called back: it goes on even if this is cancelled."""
        task = self._supervisor.start(_returned(work), name=name)
        if (error := await asyncio.shield(task)) is not None:
            raise error

    def _has_any(self, session: EditSession, hunk_ids: Collection[int] | None) -> bool:
        """Whether a session shows one of the hunks."""
        shown: Collection[int] = ()
        if session.proposal is not None:
            shown = {hunk.id for hunk in session.proposal.hunks}
        elif session.shown is not None:
            shown = {hunk.id for hunk in session.shown.live.hunks}
        return any(hunk_id in shown for hunk_id in hunk_ids or ())

    def _end_if_empty(self, session: EditSession) -> None:
        if session.proposal is not None and not session.proposal.hunks:
            self._end_answered(session)

    def _end_answered(self, session: EditSession) -> None:
        """End a session whose hunks were all accepted or rejected."""
        is_accepted = session.has_changed_text
        session.message = "Accepted." if is_accepted else "Rejected."
        session.advance(Step.ACCEPTED if is_accepted else Step.REJECT)

    def _changed(self, session: EditSession) -> None:
        if session.has_ended:
            self._sessions.pop(session.id, None)
            self._workspace.unwatch(session.request.uri, session)
            is_open = self._workspace.is_open(session.site.document)
            if session.has_changed_text and is_open:
                self._applied.remember(session)
        elif session.state in WAITING:
            self._bound_waiting()
        self._on_change(session)

    def _bound_waiting(self) -> None:
        waiting = [other for other in self.sessions if other.state in WAITING]
        for oldest in waiting[:-MAX_WAITING]:
            oldest.message = "Dropped, because many newer offers wait."
            oldest.advance(Step.REJECT)


async def _returned(
    work: Callable[[], Coroutine[Any, Any, None]],
) -> RedlineError | None:
    """Return the failure that is to be expected; any other is a bug, and logged."""
    try:
        await work()
    except RedlineError as exc:
        return exc
    return None


def _answered(session: EditSession) -> Answered:
    remaining = 0
    if session.state in WAITING and session.proposal is not None:
        remaining = len(session.proposal.hunks)
    elif session.is_generating and session.shown is not None:
        remaining = len(session.shown.live.hunks)
    return Answered(state=_ANSWERS[session.state], remaining=remaining)


_ANSWERS: dict[State, OfferState] = {
    State.ROUTING: "generating",
    State.GENERATING: "generating",
    State.CHECKING: "generating",
    State.APPLYING: "accepted",
    State.APPLIED: "accepted",
    State.ACCEPTED: "accepted",
    State.REJECTED: "rejected",
    State.UNCHANGED: "rejected",
    State.OFFERED: "offered",
    State.HELD: "held",
    State.STOPPED: "stopped",
    State.WITHDRAWING: "stopped",
    State.SUPERSEDED: "stopped",
    State.FAILED: "failed",
}
