"""The state table, cell by cell, absent cells included."""

from __future__ import annotations

import pytest

from redline.assist.edit.session.states import (
    ENDS,
    TRANSITIONS,
    WAITING,
    State,
    Step,
    after,
    can,
)
from redline.errors import LocalProtocolError

ENDINGS = {"stop": "stopped", "fail": "failed", "supersede": "superseded"}

WAITS = {
    "accept": "applying",
    "accepted": "accepted",
    "reject": "rejected",
    "redirect": "generating",
    "replied": "checking",
    "offer": "offered",
    "hold": "held",
    **ENDINGS,
}

EXPECTED = {
    "routing": {"routed": "generating", "redirect": "routing", **ENDINGS},
    "generating": {
        "replied": "checking",
        "redirect": "generating",
        "reject": "rejected",
        "accepted": "accepted",
        "withdraw": "withdrawing",
        "offer": "offered",
        **ENDINGS,
    },
    "checking": {
        "retry": "generating",
        "redirect": "generating",
        "withdraw": "withdrawing",
        "reject": "rejected",
        "hand over": "computed",
        "apply": "applying",
        "offer": "offered",
        "hold": "held",
        "keep as is": "unchanged",
        "accepted": "accepted",
        **ENDINGS,
    },
    "applying": {
        "landed": "applied",
        "accepted": "accepted",
        "offer": "offered",
        "hold": "held",
        "stop": "stopped",
        "fail": "failed",
    },
    "withdrawing": {"stop": "stopped", "fail": "failed"},
    "offered": WAITS,
    "held": WAITS,
}


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("step", Step)
def test_every_cell(state: State, step: Step) -> None:
    """A step leads where the table says; one that is not there is a bug."""
    expected = EXPECTED.get(state.value, {}).get(step.value)
    assert can(state, step) == (expected is not None)
    if expected is not None:
        assert after(state, step) is State(expected)
    else:
        with pytest.raises(LocalProtocolError, match=f"that is {state.value} cannot"):
            after(state, step)


def test_the_ends() -> None:
    """Every session can reach an end from wherever it is, and nothing leaves one."""
    assert {state.value for state in ENDS} == (
        {"applied", "computed", "unchanged", "accepted", "rejected"}
        | set(ENDINGS.values())
    )
    for state in set(State) - ENDS:
        assert ENDS & set(TRANSITIONS[state].values())
    assert {State.OFFERED, State.HELD} == WAITING


def test_every_state_can_be_reached() -> None:
    """From the one in which a session is born."""
    reached = {State.ROUTING}
    for _ in State:
        reached |= {to for state in reached for to in TRANSITIONS[state].values()}
    assert reached == set(State)
