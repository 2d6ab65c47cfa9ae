"""The states of an edit session, as data.

Theory of operation. A session starts in `ROUTING`. It generates, its candidate is
checked, and it is then applied, offered in a preview, held because problems are left,
or found unchanged. `APPLYING` is the time between sending an edit to the editor and
knowing that it landed: it cannot be stopped. `WITHDRAWING` is the time after a stop in
which growing steps are taken back. An offered or held session waits for the user. Every
other state can be ended by a stop, a failure or a newer session, and every session
reaches exactly one end.
"""

from __future__ import annotations

from enum import Enum

from redline.errors import LocalProtocolError


class State(Enum):
    ROUTING = "routing"
    GENERATING = "generating"
    CHECKING = "checking"
    APPLYING = "applying"
    COMPUTED = "computed"
    WITHDRAWING = "withdrawing"
    OFFERED = "offered"
    HELD = "held"
    APPLIED = "applied"
    UNCHANGED = "unchanged"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    STOPPED = "stopped"
    FAILED = "failed"
    SUPERSEDED = "superseded"

    # Each message asks for several states, and Enum's own hash is a Python function.
    __hash__ = object.__hash__

    @property
    def is_end(self) -> bool:
        """Whether no step is possible."""
        return self in ENDS

    @property
    def is_waiting(self) -> bool:
        """Whether the session waits for the user."""
        return self in WAITING

    @property
    def is_at_work(self) -> bool:
        """Whether the session is still writing or checking."""
        return self in AT_WORK

    @property
    def is_committed(self) -> bool:
        """Whether an edit of ours may be on its way to the editor."""
        return self in COMMITTED


class Step(Enum):
    """What happens to a session."""

    ROUTED = "routed"
    REPLIED = "replied"
    RETRY = "retry"
    HAND_OVER = "hand over"
    REDIRECT = "redirect"
    WITHDRAW = "withdraw"
    APPLY = "apply"
    OFFER = "offer"
    HOLD = "hold"
    KEEP_AS_IS = "keep as is"
    LANDED = "landed"
    ACCEPT = "accept"
    ACCEPTED = "accepted"
    REJECT = "reject"
    STOP = "stop"
    FAIL = "fail"
    SUPERSEDE = "supersede"

    __hash__ = object.__hash__


_ENDINGS = {
    Step.STOP: State.STOPPED,
    Step.FAIL: State.FAILED,
    Step.SUPERSEDE: State.SUPERSEDED,
}

_WAITING = {
    Step.ACCEPT: State.APPLYING,
    Step.REJECT: State.REJECTED,
    # Every hunk is accepted or rejected; some were applied while it was written.
    Step.ACCEPTED: State.ACCEPTED,
    # A follow-up on the offer.
    Step.REDIRECT: State.GENERATING,
    # Another candidate is shown, without problems or with some.
    Step.OFFER: State.OFFERED,
    Step.HOLD: State.HELD,
    # The final Enter after a draft: settle what was only shown.
    Step.REPLIED: State.CHECKING,
}

TRANSITIONS: dict[State, dict[Step, State]] = {
    State.ROUTING: {
        Step.ROUTED: State.GENERATING,
        Step.REDIRECT: State.ROUTING,
        **_ENDINGS,
    },
    State.GENERATING: {
        Step.REPLIED: State.CHECKING,
        Step.REDIRECT: State.GENERATING,
        Step.REJECT: State.REJECTED,
        # The rest is rejected after some hunks were applied.
        Step.ACCEPTED: State.ACCEPTED,
        # Stopped while parts are already in the document.
        Step.WITHDRAW: State.WITHDRAWING,
        # A stop that keeps the part already written offers it.
        Step.OFFER: State.OFFERED,
        **_ENDINGS,
    },
    State.CHECKING: {
        # Problems go back to the model, or up to a higher tier.
        Step.RETRY: State.GENERATING,
        Step.REDIRECT: State.GENERATING,
        Step.WITHDRAW: State.WITHDRAWING,
        Step.REJECT: State.REJECTED,
        Step.HAND_OVER: State.COMPUTED,
        Step.APPLY: State.APPLYING,
        Step.OFFER: State.OFFERED,
        Step.HOLD: State.HELD,
        Step.KEEP_AS_IS: State.UNCHANGED,
        # All hunks were accepted while it was written.
        Step.ACCEPTED: State.ACCEPTED,
        **_ENDINGS,
    },
    State.APPLYING: {
        Step.LANDED: State.APPLIED,
        # Some hunks of an offer landed, others still wait.
        Step.OFFER: State.OFFERED,
        Step.HOLD: State.HELD,
        Step.ACCEPTED: State.ACCEPTED,
        # The edit did not land, because the user typed or closed the document.
        Step.STOP: State.STOPPED,
        Step.FAIL: State.FAILED,
    },
    State.WITHDRAWING: {Step.STOP: State.STOPPED, Step.FAIL: State.FAILED},
    State.OFFERED: {**_WAITING, **_ENDINGS},
    State.HELD: {**_WAITING, **_ENDINGS},
    State.APPLIED: {},
    # The edit was handed to the caller, who applies it.
    State.COMPUTED: {},
    State.UNCHANGED: {},
    State.ACCEPTED: {},
    State.REJECTED: {},
    State.STOPPED: {},
    State.FAILED: {},
    State.SUPERSEDED: {},
}

ENDS = frozenset(state for state, steps in TRANSITIONS.items() if not steps)
"""The states in which no step is possible."""

WAITING = frozenset({State.OFFERED, State.HELD})
"""The states in which the session waits for the user; its command was answered."""

AT_WORK = frozenset({State.ROUTING, State.GENERATING, State.CHECKING})

COMMITTED = frozenset({State.APPLYING, State.WITHDRAWING})
"""States in which an edit of ours may be on its way; they cannot be stopped."""


def after(state: State, step: Step) -> State:
    """Return the next state.

    Raises:
        LocalProtocolError: If the step is not possible in that state.
    """
    try:
        return TRANSITIONS[state][step]
    except KeyError:
        raise LocalProtocolError(
            f"A session that is {state.value} cannot take the step {step.value!r}."
        ) from None


def can(state: State, step: Step) -> bool:
    """Whether a step is possible in a state."""
    return step in TRANSITIONS[state]
