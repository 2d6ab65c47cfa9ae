"""Converts a session to its usage record: ids, times and counts, and no text."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from redline.assist.edit.session.account import Draft
from redline.assist.edit.session.cost_tally import model_of
from redline.assist.edit.session.session import EditSession
from redline.assist.edit.session.states import State
from redline.assist.tiers.cost import Cost
from redline.store.task import (
    NAMED_TIER,
    NO_ID,
    DraftResult,
    OpinionResult,
    Outcome,
    TaskDraft,
    TaskRoute,
    TaskTimes,
    TaskUsage,
)


class Begun(Struct, frozen=True, kw_only=True):
    """The state of a session when its task began.

    A session has a second task if it is redirected after its offer.
    """

    at: float
    """Time of the request, in the event loop's seconds."""
    lines: tuple[str, ...]
    """The lines of the region."""
    n_failed_checks: int = 0
    """Number of checks that had failed before."""
    n_repairs: int = 0
    """Number of repairs before."""


def begun_again(session: EditSession, *, at: float) -> Begun:
    """Return the start of a task for a session redirected after its offer."""
    return Begun(
        at=at,
        lines=session.edit_target.region.lines,
        n_failed_checks=len(session.account.failed_checks),
        n_repairs=session.account.n_repairs,
    )


def usage_of(
    session: EditSession, begun: Begun, *, queued_at: float, spent: Cost
) -> TaskUsage:
    """Return the usage of a session that waits for the user, or is over.

    Args:
        session: The session at the end of its task.
        begun: Its state when the task began.
        queued_at: Time of that, in Unix seconds.
        spent: The cost of this task.
    """
    model = model_of([session.offer.shown, *session.attempts.candidates])
    return TaskUsage(
        id=session.id,
        kind=session.request.kind,
        tier=session.chosen.tier,
        model=model.describe().label if model is not None else NO_ID,
        route=_route(session),
        times=_times(session, begun, queued_at),
        outcome=OUTCOMES[session.state],
        tokens=spent.tokens,
        cost=spent.cost,
        n_lines=session.edit_target.n_range_lines,
        failed_checks=tuple(session.account.failed_checks[begun.n_failed_checks :]),
        n_repairs=session.account.n_repairs - begun.n_repairs,
        n_escalations=int(session.chosen.is_escalated),
        draft=_draft(session),
        opinion=_opinion(session),
    )


OUTCOMES: Mapping[State, Outcome] = {
    State.OFFERED: "offered",
    State.HELD: "held",
    State.APPLIED: "applied",
    # The caller has it; it is accepted once the document shows it.
    State.COMPUTED: "offered",
    State.UNCHANGED: "unchanged",
    State.ACCEPTED: "accepted",
    State.REJECTED: "rejected",
    State.STOPPED: "stopped",
    State.FAILED: "failed",
    State.SUPERSEDED: "superseded",
}
"""The recorded outcome for each state in which a task has been answered."""


def _draft(session: EditSession) -> TaskDraft | None:
    draft = session.account.draft
    if draft is None:
        return None
    return TaskDraft(model=draft.model, result=_draft_result(session, draft))


def _draft_result(session: EditSession, draft: Draft) -> DraftResult:
    shown = session.offer.shown
    if OUTCOMES[session.state] not in _WITH_RESULT or shown is None:
        return "unfinished"
    if draft.lines is None:
        return "unfinished"
    if session.chosen.is_escalated:
        return "escalated"
    is_same = tuple(shown.proposal.new_lines) == draft.lines
    return "unchanged" if is_same else "repaired"


def _opinion(session: EditSession) -> OpinionResult | None:
    opinion, shown = session.account.opinion, session.offer.shown
    if opinion is None:
        return None
    if opinion.verdict != "raised":
        return opinion.verdict
    if OUTCOMES[session.state] not in _WITH_RESULT or shown is None:
        return None
    return "kept" if tuple(shown.proposal.new_lines) == opinion.lines else "changed"


_WITH_RESULT: frozenset[Outcome] = frozenset(
    {"applied", "offered", "held", "unchanged", "accepted", "rejected"}
)


def _route(session: EditSession) -> TaskRoute:
    route = session.chosen.route
    if route is None:
        return TaskRoute(tier=session.chosen.tier)
    return TaskRoute(
        tier=route.tier,
        score=route.score,
        reasons=(NAMED_TIER, *route.signals) if route.is_named else route.signals,
        boundaries=route.boundaries,
    )


def _times(session: EditSession, begun: Begun, queued_at: float) -> TaskTimes:
    def since(moment: float | None) -> float | None:
        # Text that was written before the final Enter was there at once.
        return None if moment is None else max(moment - begun.at, 0.0)

    timing = session.account.timing
    is_applied = session.state is State.APPLIED
    return TaskTimes(
        queued_at=queued_at,
        first_delta_s=since(timing.first_delta) if timing is not None else None,
        ended_s=since(timing.last_delta) if timing is not None else None,
        checked_s=since(session.account.checked_at),
        applied_s=since(session.account.applied_at) if is_applied else None,
    )
