"""How one session is stopped: by the user, by typing, by closing, by shutdown.

Everything has taken effect when the call returns: the candidates are silent, and the
session is over or offers what was written.
"""

from __future__ import annotations

from redline.assist.edit.attempts.attempts import Attempts
from redline.assist.edit.session.acceptance import Acceptance
from redline.assist.edit.session.account import Account
from redline.assist.edit.session.lifecycle import Lifecycle, StopReason
from redline.assist.edit.session.offer import Offer
from redline.assist.edit.session.states import State, Step


class Stopping:
    """Stops one session."""

    def __init__(
        self,
        *,
        lifecycle: Lifecycle,
        attempts: Attempts,
        offer: Offer,
        account: Account,
        acceptance: Acceptance,
    ) -> None:
        self._lifecycle = lifecycle
        self._attempts = attempts
        self._offer = offer
        self._account = account
        self._acceptance = acceptance
        self._offers_written = False

    def offer_written(self, *, is_wanted: bool) -> None:
        """Set whether a stop by the user offers the part already written."""
        self._offers_written = is_wanted

    def stop(self, why: StopReason) -> bool:
        """Stop at once; steps that are in the document are taken back later.

        Returns: False if there was nothing to stop: the session is over, or its edit
        has been sent to the editor.
        """
        lifecycle = self._lifecycle
        if not lifecycle.can(Step.STOP) or lifecycle.state.is_committed:
            return False
        if why == "asked" and self._offers_written:
            message = "Stopped. The part already written is offered."
            if self.keep_written(message, with_open=True):
                return True
        takes_back = self._acceptance.has_steps and why != "closed"
        if takes_back:
            self.silence()
        self._acceptance.stop(why, takes_back=takes_back)
        return True

    def keep_written(self, message: str, *, with_open: bool) -> bool:
        """Stop writing and offer what is written; returns False if there is nothing.

        Args:
            message: Why, for the user.
            with_open: See `Offer.keep_written`.
        """
        is_written = self._lifecycle.state in (State.GENERATING, State.CHECKING)
        if not (is_written and self._offer.keep_written(with_open=with_open)):
            return False
        self.silence()
        # A redirect that came just before has not begun to write yet.
        self._attempts.drop_next()
        self._acceptance.wait_for_user(Step.OFFER, message)
        return True

    def silence(self) -> None:
        """Stop the candidates, and count their text as wasted."""
        self._attempts.stop()
        current = self._attempts.current
        if current is not None:
            self._account.close(current, kept=None, shown=self._offer.shown)
