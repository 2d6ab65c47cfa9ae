"""The user's answers to one session's offer, step by step.

While accepted hunks are being applied, the session is `applying`. It then returns to
the offer, unless every hunk has been answered or the text under the offer is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from redline.assist.edit.attempts.attempts import Attempts
from redline.assist.edit.attempts.candidate import Candidate
from redline.assist.edit.session.account import Account
from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.edit.session.lifecycle import Lifecycle, StopReason
from redline.assist.edit.session.offer import Offer
from redline.assist.edit.session.states import State, Step
from redline.text.streaming_diff import Hunk


class Acceptance:
    """The answers to one session's offer."""

    def __init__(
        self,
        *,
        edit_target: EditTarget,
        lifecycle: Lifecycle,
        attempts: Attempts,
        offer: Offer,
        account: Account,
    ) -> None:
        self._edit_target = edit_target
        self._lifecycle = lifecycle
        self._attempts = attempts
        self._offer = offer
        self._account = account
        self._back = Step.OFFER
        """The step that returns to the offer after hunks of it were applied."""
        self._has_accepted = False
        """Whether the user has accepted a part, which is in the document."""
        self.has_steps = False
        """Whether growing steps were sent to the document."""

    def wait_for_user(self, step: Step, message: str | None) -> None:
        """Offer or hold the proposal."""
        status = message or self._lifecycle.message or "Offered in the preview."
        self._offer.end_progress(status)
        self._lifecycle.advance(step, message)

    # Accepting.

    def settle_on(self, candidate: Candidate) -> None:
        """Stop the other candidates, because the user accepted a part of this one."""
        is_writing = self._lifecycle.state is State.GENERATING
        for other in self._attempts.keep_only(candidate):
            self._account.count_loser(other, is_writing=is_writing)

    def begin(self) -> None:
        """Start applying hunks of the offer."""
        is_held = self._lifecycle.state is State.HELD
        self._back = Step.HOLD if is_held else Step.OFFER
        if self._offer.shown is not None:
            self.settle_on(self._offer.shown)
        self._lifecycle.advance(Step.ACCEPT)

    def landed(self, hunks: Sequence[Hunk]) -> None:
        """Record at once that hunks of the shown candidate are in the document."""
        is_applying = self._lifecycle.state is State.APPLYING
        self._has_accepted = True
        self._account.applied(asyncio.get_running_loop().time())
        self._attempts.carry_nothing()
        # After a redirect another candidate is being written on the same text.
        self._offer.accept(
            hunks, writing=self._attempts.candidates, is_whole=is_applying
        )
        if is_applying and self._offer.proposal and self._offer.proposal.hunks:
            self.wait_again()
        elif is_applying:
            self._lifecycle.advance(Step.ACCEPTED, "Accepted.")

    def landed_whole(self) -> None:
        """Record that the whole edit is in the document."""
        self._account.applied(asyncio.get_running_loop().time())
        self._lifecycle.advance(Step.LANDED)

    def begin_steps(self) -> None:
        """Record that a growing step was sent: from now on a stop takes steps back."""
        self.has_steps = True

    def wait_again(self) -> None:
        """Return to the offer, unless the edit has landed or its range is gone."""
        self.not_landed()
        if self._lifecycle.state is State.APPLYING:
            self._lifecycle.advance(self._back)

    def not_landed(self) -> None:
        """Stop if the user typed in the range or closed the document meanwhile."""
        if self._lifecycle.state is not State.APPLYING:
            return
        if self._edit_target.is_released:
            self.give_up("closed")
        elif self._edit_target.is_touched:
            self.give_up("typed")

    # Rejecting, and ending the session.

    def reject(self, hunk_ids: Collection[int]) -> None:
        """Drop hunks that are offered or still written."""
        if self._lifecycle.state.is_at_work:
            self._attempts.carry_without(hunk_ids)
            self._offer.reject_written(hunk_ids, writing=self._attempts.candidates)
        elif self._lifecycle.state.is_waiting:
            self._offer.reject(hunk_ids)
            self.end_if_answered()

    def end_if_answered(self) -> None:
        """End the session if every hunk has been accepted or rejected."""
        if self._offer.is_empty:
            self.end()

    def end(self) -> None:
        """End the session once the user has answered every hunk of it."""
        if self._has_accepted or self._edit_target.has_changed:
            self._lifecycle.advance(Step.ACCEPTED, "Accepted.")
        else:
            self._lifecycle.advance(Step.REJECT, "Rejected.")

    def next_candidate(self) -> None:
        """Offer the next candidate, the best one after the last."""
        choices = self._attempts.finished
        if not self._lifecycle.state.is_waiting or len(choices) < 2:
            return
        shown = self._offer.shown
        at = choices.index(shown) if shown in choices else -1
        candidate = choices[(at + 1) % len(choices)]
        self._offer.show(candidate)
        self._offer.propose(candidate.proposal)
        self._lifecycle.advance(Step.HOLD if candidate.problems else Step.OFFER)

    # Stopping.

    def give_up(self, why: StopReason) -> None:
        """Stop even if an edit is on its way to the editor: nothing waits for it."""
        if self._lifecycle.can(Step.STOP):
            self.stop(why, takes_back=False)

    def stop(self, why: StopReason, *, takes_back: bool) -> None:
        """Stop, with a message that says what stays in the document."""
        has_changed = self._has_accepted or self._edit_target.is_landing
        self._lifecycle.stop(why, has_changed=has_changed, takes_back=takes_back)
