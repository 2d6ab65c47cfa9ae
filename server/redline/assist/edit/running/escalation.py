"""Escalation: what follows a candidate with problems, or one that is only a draft.

Problems go back once to the model that made them. If some are left, the task goes up
one tier, with the draft and its problems. A draft of the draft tier goes to its
reviewer, with or without problems; if the draft tier fails, the reviewer writes. So
does an edit that is likelier another tier's after a second opinion: upwards when it is
written, downwards only before anything is.
Problems that are still left are held and shown.
"""

from __future__ import annotations

from msgspec.structs import replace

from redline.assist.edit.attempts.attempt import AttemptSpec, Purpose
from redline.assist.edit.attempts.candidate import Candidate
from redline.assist.edit.running.second_opinions import Verdict
from redline.assist.edit.session.chosen_tier import Retry, Routing
from redline.assist.edit.session.session import EditSession
from redline.assist.tiers.tier_choice import TIERS, Tiers, higher_tier, lower_tier
from redline.checks.edit_question import UNCHECKED
from redline.prompts.second_opinion import Opinion
from redline.settings.check_settings import ChecksSettings


class Escalation:
    """Decides what follows a candidate, for the sessions of one editor."""

    def __init__(self, tiers: Tiers) -> None:
        self._tiers = tiers

    def retry(
        self, session: EditSession, candidate: Candidate, settings: ChecksSettings
    ) -> Retry | None:
        """Decide what follows a checked candidate; None: nothing, it is the result.

        Args:
            session: The session that the candidate belongs to; it is `checking`.
            candidate: The best one that the session has.
            settings: Whether problems may be repaired and escalated.
        """
        current, chosen = session.attempts.current, session.chosen
        if current is None or session.edit_target.has_changed:
            # Text that the user has accepted is not written again.
            return None
        purpose = current.turn.purpose
        if purpose == "draft":
            reason = "A draft model wrote it; this tier reviewed it."
            turn = _turn(session, current.turn, candidate, "review")
            return Retry(turn=turn, reason=reason, tier=chosen.tier)
        is_model = (
            self._tiers.choose(chosen.tier, chosen.model).model.describe().is_model
        )
        if not candidate.problems or session.is_draft or not is_model:
            return None
        if any(problem.rule == UNCHECKED for problem in candidate.problems):
            # A model can do nothing about it.
            return None
        names = ", ".join(dict.fromkeys(p.rule for p in candidate.problems))
        # First back to the same model, once ...
        if settings.repair and not chosen.is_repaired and purpose != "escalate":
            reason = (
                f"The first answer had problems ({names}), so the model was asked to "
                "fix them."
            )
            turn = _turn(session, current.turn, candidate, "repair")
            return Retry(turn=turn, reason=reason, tier=chosen.tier)
        # ... then up one tier, once.
        higher = higher_tier(self._tiers, chosen.tier)
        if settings.escalate and not chosen.is_escalated and higher is not None:
            reason = (
                f"The {chosen.tier} tier's answer had problems ({names}), so the "
                f"{higher} tier took over."
            )
            turn = _turn(session, current.turn, candidate, "escalate")
            return Retry(turn=turn, reason=reason, tier=higher)
        return None

    def by_opinion(
        self, session: EditSession, candidate: Candidate, verdict: Verdict | None
    ) -> Retry | None:
        """Hand an edit to a higher tier if that is likelier after a second opinion.

        Args:
            session: The session that the candidate belongs to; it is `checking`.
            candidate: The best one that the session has, which is then the draft.
            verdict: None: there is none.
        """
        current, tier = session.attempts.current, session.chosen.tier
        if verdict is None or current is None or session.edit_target.has_changed:
            return None
        if TIERS.index(verdict.route.tier) <= TIERS.index(tier):
            return None
        higher = higher_tier(self._tiers, tier, least=verdict.route.tier)
        if higher is None:
            return None
        reason = (
            f"{_said(verdict.opinion)} So the {higher} tier went over the {tier} "
            "tier's draft."
        )
        purpose: Purpose = "escalate" if candidate.problems else "review"
        turn = _turn(session, current.turn, candidate, purpose)
        return Retry(turn=turn, reason=reason, tier=higher)

    def down_by_opinion(
        self, session: EditSession, verdict: Verdict | None
    ) -> Routing | None:
        """Give an edit of which nothing is written to a lower tier, if that is
        likelier after a second opinion; None: its tier goes on.
        """
        routing, current = session.chosen.routing, session.attempts.current
        if verdict is None or routing is None or current is None:
            return None
        if session.edit_target.has_changed or current.turn.purpose != "write":
            return None
        if any(candidate.has_text for candidate in current.candidates):
            return None
        lower = lower_tier(self._tiers, session.chosen.tier, least=verdict.route.tier)
        if lower is None:
            return None
        reason = (
            f"{_said(verdict.opinion)} So the {lower} tier writes it, before the "
            f"{session.chosen.tier} tier had begun."
        )
        route = replace(
            verdict.route, tier=lower, reasons=(reason, *verdict.route.reasons)
        )
        note = self._tiers.choose(lower).note
        return replace(routing, route=route, note=note)

    def without_draft(self, session: EditSession, error: Exception) -> Retry | None:
        """Let the session's tier write if its draft failed; None: none was to come."""
        current, tier = session.attempts.current, session.chosen.tier
        if current is None or current.turn.purpose != "draft":
            return None
        before = current.turn
        turn = AttemptSpec(
            instruction=session.instruction,
            from_comment=session.from_comment,
            purpose="review",
            earlier=before.earlier,
            draft=before.draft,
        )
        reason = f"The draft model failed, so the {tier} tier wrote it: {error}"
        return Retry(turn=turn, reason=reason, tier=tier)


def _turn(
    session: EditSession, before: AttemptSpec, candidate: Candidate, purpose: Purpose
) -> AttemptSpec:
    return AttemptSpec(
        instruction=session.instruction,
        from_comment=session.from_comment,
        purpose=purpose,
        repairs=candidate,
        earlier=before.earlier,
        draft=before.draft,
        carried=candidate.live.hunks,
    )


def _said(opinion: Opinion) -> str:
    risk = ", guarded" if opinion.is_guarded else ""
    why = f": {opinion.why}" if opinion.why else ""
    return f"A second opinion calls it {opinion.tier}{risk}{why}."
