"""The wire names of session states, and the times of an edit."""

from __future__ import annotations

from redline.assist.edit.session.result import EditTiming, OfferState, Outcome
from redline.assist.edit.session.states import State
from redline.assist.editor.editor import Ending
from redline.models.interface import Timing

OUTCOMES: dict[State, Outcome] = {
    State.APPLIED: "applied",
    State.COMPUTED: "computed",
    State.ACCEPTED: "applied",
    State.OFFERED: "offered",
    State.HELD: "held",
    State.UNCHANGED: "unchanged",
    State.REJECTED: "unchanged",
    State.STOPPED: "stopped",
    State.SUPERSEDED: "superseded",
    # A failed session's command is answered by its error.
    State.FAILED: "stopped",
}
"""The answer to the command that opened a session."""

ENDINGS: dict[State, Ending] = {
    State.APPLIED: "accepted",
    State.ACCEPTED: "accepted",
    State.COMPUTED: "accepted",
    State.REJECTED: "rejected",
    State.UNCHANGED: "unchanged",
    State.STOPPED: "stopped",
    State.FAILED: "failed",
    State.SUPERSEDED: "superseded",
}
"""Why a preview ended."""

OFFER_STATES: dict[State, OfferState] = {
    State.ROUTING: "generating",
    State.GENERATING: "generating",
    State.CHECKING: "generating",
    State.APPLYING: "accepted",
    State.APPLIED: "accepted",
    State.ACCEPTED: "accepted",
    State.REJECTED: "rejected",
    State.UNCHANGED: "rejected",
    State.OFFERED: "offered",
    State.HELD: "held",
    State.STOPPED: "stopped",
    State.WITHDRAWING: "stopped",
    State.SUPERSEDED: "stopped",
    State.FAILED: "failed",
}
"""The answer to an accept or a reject."""


def times_of(
    timing: Timing | None, *, received: float, answered: float | None
) -> EditTiming:
    """Return the times of a generation, in seconds since its command was read."""

    def since(moment: float | None) -> float | None:
        return None if moment is None else moment - received

    if timing is None:
        return EditTiming(ended_s=since(answered))
    return EditTiming(
        sent_s=since(timing.sent),
        first_delta_s=since(timing.first_delta),
        last_delta_s=since(timing.last_delta),
        ended_s=since(answered),
    )
