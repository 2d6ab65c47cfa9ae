"""An edit session: one instruction on one region, and where it stands.

The session owns its state, its anchor and whatever must end at once when it is stopped.
It never awaits: `edit.py` runs it. Everything that can end or turn it from outside (a
stop, a redirect, typing into the region, closing the document, another session taking
over) is a plain call that has taken effect when it returns.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import replace
from typing import Literal

from redline.assist.candidate import CHARS_PER_TOKEN, Candidate
from redline.assist.edit.states import ENDS, WAITING, State, Step, after, can
from redline.assist.edit.stepper import Stepper
from redline.assist.editor import EditEnded, Editor, EditProgress, Ending
from redline.assist.painter import Painter
from redline.assist.result import (
    EditRequest,
    EditResult,
    EditTiming,
    Mode,
    Outcome,
)
from redline.assist.round import Round, Turn
from redline.assist.site import Site
from redline.assist.spending import Spending
from redline.checks.problem import Problem
from redline.errors import RedlineError
from redline.models.interface import Model, Timing, Usage
from redline.prompts.surroundings import with_line_feeds
from redline.routing.route import Route, Tier
from redline.text.instruction_comment import InstructionComment, read_comment
from redline.text.proposal import Proposal, ProposedHunk
from redline.text.region import Region, TextEdit

_TITLE_N_CHARS = 60

StopReason = Literal["asked", "cancelled", "typed", "closed", "shutdown"]

_STOP_MESSAGES: dict[StopReason, str] = {
    "asked": "Stopped.",
    "cancelled": "Cancelled.",
    "typed": "You typed inside the range, so the edit was dropped; your text is kept.",
    "closed": "The document was closed, so the edit was dropped.",
    "shutdown": "Redline is shutting down.",
}


class EditSession:
    """One instruction on one region."""

    def __init__(
        self,
        *,
        request: EditRequest,
        site: Site,
        editor: Editor,
        received: float,
        on_change: Callable[[EditSession], None],
    ) -> None:
        self.id = request.session_id
        self.request = request
        self.site = site
        self.state = State.ROUTING
        self.route: Route | None = None
        self.routed_instruction: str | None = None
        """What it was routed for."""
        self.tier: Tier = "fast"
        """The one that writes, or wrote last."""
        self.reasons: tuple[str, ...] = ()
        self.instruction = request.instruction
        """What it is to do, or does; a redirect changes it."""
        self.from_comment = _comment_of(request, site)
        """The comment that the instruction was written in."""
        self.original = site.region.lines
        """The region before anything was applied."""
        self.mode: Mode = "end"
        self.stepper: Stepper | None = None
        self.turn: Turn | None = Turn(
            instruction=request.instruction, from_comment=self.from_comment
        )
        """What to do next; None while it is done."""
        self.round: Round | None = None
        self.shown: Candidate | None = None
        """The candidate in the preview, or the one that was applied."""
        self.proposal: Proposal | None = None
        """What waits for the user, in an offered or held session."""
        self.message: str | None = None
        self.superseded_by: str | None = None
        self.painter: Painter | None = None
        self.progress: EditProgress | None = None
        self.is_draft = request.is_draft
        """Whether the instruction is still being typed: nothing is applied."""
        self.n_redirects = 0
        """How many were asked for; only the last one counts."""
        self.is_queued = False
        """Whether it waits for another edit of its text to land."""
        self.keeps_on_stop = False
        """Whether a stop offers the part already written."""
        self.replans = False
        """Whether typing inside the region begins anew instead of stopping."""
        self.timing: Timing | None = None
        """Of the last generation."""
        self.writer: Model | None = None
        """The model that `timing` is of."""
        self.failed_checks: list[str] = []
        """Ids of the checks that its candidates failed, in order."""
        self.n_repairs = 0
        self.is_repaired = False
        """Whether problems with its present instruction have been sent back."""
        self.is_escalated = False
        self.checked_at: float | None = None
        """When a candidate was last checked, on the loop's clock."""
        self.applied_at: float | None = None
        """When something of it was last in the document."""
        self.total_usage = Usage()
        """Of all its generations, as far as their providers say."""
        self.edits: tuple[TextEdit, ...] = ()
        """What was computed for whoever asked, and for which version."""
        self.version: int | None = None
        self.new_id = itertools.count().__next__
        """Names the hunks of all its candidates."""
        self._n_wasted_chars = 0
        self._taken_stock_of: Round | None = None
        self._kept: Candidate | None = None
        """Of that round, the one that was not for nothing."""
        self.usage: Usage | None = None
        self.spending = Spending()
        """What all its generations took."""
        self.asked_at = received
        """When its newest request was read, in the event loop's seconds."""
        self.on_end: Callable[[], object] = lambda: None
        """Ends what its runner waits for."""
        self._back = Step.OFFER
        """The step back to its offer, while hunks of it are applied."""
        self._has_accepted = False
        """Whether the user has accepted something of it, which is in the document."""
        self._news = asyncio.Event()
        self._changed = asyncio.Event()
        self._answer: asyncio.Future[EditResult] | None = None
        self._editor = editor
        self._received = received
        self._answered: float | None = None
        self._on_change = on_change

    @property
    def has_ended(self) -> bool:
        """Whether nothing can happen to it any more."""
        return self.state in ENDS

    @property
    def is_generating(self) -> bool:
        """Whether it still wants what the model writes."""
        return self.state is State.GENERATING

    @property
    def is_committed(self) -> bool:
        """Whether an edit of it may be on its way to the editor."""
        return self.state in _COMMITTED

    @property
    def is_at_work(self) -> bool:
        """Whether it neither waits, nor is over, nor is final."""
        return self.state in _AT_WORK

    def explain(self, reason: str) -> None:
        """Add to the reasons for what was done, and by which tier."""
        self.reasons = (*self.reasons, reason)

    @property
    def title(self) -> str:
        """The beginning of its instruction."""
        first_line = (self.instruction.strip() or "edit").splitlines()[0]
        return first_line[:_TITLE_N_CHARS]

    @property
    def label(self) -> str:
        """A short name of it for people, such as the editor's undo menu."""
        return f"Redline: {self.title}"

    @property
    def candidates(self) -> list[Candidate]:
        """What can be offered of the last round, the best first."""
        return self.round.finished if self.round is not None else []

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the shown candidate."""
        return self.shown.problems if self.shown is not None else ()

    @property
    def written(self) -> list[str]:
        """The new text as far as it is there."""
        if self.proposal is not None:
            return self.proposal.new_lines
        return self.shown.live.written if self.shown is not None else []

    @property
    def draft(self) -> str | None:
        """What is written, for the next turn's prompt; None: nothing."""
        if self.written or self._last_turn is None:
            return with_line_feeds(self.written) or None
        # Nothing yet since then: that one's draft is still the latest.
        return self._last_turn.draft

    def overlaps(self, other: EditSession) -> bool:
        """Whether the two work on the same text."""
        return not self.has_ended and self.site.overlaps(other.site)

    def take_draft(self, other: EditSession) -> None:
        """Begin with what a session on the same text has written, if it can be used."""
        draft = other.draft_for(self.site.region)
        if self.turn is not None and draft is not None:
            self.turn = replace(self.turn, draft=draft)

    def draft_for(self, region: Region) -> str | None:
        """What it has written, as a draft of a region around its own.

        Returns:
            None if nothing was written, or if its region is not inside the other.
        """
        first = self.site.first_line - region.first
        end = first + len(self.site.region.lines)
        if first < 0 or end > len(region.lines):
            return None
        head = region.lines[:first]
        if self.written:
            tail = region.lines[end:] if self.proposal is not None else ()
            return with_line_feeds([*head, *self.written, *tail])
        turn = self.turn or (self.round.turn if self.round is not None else None)
        if turn is None or turn.draft is None:
            return None
        return with_line_feeds(head) + turn.draft

    # Answering its command.

    def drop(self, answer: asyncio.Future[EditResult]) -> bool:
        """Forget a request that was cancelled; False if another has taken its place."""
        if self._answer is not answer:
            return False
        self._answer = None
        return True

    def ask(self) -> asyncio.Future[EditResult]:
        """Open a request for its outcome; an earlier one is answered as superseded."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(self.result("superseded"))
        loop = asyncio.get_running_loop()
        self.asked_at = loop.time()
        self._answer = loop.create_future()
        return self._answer

    def reply(self) -> None:
        """Answer the open request, if there is one."""
        self._answered = asyncio.get_running_loop().time()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(self.result())

    # Steps.

    def advance(self, step: Step) -> None:
        """Take a step; an end lets go of everything the session holds.

        Raises:
            LocalProtocolError: If the step is not possible now.
        """
        was_generating = self.is_generating
        self.state = after(self.state, step)
        self._changed.set()
        if self.has_ended and was_generating:
            self._silence()
        if self.has_ended or self.state in WAITING:
            # Before its end is told, so that both leave in one write.
            self.reply()
        if self.has_ended:
            self._let_go()
        self._on_change(self)

    def stop(self, why: StopReason) -> bool:
        """Stop it at once.

        Returns:
            Whether there was something to stop: an edit that has been sent to the
            editor, or a session that is over, cannot be stopped.
        """
        if not can(self.state, Step.STOP) or self.state in _COMMITTED:
            return False
        if why == "asked" and self._keep_written():
            return True
        self.message = self._stop_message(why)
        if self.stepper is not None and self.stepper.has_begun and why != "closed":
            self._silence()
            self.advance(Step.WITHDRAW)
            self.stepper.withdraw(is_typed=why == "typed")
        else:
            self.advance(Step.STOP)
        return True

    def give_up(self) -> None:
        """End it although an edit of it may be on its way: nobody waits any more."""
        if can(self.state, Step.STOP):
            self._give_up("shutdown")

    def supersede(self, by: str) -> None:
        """End it because another session took over its region."""
        self.superseded_by = by
        self.message = "A newer edit of the same range took over."
        self.advance(Step.SUPERSEDE)

    def fail(self, error: BaseException, message: str) -> bool:
        """End it because something failed; what is in the document stays.

        Returns:
            Whether its command was answered with the error.
        """
        if not can(self.state, Step.FAIL):
            return False
        if self.has_changed_text and isinstance(error, RedlineError):
            # A copy: a model may hand out the same error several times.
            error = copy(error)
            error.remedy = _KEPT_PART
            message = f"{message} {_KEPT_PART}"
        is_asked = self._answer is not None and not self._answer.done()
        if self._answer is not None and is_asked:
            self._answer.set_exception(error)
        self.message = message
        self.advance(Step.FAIL)
        return is_asked

    def redirect(self, turn: Turn) -> bool:
        """Do something else; what is painted stays until that has reached it.

        Returns:
            Whether it can: an edit on its way to the editor, and the end, are final.
        """
        if not can(self.state, Step.REDIRECT):
            turn.begun.set()
            return False
        if self.turn is not None:
            self.turn.begun.set()
        if self.is_generating:
            self._silence()
        if self.round is not None:
            self.spending.add(self.round.candidates)
        self.round = None
        self.turn = turn
        self.instruct(turn.instruction, turn.from_comment)
        self.is_repaired = False
        self.proposal = None
        self.message = None
        self._news.set()
        self.advance(Step.REDIRECT)
        return True

    def instruct(
        self, instruction: str, from_comment: InstructionComment | None
    ) -> None:
        """Set what it is to do, and show it in its progress."""
        self.instruction = instruction
        self.from_comment = from_comment
        if self.progress is not None and self.state not in WAITING:
            self.progress.report(self.title)

    def retry(self, turn: Turn) -> None:
        """Have what was checked mended or reviewed."""
        self.turn = turn
        self.advance(Step.RETRY)

    def landed(self) -> None:
        """Take note that its whole edit is in the document."""
        self.applied_at = asyncio.get_running_loop().time()
        self.advance(Step.LANDED)

    def hand_over(self, edits: Sequence[TextEdit]) -> None:
        """End it with its edit for whoever asked."""
        self.edits = tuple(edits)
        self.version = self.site.document.version
        self.advance(Step.HAND_OVER)

    def type_on(self, request: EditRequest) -> None:
        """Take over how a newer request of its name wants it."""
        self.is_draft = request.is_draft
        self.request = replace(
            self.request, apply=request.apply, n_candidates=request.n_candidates
        )

    def take_turn(self, turn: Turn) -> bool:
        """Take what is to be done next; False if something else is, or nothing."""
        if self.turn is not turn or not self.is_generating:
            return False
        self.turn = None
        return True

    async def is_quiet(self, wait_s: float) -> bool:
        """Wait for a while; False if there is something else to do before its end."""
        self._news.clear()
        try:
            async with asyncio.timeout(wait_s):
                await self._news.wait()
        except TimeoutError:
            return True
        return False

    def next_turn(
        self,
        instruction: str,
        *,
        from_comment: InstructionComment | None = None,
        earlier: str | None = None,
        draft: str | None = None,
        wait_s: float = 0.0,
    ) -> Turn:
        """Make a turn that goes on from what is painted."""
        hunks = self.shown.live.hunks if self.shown is not None else ()
        return Turn(
            instruction=instruction,
            from_comment=from_comment,
            earlier=earlier,
            draft=draft,
            carried=hunks,
            wait_s=wait_s,
        )

    def leave_queue(self) -> None:
        """Take as its region what stands there now."""
        self.site.replan()
        self.original = self.site.region.lines
        self.is_queued = False

    # What the user does to the document.

    def document_changed(self) -> None:
        """Follow a change of the document."""
        if self.is_queued:
            return
        if self.site.has_landed():
            return
        if not self.site.is_touched:
            if self.painter is not None:
                self.painter.moved()
        elif not (self.site.is_landing or self.state in _COMMITTED):
            self.typed_inside()
        # Else it may be a part of an edit of ours, which some clients tell piecewise;
        # if it was typed, and that edit does not land, the editor's answer says so.

    def typed_inside(self) -> None:
        """Stop, because the user typed inside, or begin anew on what stands there."""
        if not (self.replans and self._replan()):
            self.stop("typed")

    def settle_on_hunks(self, hunk_ids: Collection[int]) -> tuple[ProposedHunk, ...]:
        """Keep to the shown candidate, for hunks of it that will not change any more.

        Returns:
            Those of the hunks that have settled; if there is none, nothing was done.
        """
        settled = () if self.shown is None else self.shown.live.settled(hunk_ids)
        if self.shown is not None and settled:
            self.settle_on(self.shown)
        return settled

    def begin_accepting(self) -> None:
        """Have hunks of its offer brought into the document."""
        self._back = Step.HOLD if self.state is State.HELD else Step.OFFER
        if self.shown is not None:
            self.settle_on(self.shown)
        self.advance(Step.ACCEPT)

    def wait_again(self) -> None:
        """Have its offer wait on, unless it has landed, or has no place any more."""
        self.not_landed()
        if self.state is State.APPLYING:
            self.advance(self._back)

    def not_landed(self) -> None:
        """Stop, if an edit is not on its way any more because the user was faster."""
        if self.state is State.APPLYING and self.site.is_released:
            self._give_up("closed")
        elif self.state is State.APPLYING and self.site.is_touched:
            self._give_up("typed")

    def accepted(self, hunks: Sequence[ProposedHunk]) -> None:
        """Take note that hunks of the shown candidate are in the document now.

        It must follow at once: whatever is painted next is painted on the new text.
        """
        assert self.shown is not None
        self._has_accepted = True
        self.applied_at = asyncio.get_running_loop().time()
        if self.turn is not None:
            self.turn = replace(self.turn, carried=())
        # After a redirect another one is being written on the same text.
        writing = self.round.candidates if self.round is not None else []
        for candidate in {self.shown, *writing}:
            candidate.live.accept(hunks)
        if self.proposal is not None:
            is_whole = self.state is State.APPLYING
            self.proposal = (
                self.proposal.after_accepting(hunks)
                if is_whole
                else self.shown.proposal
            )
        if self.painter is not None:
            rest = self.proposal.hunks if self.proposal else self.shown.live.hunks
            self.painter.replace(rest)
        if self.state is State.APPLYING:
            self._accepted_of_offer()

    def _accepted_of_offer(self) -> None:
        if self.proposal is not None and self.proposal.hunks:
            self.wait_again()
        else:
            self.message = "Accepted."
            self.advance(Step.ACCEPTED)

    @property
    def has_changed_text(self) -> bool:
        """Whether something of it is in the document, as it was written."""
        return self.site.region.lines != self.original and not self.site.is_touched

    def settle_on(self, candidate: Candidate) -> None:
        """Drop the other candidates: something of this one is wanted."""
        if self.round is None or candidate not in self.round.candidates:
            # It was redirected: what is written now goes on without it.
            return
        for other in self.round.candidates:
            if other is not candidate:
                other.stop()
                self.spending.add([other])
                if self.is_generating:
                    self._n_wasted_chars += other.n_chars
        self.round.candidates = [candidate]

    async def is_written(self) -> None:
        """Wait until it waits for the user, or is over."""
        while self.state in _AT_WORK:
            self._changed.clear()
            await self._changed.wait()

    def show(self, candidate: Candidate) -> None:
        """Show another candidate."""
        self.shown = candidate
        if self.painter is not None:
            self.painter.replace(candidate.live.hunks)

    def document_closed(self) -> None:
        """Let go of a document that was closed."""
        self.site.release()
        self.stop("closed")

    def result(self, outcome: Outcome | None = None) -> EditResult:
        """What the session's command is answered with."""
        return EditResult(
            session_id=self.id,
            outcome=outcome or _OUTCOMES[self.state],
            tier=self.tier,
            reasons=self.reasons,
            checks=self.problems,
            message=self.message,
            superseded_by=self.id if outcome else self.superseded_by,
            timing=self._times(),
            usage=self.usage,
            wasted_n_tokens=self.wasted_n_tokens,
            edits=self.edits,
            version=self.version,
        )

    @property
    def wasted_n_tokens(self) -> int:
        """Tokens of stopped and losing generations, estimated."""
        return self._n_wasted_chars // CHARS_PER_TOKEN

    def take_stock(self, kept: Candidate | None) -> None:
        """Note what the round's generations were like, and what was for nothing."""
        if self.round is None:
            return
        if self.round is self._taken_stock_of:
            if self._kept is not None and kept is None:
                self._n_wasted_chars += self._kept.n_chars - self._kept.n_void_chars
                self._kept = None
            return
        self._taken_stock_of, self._kept = self.round, kept
        self.spending.add(self.round.candidates, kept=kept)
        for candidate in self.round.candidates:
            is_kept = candidate is kept
            n_chars = candidate.n_void_chars if is_kept else candidate.n_chars
            self._n_wasted_chars += n_chars
            if candidate.usage is not None:
                self.total_usage += candidate.usage
        reporter = kept or self.shown or self.round.candidates[0]
        if reporter.timing is not None:
            self.timing, self.writer = reporter.timing, reporter.model
        self.usage = reporter.usage or self.usage

    def _keep_written(self) -> bool:
        is_written = self.state in (State.GENERATING, State.CHECKING)
        if not (is_written and self.keeps_on_stop and self.shown is not None):
            return False
        proposal = self.shown.proposal
        if not proposal.hunks:
            return False
        self._silence()
        self.proposal = proposal
        self.message = "Stopped. The part already written is offered."
        if self.painter is not None:
            self.painter.replace(proposal.hunks)
            self.painter.flush()
        if self.progress is not None:
            self.progress.end(self.message)
        self.advance(Step.OFFER)
        return True

    @property
    def _last_turn(self) -> Turn | None:
        """The one that is next, or else being done."""
        if self.turn is not None or self.round is None:
            return self.turn
        return self.round.turn

    def _replan(self) -> bool:
        """Begin anew on the text as it is now, once the user pauses."""
        last = self._last_turn
        turn = Turn(
            instruction=self.instruction,
            from_comment=self.from_comment,
            earlier=None if last is None else last.earlier,
            draft=self.draft,
            wait_s=_TYPING_PAUSE_S,
        )
        if not self.is_generating:
            return False
        # What was shown is of a text that is no more.
        self.shown = None
        self.site.replan()
        self.original = self.site.region.lines
        if self.painter is not None:
            self.painter.replace(())
        return self.redirect(turn)

    def _give_up(self, why: StopReason) -> None:
        self.message = self._stop_message(why)
        self.advance(Step.STOP)

    def _stop_message(self, why: StopReason) -> str:
        if self._has_accepted or self.site.is_landing:
            return f"{_STOP_MESSAGES[why]} What you accepted is kept."
        if why in ("asked", "cancelled", "shutdown"):
            return f"{_STOP_MESSAGES[why]} Nothing was changed."
        return _STOP_MESSAGES[why]

    def _silence(self) -> None:
        """Stop what is written, and count it as written for nothing."""
        if self.round is not None:
            self.round.stop()
            self.take_stock(None)

    def _let_go(self) -> None:
        if self.turn is not None:
            self.turn.begun.set()
        self._news.set()
        self.on_end()
        self.site.release()
        if self.painter is not None:
            self.painter.close()
            self._editor.ended(
                EditEnded(
                    session_id=self.id,
                    outcome=_ENDINGS[self.state],
                    message=self.message,
                    superseded_by=self.superseded_by,
                )
            )
        if self.progress is not None:
            self.progress.end(self.message or self.state.value.capitalize() + ".")

    def _times(self) -> EditTiming:
        timing = self.timing
        if timing is None:
            return EditTiming(ended_s=self._since(self._answered))
        return EditTiming(
            sent_s=self._since(timing.sent),
            first_delta_s=self._since(timing.first_delta),
            last_delta_s=self._since(timing.last_delta),
            ended_s=self._since(self._answered),
        )

    def _since(self, at: float | None) -> float | None:
        return None if at is None else at - self._received


