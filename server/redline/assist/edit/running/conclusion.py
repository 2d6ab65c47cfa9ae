"""Concludes a checked session: its edit is offered, applied, handed over or held."""

from __future__ import annotations

from redline.assist.edit.attempts.candidate import Candidate
from redline.assist.edit.document.applier import Applier
from redline.assist.edit.document.stale_imports import StaleImports
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State, Step
from redline.errors import ReplyNotUnderstoodError
from redline.text.proposal import Proposal
from redline.text.region import TextEdit, place


class Conclusion:
    """Settles sessions on their candidates."""

    def __init__(self, applier: Applier, stale_imports: StaleImports) -> None:
        self._applier = applier
        self._stale_imports = stale_imports

    async def settle(self, session: EditSession, candidate: Candidate) -> None:
        """Add the imports of a checked candidate, then offer, apply or refuse it.

        Raises:
            ReplyNotUnderstoodError: If it is not whole, and steps of it have landed.
        """
        session.offer.show_other(candidate)
        candidates = {candidate, *session.attempts.finished}
        if any(each.imports is not None for each in candidates):
            # Accepted hunks on their way count lines from the range's first, and
            # another edit on its way may change the same imports.
            if not await self._is_free(session):
                return
            session.add_imports(candidates)
        await self._conclude(session, candidate)

    async def _conclude(self, session: EditSession, candidate: Candidate) -> None:
        proposal = candidate.proposal
        message = candidate.reply.left if candidate.reply else None
        # No change is left to apply.
        if not proposal.hunks and not session.acceptance.has_steps:
            if session.edit_target.has_changed:
                session.lifecycle.advance(Step.ACCEPTED, "Accepted.")
                return
            declined = candidate.reply.declined if candidate.reply else None
            message = declined or message or "The model changed nothing."
            if not session.is_draft:
                session.lifecycle.advance(Step.KEEP_AS_IS, message)
                return
        session.offer.propose(proposal)
        if session.mode == "hand-over":
            edits = self._edits(session, proposal)
            session.offer.hand_over(edits, session.edit_target.document.version)
            session.lifecycle.advance(Step.HAND_OVER)
        elif candidate.problems and not session.acceptance.has_steps:
            message = f"Held back: {candidate.problems[0].message}"
            session.acceptance.wait_for_user(Step.HOLD, message)
        elif session.mode == "preview":
            session.acceptance.wait_for_user(Step.OFFER, message)
        else:
            if candidate.problems:
                message = f"Look at it: {candidate.problems[0].message}"
            if candidate.unread is not None:
                raise ReplyNotUnderstoodError(
                    f"{candidate.unread.message} What was written until then is in the "
                    "document; the rest of the range is as it was.",
                    remedy="Run the edit again, or take it back.",
                )
            await self._apply(session, proposal, message)

    def _edits(self, session: EditSession, proposal: Proposal) -> list[TextEdit]:
        edit_target = session.edit_target
        lines = edit_target.document.snapshot().lines
        start, region = edit_target.start, edit_target.region
        return [place(hunk, start, region, lines) for hunk in proposal.hunks]

    async def _apply(
        self, session: EditSession, proposal: Proposal, message: str | None
    ) -> None:
        # The session can still be stopped or redirected until then.
        if not await self._is_free(session):
            return
        if stale := self._stale_imports.among(session, proposal.hunks):
            proposal = proposal.without(stale)
            session.offer.propose(proposal)
        session.lifecycle.advance(Step.APPLY, message)
        await self._applier.land(
            session.edit_target,
            proposal.hunks,
            label=session.label,
            on_landed=session.acceptance.landed_whole,
        )
        session.acceptance.not_landed()

    async def _is_free(self, session: EditSession) -> bool:
        """Wait until no edit is on its way into the document.

        Returns:
            Whether the session is still being checked.
        """
        document = session.edit_target.document
        while self._applier.is_busy(document) and session.state is State.CHECKING:
            await session.lifecycle.until_ended(self._applier.settled(document))
        return session.state is State.CHECKING
