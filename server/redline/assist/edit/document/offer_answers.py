"""The user's answers to an offer: accept, reject, show the next candidate.

Hunks that have settled can be accepted while later ones are still being written. An
edit on its way to the editor cannot be called back, so accepting continues if its
caller is cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Sequence
from functools import partial
from typing import Any  # What a coroutine yields to the loop is the loop's affair.

from redline.assist.edit.document.applier import Applier
from redline.assist.edit.document.document_changes import typed_inside
from redline.assist.edit.document.stale_imports import StaleImports
from redline.assist.edit.session.answers import OFFER_STATES
from redline.assist.edit.session.result import OfferProgress
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State, Step
from redline.errors import InvalidArgumentsError
from redline.supervisor import Supervisor
from redline.text.region import Region
from redline.text.streaming_diff import Hunk


class OfferAnswers:
    """Applies the user's answers to the offers of one editor."""

    def __init__(
        self, applier: Applier, supervisor: Supervisor, stale_imports: StaleImports
    ) -> None:
        self._applier = applier
        self._stale_imports = stale_imports
        self._supervisor = supervisor

    async def accept(
        self, session: EditSession, hunk_ids: Collection[int] | None
    ) -> OfferProgress:
        if hunk_ids is None:
            await session.lifecycle.is_written()
        if session.state.is_end:
            return _answered(session)
        work = self._begin(session, hunk_ids)
        await self._supervisor.see_through(work, name=f"accept {session.id}")
        return _answered(session)

    def reject(
        self, session: EditSession, hunk_ids: Collection[int] | None
    ) -> OfferProgress:
        if hunk_ids is None and session.lifecycle.can(Step.REJECT):
            session.acceptance.end()
        elif not session.offer.has_any(hunk_ids or ()):
            raise InvalidArgumentsError("None of these hunks is in the offer.")
        else:
            session.acceptance.reject(hunk_ids or ())
        return _answered(session)

    def _begin(
        self, session: EditSession, hunk_ids: Collection[int] | None
    ) -> Callable[[], Coroutine[Any, Any, None]]:
        """Reserve the accepted hunks; returns the work that applies them."""
        offer = session.offer
        if session.edit_target.is_landing or session.state.is_committed:
            raise InvalidArgumentsError("Another edit is on its way; try again.")
        # Paint everything first: only what was shown is applied.
        offer.flush()
        # A live draft that becomes the edit is checked while its offer still stands.
        if offer.proposal is None or session.state.is_at_work:
            settled = offer.settled(hunk_ids or ())
            if offer.shown is None or not settled:
                raise InvalidArgumentsError("None of these hunks has settled yet.")
            session.acceptance.settle_on(offer.shown)
            region = session.edit_target.region
            return partial(self._land_settled, session, settled, region)
        accepted = offer.proposal.take(hunk_ids)
        if not accepted:
            raise InvalidArgumentsError("None of these hunks is in the offer.")
        if stale := self._stale_imports.among(session, accepted):
            session.acceptance.reject(stale)
            accepted = tuple(hunk for hunk in accepted if hunk.id not in stale)
            if not accepted:
                return _nothing
        session.acceptance.begin()
        return partial(self._land_accepted, session, accepted)

    async def _land_settled(
        self, session: EditSession, settled: Sequence[Hunk], region: Region
    ) -> None:
        proposal = session.offer.proposal
        if session.edit_target.n_above and proposal is not None:
            # It was finished meanwhile, and counts lines from its imports.
            settled = proposal.take({hunk.id for hunk in settled})
        elif session.edit_target.region is not region:
            # The user typed in the range before this began: the hunks are of the old
            # text.
            return
        try:
            await self._land(session, settled)
        finally:
            if not session.state.is_end and session.edit_target.is_touched:
                typed_inside(session)
        if session.state.is_waiting:
            # The candidate was finished while the hunks were on their way.
            session.acceptance.end_if_answered()

    async def _land_accepted(
        self, session: EditSession, accepted: Sequence[Hunk]
    ) -> None:
        try:
            await self._land(session, accepted)
        finally:
            session.acceptance.wait_again()

    async def _land(self, session: EditSession, hunks: Sequence[Hunk]) -> None:
        await self._applier.land(
            session.edit_target,
            hunks,
            label=session.label,
            on_landed=lambda: session.acceptance.landed(hunks),
        )


async def _nothing() -> None:
    """Land nothing: all that was accepted is there."""


def _answered(session: EditSession) -> OfferProgress:
    remaining = 0
    if session.state.is_waiting and session.offer.proposal is not None:
        remaining = len(session.offer.proposal.hunks)
    elif session.state is State.GENERATING:
        remaining = len(session.offer.live_hunks)
    return OfferProgress(state=OFFER_STATES[session.state], remaining=remaining)