def _comment_of(request: EditRequest, site: Site) -> InstructionComment | None:
    if request.from_comment is None:
        return None
    return read_comment(site.document.snapshot().lines, request.from_comment)


_KEPT_PART = "A part of it is in the document; `redline.takeBack` takes that back."

_AT_WORK = frozenset({State.ROUTING, State.GENERATING, State.CHECKING})

_COMMITTED = frozenset({State.APPLYING, State.WITHDRAWING})
"""States in which an edit of ours may be on its way: not to be stopped."""

_TYPING_PAUSE_S = 0.4
"""A pause in typing after which somebody has most likely finished a word."""

_OUTCOMES: dict[State, Outcome] = {
    State.APPLIED: "applied",
    State.COMPUTED: "computed",
    State.ACCEPTED: "applied",
    State.OFFERED: "offered",
    State.HELD: "held",
    State.UNCHANGED: "unchanged",
    State.REJECTED: "unchanged",
    State.STOPPED: "stopped",
    State.SUPERSEDED: "superseded",
    # A failed session's command is answered by its error.
    State.FAILED: "stopped",
}

_ENDINGS: dict[State, Ending] = {
    State.APPLIED: "accepted",
    State.ACCEPTED: "accepted",
    State.COMPUTED: "accepted",
    State.REJECTED: "rejected",
    State.UNCHANGED: "unchanged",
    State.STOPPED: "stopped",
    State.FAILED: "failed",
    State.SUPERSEDED: "superseded",
}
