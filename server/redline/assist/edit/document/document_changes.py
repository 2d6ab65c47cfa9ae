"""What the user's changes of a document do to a session that edits it.

Typing inside the region ends what is being written there, or starts it over on the
changed text if the settings say so. In clients with a preview the changes whose lines
are as they were are still offered. Changes outside the region move the preview.
"""

from __future__ import annotations

from msgspec import Struct

from redline.assist.edit.attempts.attempt import AttemptSpec
from redline.assist.edit.session.drafts import draft_of
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State, Step

_STILL_OFFERED = (
    "You typed inside the range, so it stopped. The other changes are still offered."
)

_TYPING_PAUSE_S = 0.4
"""A pause in typing after which the user has most likely finished a word."""


class DocumentChanges(Struct, frozen=True):
    """Watches the document of one session; equal if the session is the same."""

    session: EditSession

    def document_changed(self) -> None:
        session, edit_target = self.session, self.session.edit_target
        if edit_target.is_queued or edit_target.has_landed():
            return
        if not edit_target.is_touched:
            session.offer.moved()
        elif not (edit_target.is_landing or session.state.is_committed):
            typed_inside(session)
        # Otherwise it may be a part of our own edit, which some clients send piecewise;
        # if the user typed it and our edit does not land, the editor's answer reports
        # it.

    def document_closed(self) -> None:
        self.session.edit_target.release()
        self.session.stopping.stop("closed")


def typed_inside(session: EditSession) -> None:
    """Start over on the changed text, keep what is still right, or stop."""
    if session.replans and _replan(session):
        return
    if not _keep_rest(session):
        session.stopping.stop("typed")


def _keep_rest(session: EditSession) -> bool:
    """Offer the hunks whose lines the user has not changed, if there are any."""
    edit_target, shown = session.edit_target, session.offer.shown
    if shown is None or edit_target.is_released or not edit_target.region.lines:
        return False
    typed = edit_target.typed()
    if not session.offer.has_rest(typed):
        return False
    if session.mode == "preview" and not session.is_draft:
        session.stopping.keep_written(_STILL_OFFERED, with_open=False)
    if not session.state.is_waiting:
        return False
    session.acceptance.settle_on(shown)
    edit_target.replan()
    session.offer.keep_rest(typed)
    is_held = session.state is State.HELD
    session.lifecycle.advance(Step.HOLD if is_held else Step.OFFER)
    return True


def _replan(session: EditSession) -> bool:
    """Start over on the current text, once the user pauses."""
    if session.state is not State.GENERATING:
        return False
    if session.edit_target.has_joined_parts:
        # The instruction has the numbers of the ranges before.
        return False
    last = session.attempts.last_turn
    turn = AttemptSpec(
        instruction=session.instruction,
        from_comment=session.from_comment,
        earlier=None if last is None else last.earlier,
        draft=draft_of(session.offer, session.attempts, session.edit_target),
        wait_s=_TYPING_PAUSE_S,
    )
    session.edit_target.replan()
    session.offer.clear()
    return session.redirect(turn)
