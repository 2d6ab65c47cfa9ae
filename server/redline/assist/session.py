"""An edit session: one instruction on one region, and where it stands.

The session owns its state, its anchor and whatever must end at once when it is stopped.
It never awaits: `edit.py` runs it. Everything that can end it from outside (a stop,
typing into the region, closing the document, another session taking over) is a plain
call that has taken effect when it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from redline.assist.editor import EditEnded, Editor, EditProgress, Ending
from redline.assist.flight import Flight
from redline.assist.painter import Painter
from redline.assist.result import EditRequest, EditResult, EditTiming, Outcome
from redline.assist.states import ENDS, State, Step, after, can
from redline.checks.problem import Problem
from redline.models.interface import Finish, Generation, Timing, Usage
from redline.prompts.surroundings import with_line_feeds
from redline.routing.route import Route
from redline.text.document import Document
from redline.text.proposal import Proposal, ProposedHunk, propose
from redline.text.region import Region, overlap, region_at, region_of
from redline.text.streaming_diff import StreamingDiff

_LABEL_N_CHARS = 60

StopReason = Literal["asked", "cancelled", "typed", "closed", "shutdown"]

_STOP_MESSAGES: dict[StopReason, str] = {
    "asked": "Stopped.",
    "cancelled": "Cancelled.",
    "typed": "The range was changed meanwhile, so the edit was dropped; "
    "your text is kept.",
    "closed": "The document was closed, so the edit was dropped.",
    "shutdown": "Redline is shutting down.",
}


class EditSession:
    """One instruction on one region."""

    def __init__(
        self,
        *,
        request: EditRequest,
        document: Document,
        region: Region,
        editor: Editor,
        received: float,
        on_change: Callable[[EditSession], None],
    ) -> None:
        self.id = request.session_id
        self.request = request
        self.document = document
        self.region = region
        self.anchor = document.anchor(region.range)
        self.draft: str | None = None
        """What a session that this one took over had written, for the prompt."""
        self.route: Route | None = None
        self.reasons: tuple[str, ...] = ()
        self.problems: tuple[Problem, ...] = ()
        self.message: str | None = None
        self.superseded_by: str | None = None
        self.generation: Generation | None = None
        self.timing: Timing | None = None
        """Of the last generation."""
        self.usage: Usage | None = None
        self.diff: StreamingDiff | None = None
        self.written: list[str] = []
        """The lines of the region's new text that are certain so far."""
        self.proposal: Proposal | None = None
        self.painter: Painter | None = None
        self.progress: EditProgress | None = None
        self.keeps_on_stop = False
        """Whether a stop offers the part already written."""
        self.is_queued = False
        """Whether its region is not settled yet, since an edit of the same text is on
        its way into the document."""
        self.on_end: Callable[[], object] = lambda: None
        """Called once, when it ends."""
        self.state = State.ROUTING
        self._editor = editor
        self._received = received
        self._ended: float | None = None
        self._on_change = on_change
        self._flight: Flight | None = None
        self._back: Step | None = None
        """How an offer waits on after some of it was accepted; None: no offer yet."""
        self._is_partly_accepted = False
        self._given_up: StopReason | None = None

    @property
    def has_ended(self) -> bool:
        """Whether nothing can happen to it any more."""
        return self.state in ENDS

    @property
    def is_generating(self) -> bool:
        """Whether it still wants what the model writes."""
        return self.state is State.GENERATING

    @property
    def label(self) -> str:
        """A short name of it for people, such as the editor's undo menu."""
        first_line = self.request.instruction.strip().splitlines()[0]
        return f"Redline: {first_line[:_LABEL_N_CHARS]}"

    @property
    def first_line(self) -> int:
        """Where the region's first line is now, or where new ones will be."""
        start = self.anchor.range.start
        is_after_line = not self.region.lines and start.character > 0
        return start.line + is_after_line

    @property
    def lines_now(self) -> range:
        """Indexes of the region's lines; an empty one is the place before its start."""
        return range(self.first_line, self.first_line + len(self.region.lines))

    @property
    def is_lost(self) -> bool:
        """Whether its edit has no place any more."""
        return self._lost_why() is not None

    def overlaps(self, other: EditSession) -> bool:
        """Whether the two work on the same text."""
        return (
            self.document is other.document
            and not self.has_ended
            and overlap(self.lines_now, other.lines_now)
        )

    def draft_for(self, region: Region) -> str | None:
        """What it has written, as an unfinished draft of a region around its own.

        Returns:
            None if nothing was written, or if its region is not inside the other.
        """
        first = self.first_line - region.first
        end = first + len(self.region.lines)
        if first < 0 or end > len(region.lines):
            return None
        head = region.lines[:first]
        if self.proposal is not None:
            tail = region.lines[end:]
            return with_line_feeds([*head, *self.proposal.new_lines, *tail])
        if self.written:
            return with_line_feeds([*head, *self.written])
        return None if self.draft is None else with_line_feeds(head) + self.draft

    def advance(self, step: Step) -> None:
        """Take a step; an end lets go of everything the session holds.

        Raises:
            LocalProtocolError: If the step is not possible now.
        """
        self.state = after(self.state, step)
        if self.has_ended:
            self._let_go()
        self._on_change(self)

    def stop(self, why: StopReason) -> bool:
        """Stop it at once.

        Returns:
            Whether it was stopped. A session that is over cannot be, nor one whose edit
            has been sent to the editor; where there is no sense in waiting for that
            edit, it is given up and stops a moment later.
        """
        if self.state is State.APPLYING:
            if why in ("closed", "shutdown"):
                self._give_up(why)
            return False
        if not can(self.state, Step.STOP):
            return False
        if why == "asked" and self._keep_written():
            return True
        self._stop(why)
        return True

    def supersede(self, by: str) -> None:
        """End it because another session took over its region."""
        self.superseded_by = by
        self.message = "A newer edit of the same range took over."
        self.advance(Step.SUPERSEDE)

    def fail(self, message: str) -> None:
        """End it because something outside failed; the document is as it was."""
        if can(self.state, Step.FAIL):
            self.message = message
            self.advance(Step.FAIL)

    def settle_region(self) -> None:
        """Take as its region what its anchor covers now, and leave the queue."""
        anchored = self.anchor.range
        lines = self.document.snapshot().lines
        self._move_to(region_of(lines, anchored, is_place=not self.region.lines))
        self.is_queued = False

    def begin_accepting(self) -> None:
        """Have hunks of its offer brought into the document."""
        self._back = Step.HOLD if self.state is State.HELD else Step.OFFER
        self.advance(Step.ACCEPT)

    def send_off(self, hunks: Sequence[ProposedHunk]) -> Flight:
        """Make an edit of hunks of its proposal, for the document as it is now."""
        self._flight = Flight(
            self.document,
            hunks,
            start=self.anchor.range.start,
            n_lines=len(self.region.lines),
        )
        return self._flight

    def call_off(self) -> None:
        """Stop looking for an edit of ours in the document."""
        if self._flight is not None:
            self._flight.end(landed=False)
            self._flight = None

    def wait_again(self) -> None:
        """Have its offer wait on, if it was one and still has a place."""
        if self.state is not State.APPLYING or self._back is None:
            return
        if self.is_lost:
            self.drop()
            return
        self.advance(self._back)
        if self.painter is not None and self.proposal is not None:
            n_lines = len(self.proposal.old_lines)
            self.painter.replace(self.proposal.hunks, n_lines=n_lines)

    def drop(self) -> None:
        """End it because its edit has no place any more."""
        self._stop(self._lost_why() or "typed")

    def document_changed(self) -> None:
        """Follow a change of the document."""
        if self.state is State.APPLYING:
            if self._flight is not None and self._flight.is_seen():
                self._land(self._flight)
        elif self.is_queued:
            return
        elif self.is_lost:
            self.stop("typed")
        elif self.painter is not None:
            self.painter.moved()

    def document_closed(self) -> None:
        """Let go of a document that was closed."""
        self.stop("closed")

    def result(self) -> EditResult:
        """What the session's command is answered with."""
        return EditResult(
            session_id=self.id,
            outcome=_OUTCOMES[self.state],
            tier=self.route.tier if self.route is not None else "fast",
            reasons=self.reasons,
            checks=self.problems,
            message=self.message,
            superseded_by=self.superseded_by,
            timing=self._times(),
            usage=self.usage,
        )

    def take_finish(self, finish: Finish) -> None:
        """Note what the provider says at the end of a generation."""
        if finish.usage is not None:
            self.usage = finish.usage
        if self.generation is not None:
            self.timing = self.generation.timing

    def _keep_written(self) -> bool:
        if not (self.is_generating and self.keeps_on_stop and self.diff is not None):
            return False
        proposal = propose(self.region.lines, self.diff.hunks)
        if not proposal.hunks:
            return False
        self._silence()
        self.proposal = proposal
        self.message = "Stopped. The part already written is offered."
        self.advance(Step.OFFER)
        if self.painter is not None:
            self.painter.replace(proposal.hunks, n_lines=len(proposal.old_lines))
            self.painter.flush()
        if self.progress is not None:
            self.progress.end(self.message)
        return True

    def _lost_why(self) -> StopReason | None:
        if self._given_up is not None:
            return self._given_up
        # Where the region has no text of its own to be touched, it is lost once
        # somebody typed there without a line end.
        place = self.region.range
        is_moved = self.anchor.range.start.character != place.start.character
        is_lost = self.anchor.is_touched or (place.is_empty and is_moved)
        return "typed" if is_lost else None

    def _stop(self, why: StopReason) -> None:
        self.message = _STOP_MESSAGES[why]
        if self._is_partly_accepted:
            self.message += " What you accepted is kept."
        elif why in ("asked", "cancelled", "shutdown"):
            self.message += " Nothing was changed."
        self.advance(Step.STOP)

    def _give_up(self, why: StopReason) -> None:
        self._given_up = why
        self.call_off()

    def _land(self, flight: Flight) -> None:
        """Make what has landed the region that the rest of an offer is about."""
        assert self.proposal is not None
        self.proposal = self.proposal.after_accepting(flight.hunks)
        self._move_to(region_at(flight.region_start, self.proposal.old_lines))
        flight.end(landed=True)
        self._flight = None
        if self._back is None:
            self.advance(Step.LANDED)
        elif not self.proposal.hunks:
            self.message = "Accepted."
            self.advance(Step.ACCEPTED)
        else:
            self._is_partly_accepted = True
            self.wait_again()

    def _move_to(self, region: Region) -> None:
        self.document.release(self.anchor)
        self.region = region
        self.anchor = self.document.anchor(region.range)

    def _silence(self) -> None:
        if self.generation is not None:
            self.timing = self.generation.timing
            self.generation.stop()
            self.generation = None

    def _let_go(self) -> None:
        self._silence()
        self.on_end()
        self.call_off()
        self.document.release(self.anchor)
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
            return EditTiming(ended_s=self._since(self._ended))
        return EditTiming(
            sent_s=self._since(timing.sent),
            first_delta_s=self._since(timing.first_delta),
            last_delta_s=self._since(timing.last_delta),
            ended_s=self._since(self._ended),
        )

    def note_end(self, now: float) -> None:
        """Note when its command is answered, in the event loop's seconds."""
        self._ended = now

    def _since(self, at: float | None) -> float | None:
        return None if at is None else at - self._received


_OUTCOMES: dict[State, Outcome] = {
    State.APPLIED: "applied",
    State.ACCEPTED: "applied",
    State.OFFERED: "offered",
    State.HELD: "held",
    # What a stop has kept may be accepted before the stopped command is answered.
    State.APPLYING: "offered",
    State.UNCHANGED: "unchanged",
    State.REJECTED: "unchanged",
    State.STOPPED: "stopped",
    State.SUPERSEDED: "superseded",
}

_ENDINGS: dict[State, Ending] = {
    State.APPLIED: "accepted",
    State.ACCEPTED: "accepted",
    State.REJECTED: "rejected",
    State.UNCHANGED: "unchanged",
    State.STOPPED: "stopped",
    State.FAILED: "failed",
    State.SUPERSEDED: "superseded",
}
