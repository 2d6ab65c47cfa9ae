"""An edit session: one instruction on one region, and its state.

The session owns everything about itself; other modules read it and call its methods. It
never awaits: `runner.py` runs it. Everything that can end or redirect it from outside
(a stop, a redirect, typing into the region, closing the document, another session
taking over) is a plain call that has taken effect when it returns.

Its parts are the *lifecycle* (state, message, answer to the command), the *attempts*
(the next and the current one), the *chosen tier* (which one writes, and why), the
*offer* (what is shown and waits for the user), the *acceptance* (the user's answers)
the *account* (time, tokens and cost) and the *stopping*. No part knows the session.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Collection
from copy import copy

from msgspec.structs import replace

from redline.assist.edit.attempts.attempt import AttemptSpec
from redline.assist.edit.attempts.attempts import Attempts
from redline.assist.edit.attempts.candidate import Candidate
from redline.assist.edit.session.acceptance import Acceptance
from redline.assist.edit.session.account import Account
from redline.assist.edit.session.answers import ENDINGS, OUTCOMES, times_of
from redline.assist.edit.session.assumptions import assumptions
from redline.assist.edit.session.change_report import change_report, no_change_report
from redline.assist.edit.session.chosen_tier import ChosenTier, Retry, Routing
from redline.assist.edit.session.drafts import draft_for
from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.edit.session.lifecycle import Lifecycle
from redline.assist.edit.session.offer import Offer
from redline.assist.edit.session.painter import Painter
from redline.assist.edit.session.result import EditRequest, EditResult, Mode, Outcome
from redline.assist.edit.session.states import State, Step
from redline.assist.edit.session.stopping import Stopping
from redline.assist.editor.editor import Began, EditEnd, Editor
from redline.assist.editor.workspace import display_name
from redline.errors import RedlineError
from redline.routing.tag import Tag
from redline.text.instruction_comment import InstructionComment, read_comment

_TITLE_N_CHARS = 60

_KEPT_PART = "A part of it is in the document; `redline.takeBack` takes that back."


class EditSession:
    """One instruction on one region."""

    def __init__(
        self,
        *,
        request: EditRequest,
        edit_target: EditTarget,
        editor: Editor,
        received: float,
        on_change: Callable[[EditSession], None],
        wait_s: float = 0.0,
    ) -> None:
        """Create a session in state `ROUTING`.

        Args:
            request: The request that opens it.
            edit_target: The region to edit.
            editor: Shows the preview and the progress.
            received: When the request was read, in the event loop's seconds.
            on_change: Called after each step.
            wait_s: How long to wait for a newer instruction.
        """
        # Its subject.
        self.id = request.session_id
        self.request = request
        self.instruction = request.instruction
        self.from_comment = _comment_of(request, edit_target)
        """The comment that holds the instruction."""
        self.assumes = assumptions(request, edit_target, self.instruction)
        """What the instruction leaves open and is taken for granted, as sentences."""
        self._later_tag: Tag | None = None
        """What an instruction named after the request."""
        self.image_description: str | None = None
        """The attached images in words, for models that do not read images."""
        self.edit_target = edit_target
        # How it is carried out.
        self.mode: Mode = "end"
        self.replans = False
        """Whether typing inside the region starts over instead of stopping."""
        self.superseded_by: str | None = None
        self.is_continued = False
        """Whether the session that took over goes on with what this one wrote."""
        # Its parts.
        self.lifecycle = Lifecycle(received=received, on_step=self._stepped)
        first = AttemptSpec(
            instruction=self.instruction, from_comment=self.from_comment, wait_s=wait_s
        )
        self.attempts = Attempts(first)
        self.chosen = ChosenTier()
        self.offer = Offer()
        self.account = Account()
        self.acceptance = Acceptance(
            edit_target=edit_target,
            lifecycle=self.lifecycle,
            attempts=self.attempts,
            offer=self.offer,
            account=self.account,
        )
        self.stopping = Stopping(
            lifecycle=self.lifecycle,
            attempts=self.attempts,
            offer=self.offer,
            account=self.account,
            acceptance=self.acceptance,
        )
        self.new_id = itertools.count().__next__
        """Returns hunk ids that are unique among all candidates."""
        self._editor = editor
        self._on_change = on_change

    @property
    def state(self) -> State:
        return self.lifecycle.state

    @property
    def message(self) -> str | None:
        """What the user should know."""
        return self.lifecycle.message

    @property
    def is_draft(self) -> bool:
        """Whether the instruction is still being typed: nothing is applied."""
        return self.request.is_draft

    @property
    def title(self) -> str:
        """The title of its request, or the beginning of its instruction."""
        if self.request.title and self.instruction == self.request.instruction:
            return self.request.title
        first_line = (self.instruction.strip() or "edit").splitlines()[0]
        return first_line[:_TITLE_N_CHARS]

    @property
    def label(self) -> str:
        """A short name for people, for example in the editor's undo menu."""
        return f"Redline: {self.title}"

    def overlaps(self, other: EditSession) -> bool:
        """Whether the two work on the same text."""
        return not self.state.is_end and self.edit_target.overlaps(other.edit_target)

    def result(self, outcome: Outcome | None = None) -> EditResult:
        """Return the answer to its command."""
        account, lifecycle = self.account, self.lifecycle
        return EditResult(
            session_id=self.id,
            outcome=outcome or OUTCOMES[self.state],
            tier=self.chosen.tier,
            reasons=self.chosen.reasons,
            assumes=self.assumes,
            checks=self.offer.problems,
            message=self.message,
            superseded_by=self.id if outcome else self.superseded_by,
            timing=times_of(
                account.timing,
                received=lifecycle.received,
                answered=lifecycle.answered_at,
            ),
            usage=account.usage,
            wasted_n_tokens=account.wasted_n_tokens,
            edits=self.offer.edits,
            version=self.offer.version,
        )

    # Its beginning, and decisions about it.

    def take_over(self, other: EditSession) -> None:
        """End another session on the same text, and continue from its draft."""
        other.drop_imports()
        draft = (
            None
            if self.edit_target.parts
            else draft_for(
                self.edit_target.region,
                edit_target=other.edit_target,
                offer=other.offer,
                attempts=other.attempts,
            )
        )
        if draft is not None:
            self.attempts.begin_with(draft)
        other.supersede(self.id, is_continued=draft is not None)

    def begin(self, mode: Mode, *, keeps_on_stop: bool, replans: bool) -> None:
        """Start to write; `report_start` follows.

        Args:
            mode: How the outcome reaches the document.
            keeps_on_stop: Whether a stop offers the part already written.
            replans: Whether typing inside the region starts over instead of stopping.
        """
        self.mode = mode
        self.stopping.offer_written(is_wanted=keeps_on_stop and mode == "preview")
        self.replans = replans
        self.lifecycle.advance(Step.ROUTED)

    def report_start(self) -> None:
        """Report that it writes: not before its request is sent, which goes first."""
        self._on_change(self)

    def begin_preview(self, paints_per_s: float) -> None:
        """Open the preview; written text is painted from now on."""
        painter = Painter(
            editor=self._editor,
            session_id=self.id,
            edit_target=self.edit_target,
            paints_per_s=paints_per_s,
        )
        self.offer.paint_with(painter)
        self._editor.began(
            Began(
                session_id=self.id,
                snapshot=self.edit_target.document.snapshot(),
                range=self.edit_target.place,
                tier=self.chosen.route.tier if self.chosen.route else "fast",
                reasons=self.chosen.reasons,
                assumes=self.assumes,
            )
        )

    def add_imports(self, candidates: Collection[Candidate]) -> None:
        """Offer the changes of imports above the range with the others.

        Args:
            candidates: Those that can be offered, checked.
        """
        target = self.edit_target
        above = target.document.snapshot().lines[: target.first_line]
        for candidate in candidates:
            candidate.note_lost_imports(above)
        starts = [
            hunk.start
            for candidate in candidates
            for hunk in candidate.imports_in(above)
        ]
        if not starts or target.is_touched or target.is_released:
            return
        # A client reveals the first change that it paints: one in the range.
        self.offer.flush()
        first = min(starts)
        target.widen(first)
        for candidate in candidates:
            candidate.put_imports_above(above, first)
        self.offer.repaint()

    def drop_imports(self) -> None:
        """Work on the range alone again, because something else is to be written."""
        if not self.edit_target.n_above or not self.lifecycle.can(Step.REDIRECT):
            return
        for candidate in {*self.attempts.finished, self.offer.shown}:
            if candidate is not None:
                candidate.live.drop_above()
        self.edit_target.narrow()
        self.offer.drop_imports()

    def forget_images(self) -> None:
        """Forget the description of images that are no longer the attached ones."""
        self.image_description = None

    def describe_images(self, description: str, title: str) -> None:
        """Store the words of a model that has read the attached images."""
        self.image_description = description
        tier = self.chosen.tier
        self.chosen.explain(
            f"{title} described the attached image, which the {tier} tier's model "
            "does not read."
        )

    def retry(self, retry: Retry) -> None:
        """Start another attempt about the checked candidate."""
        if retry.turn.purpose == "repair":
            self.account.repaired()
        self.chosen.retry(retry)
        self.attempts.retry(retry.turn)
        self.lifecycle.advance(Step.RETRY)

    def hand_down(self, routing: Routing) -> None:
        """Let a lower tier write, because nothing has been written yet."""
        taken = self.attempts.taken
        if taken is None or not self.lifecycle.can(Step.REDIRECT):
            return
        self.stopping.silence()
        self.account.count(self.attempts.candidates)
        # The old spec's tasks have been woken already.
        self.attempts.redirect(replace(taken, begun=asyncio.Event()))
        self.chosen.follow(routing)
        self.offer.report(f"{self.title} ({routing.route.tier})")
        self.lifecycle.advance(Step.REDIRECT)

    def redirect(self, turn: AttemptSpec) -> bool:
        """Start another attempt; painted hunks stay until its text reaches them.

        Returns:
            False if it cannot: an edit on its way to the editor, or the end, is final.
        """
        if not self.lifecycle.can(Step.REDIRECT):
            turn.begun.set()
            return False
        if self.state is State.GENERATING:
            self.stopping.silence()
        self.account.count(self.attempts.candidates)
        self.account.redirected()
        self.attempts.redirect(turn)
        self.instruct(turn.instruction, turn.from_comment)
        self.chosen.redirect()
        self.offer.withdraw()
        self.lifecycle.clear_message()
        self.lifecycle.advance(Step.REDIRECT)
        return True

    def instruct(
        self, instruction: str, from_comment: InstructionComment | None
    ) -> None:
        """Set the instruction, and show it in the progress."""
        self.instruction = instruction
        self.from_comment = from_comment
        self.assumes = assumptions(self.request, self.edit_target, instruction)
        if not self.state.is_waiting:
            self.offer.report(self.title)

    def name_writer(self, tag: Tag) -> None:
        """Send it to a tier or a model from its next instruction on."""
        self._later_tag = tag
        self.request = replace(self.request, tier=tag.tier, model=tag.model)

    def type_on(self, request: EditRequest, mode: Mode) -> None:
        """Take what a newer request says beside its instruction."""
        named = request if request.has_writer else self._later_tag or request
        self.request = replace(
            self.request,
            tier=named.tier,
            model=named.model,
            attachments=request.attachments,
            is_draft=request.is_draft,
            apply=request.apply,
            n_candidates=request.n_candidates,
        )
        if self.state is not State.ROUTING:
            self.mode = mode

    # Ends.

    def supersede(self, by: str, *, is_continued: bool) -> None:
        """End, because another session took over the region."""
        self.superseded_by = by
        self.is_continued = is_continued
        self.lifecycle.advance(
            Step.SUPERSEDE, "A newer edit of the same range took over."
        )

    def fail(self, error: BaseException, message: str) -> bool:
        """End, because something failed; text in the document stays.

        Returns:
            Whether its command was answered with the error.
        """
        if not self.lifecycle.can(Step.FAIL):
            return False
        if self.edit_target.has_changed and isinstance(error, RedlineError):
            # A copy: a model may hand out the same error several times.
            error = copy(error)
            error.advise(_KEPT_PART)
            message = f"{message} {_KEPT_PART}"
        is_asked = self.lifecycle.reply_error(error)
        self.lifecycle.advance(Step.FAIL, message)
        return is_asked

    # Private.

    def _stepped(self, before: State) -> None:
        """Do what follows from a step."""
        state = self.state
        if state.is_end and before is State.GENERATING:
            self.stopping.silence()
        if state.is_end or state.is_waiting:
            # Before the preview ends, so that both leave in one write.
            self.lifecycle.reply(self.result)
        if state.is_end:
            self._let_go()
        if before is State.CHECKING and state in (State.UNCHANGED, State.HELD):
            self._report_no_change()
        if before is not State.ROUTING or state is not State.GENERATING:
            self._on_change(self)

    def _let_go(self) -> None:
        self.attempts.drop_next()
        self.edit_target.release()
        if self.offer.close():
            self._editor.ended(
                EditEnd(
                    session_id=self.id,
                    outcome=ENDINGS[self.state],
                    message=self.message,
                    superseded_by=self.superseded_by,
                )
            )
        self.offer.end_progress(self.message or self.state.value.capitalize() + ".")
        self._report_change()

    def _report_change(self) -> None:
        """Say what changed, to a client that showed no preview of it."""
        is_in = self.state in (State.APPLIED, State.ACCEPTED)
        target = self.edit_target
        if self._editor.traits.has_preview or not (is_in and target.has_changed):
            return
        report = change_report(
            target.original,
            target.region.lines,
            name=display_name(self.request.uri),
            has_steps=self.acceptance.has_steps,
        )
        # What the user accepted needs no further words.
        also = self.message if self.state is State.APPLIED else None
        self._editor.show_message(f"{report} {also}" if also else report)

    def _report_no_change(self) -> None:
        """Say why nothing changed, to a client that shows no preview of it."""
        if not self._editor.traits.has_preview:
            name = display_name(self.request.uri)
            self._editor.show_message(no_change_report(self.message, name=name))


def _comment_of(
    request: EditRequest, edit_target: EditTarget
) -> InstructionComment | None:
    if request.from_comment is None:
        return None
    return read_comment(edit_target.document.snapshot().lines, request.from_comment)
