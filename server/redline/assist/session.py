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
from redline.assist.painter import Painter
from redline.assist.result import EditRequest, EditResult, EditTiming, Outcome
from redline.assist.states import ENDS, State, Step, after, can
from redline.checks.problem import Problem
from redline.models.interface import Finish, Generation, Timing, Usage
from redline.prompts.surroundings import with_line_feeds
from redline.routing.route import Route
from redline.text.document import Document
from redline.text.line_diff import LineHunk, apply_hunks
from redline.text.position import Position
from redline.text.proposal import Proposal, propose
from redline.text.region import Landing, Region, region_at
from redline.text.streaming_diff import StreamingDiff

_LABEL_N_CHARS = 60

StopReason = Literal["asked", "cancelled", "typed", "closed", "shutdown"]

_STOP_MESSAGES: dict[StopReason, str] = {
    "asked": "Stopped. Nothing was changed.",
    "cancelled": "Cancelled. Nothing was changed.",
    "typed": "You typed inside the range, so the edit was dropped; your text is kept.",
    "closed": "The document was closed, so the edit was dropped.",
    "shutdown": "Redline is shutting down; nothing was changed.",
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
        self.on_end: Callable[[], object] = lambda: None
        """Called once, when it ends."""
        self.state = State.ROUTING
        self._editor = editor
        self._received = received
        self._ended: float | None = None
        self._on_change = on_change
        self._landing: Landing | None = None
        self._on_landed: Callable[[bool], None] | None = None

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

    def overlaps(self, other: EditSession) -> bool:
        """Whether the two work on the same text."""
        return (
            self.document is other.document
            and not self.has_ended
            and self.anchor.range.overlaps(other.anchor.range)
        )

    def draft_for(self, region: Region) -> str | None:
        """What it has written, as an unfinished draft of a region around its own.

        Returns:
            None if nothing was written, or if its region is not inside the other.
        """
        first = self.anchor.range.start.line - region.first
        end = first + len(self.region.lines)
        written = self.written if self.proposal is None else self.proposal.new_lines
        if not written or first < 0 or end > len(region.lines):
            return None
        tail = region.lines[end:] if self.proposal is not None else ()
        return with_line_feeds([*region.lines[:first], *written, *tail])

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
            Whether there was something to stop: an edit that has been sent to the
            editor, or a session that is over, cannot be stopped.
        """
        if not can(self.state, Step.STOP) or self.state is State.APPLYING:
            return False
        if why == "asked" and self._keep_written():
            return True
        self.message = _STOP_MESSAGES[why]
        self.advance(Step.STOP)
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

    def expect_landing(
        self, landing: Landing, on_landed: Callable[[bool], None]
    ) -> None:
        """Call back when the document shows an edit of ours, or is closed."""
        self._landing = landing
        self._on_landed = on_landed

    def forget_landing(self) -> None:
        """Stop looking for an edit of ours."""
        self._landing = None
        self._on_landed = None

    def take_over_landed(self, start: Position, changes: Sequence[LineHunk]) -> None:
        """Make what has landed the region that the rest of an offer is about.

        Args:
            start: Where the region starts.
            changes: What landed, in lines of the region before.
        """
        lines = tuple(apply_hunks(self.region.lines, changes))
        self.document.release(self.anchor)
        self.region = region_at(start, lines)
        self.anchor = self.document.anchor(self.region.range)

    def document_changed(self) -> None:
        """Follow a change of the document."""
        if self.state is State.APPLYING:
            if self._landing is not None and self._landing.is_seen_in(
                self.document.snapshot().lines
            ):
                self._landed(seen=True)
        elif self.anchor.is_touched or self._place_is_lost():
            self.stop("typed")
        elif self.painter is not None:
            self.painter.moved()

    def document_closed(self) -> None:
        """Let go of a document that was closed."""
        if self.state is State.APPLYING:
            self._landed(seen=False)
        else:
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

    def _place_is_lost(self) -> bool:
        # New lines that were to stand between two lines have no such place any more
        # once somebody typed there without a line end.
        start = self.anchor.range.start
        return not self.region.lines and start.character != (
            self.region.range.start.character
        )

    def _silence(self) -> None:
        if self.generation is not None:
            self.timing = self.generation.timing
            self.generation.stop()
            self.generation = None

    def _landed(self, *, seen: bool) -> None:
        callback = self._on_landed
        self.forget_landing()
        if callback is not None:
            callback(seen)

    def _let_go(self) -> None:
        self._silence()
        self.on_end()
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
