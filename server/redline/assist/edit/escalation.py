"""What follows a candidate that is not good enough, or is only a draft.

Problems go back once to the model that made them. If there are some left, the task goes
up one tier, with the draft and its problems. A draft of the draft tier goes to its
reviewer, with or without problems. What is then still wrong is held, and shown.
"""

from __future__ import annotations

from redline.assist.candidate import Candidate
from redline.assist.edit.session import EditSession
from redline.assist.round import Purpose, Turn
from redline.assist.tiers import Tiers
from redline.routing.route import Tier
from redline.settings.tree import ChecksSettings

_HIGHER: dict[Tier, tuple[Tier, ...]] = {
    "fast": ("standard", "deep"),
    "standard": ("deep",),
    "deep": (),
}


class Ladder:
    """Decides for the sessions of one editor."""

    def __init__(self, tiers: Tiers) -> None:
        self._tiers = tiers

    def next_turn(
        self, session: EditSession, candidate: Candidate, settings: ChecksSettings
    ) -> Turn | None:
        """Say what is to be done with a checked candidate; None: it is to be settled.

        Takes note in the session of what is done.
        """
        if session.round is None or session.has_changed_text:
            # What the user has accepted already is not written once more.
            return None
        purpose = session.round.turn.purpose
        if purpose == "draft":
            session.explain("A draft model wrote it; this tier reviewed it.")
            return self._turn(session, candidate, "review")
        is_model = self._tiers.choose(session.tier).model.describe().is_model
        if not candidate.problems or session.is_draft or not is_model:
            return None
        names = ", ".join(dict.fromkeys(p.rule for p in candidate.problems))
        if settings.repair and not session.is_repaired and purpose != "escalate":
            session.is_repaired = True
            session.n_repairs += 1
            session.explain(
                f"The first answer had problems ({names}), so the model was asked to "
                "fix them."
            )
            return self._turn(session, candidate, "repair")
        higher = self._higher(session.tier)
        if settings.escalate and not session.is_escalated and higher is not None:
            session.is_escalated = True
            session.explain(
                f"The {session.tier} tier's answer had problems ({names}), so the "
                f"{higher} tier took over."
            )
            session.tier = higher
            return self._turn(session, candidate, "escalate")
        return None

    def _turn(
        self, session: EditSession, candidate: Candidate, purpose: Purpose
    ) -> Turn:
        assert session.round is not None
        return Turn(
            instruction=session.instruction,
            from_comment=session.from_comment,
            purpose=purpose,
            mends=candidate,
            earlier=session.round.turn.earlier,
            draft=session.round.turn.draft,
            carried=candidate.live.hunks,
        )

    def _higher(self, tier: Tier) -> Tier | None:
        """The next tier that another model fills."""
        now = self._tiers.choose(tier).model.describe()
        for higher in _HIGHER[tier]:
            other = self._tiers.choose(higher).model.describe()
            if other.is_model and other.label != now.label:
                return higher
        return None
