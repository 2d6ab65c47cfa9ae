"""Who is answered next, and when an upstream is given up; both know no clock."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.gateway.engines.circuit import N_FAILURES, PAUSE_S, Circuit
from redline.gateway.limits.turns import Schedule, Turn, Turns
from redline.wire.events import TaskKind


def turn(
    user: str,
    kind: TaskKind = "edit",
    *,
    model: str = "coder",
    n_tokens: int = 100,
    running: int | None = None,
) -> Turn:
    """One request."""
    return Turn(
        user=user, model=model, kind=kind, n_tokens=n_tokens, user_running=running
    )


def order(schedule: Schedule, turns: list[Turn], *, n: int | None = None) -> list[Turn]:
    """Let them wait, and end each as soon as it runs; return them as they ran."""
    blocker = turn("blocker")
    schedule.add(blocker)
    assert schedule.grant() == [blocker]
    for each in turns:
        schedule.add(each)
    assert schedule.grant() == []
    ran: list[Turn] = []
    running = blocker
    while len(ran) < (len(turns) if n is None else n):
        schedule.remove(running)
        (running,) = schedule.grant()
        ran.append(running)
    return ran


def one_at_a_time() -> Schedule:
    """A model that answers one request after the other."""
    return Schedule(lambda _: 1)


def test_edits_come_before_completions_before_reviews() -> None:
    kinds: list[TaskKind] = ["review", "completion", "edit"]
    turns = [turn("ada", kind) for kind in kinds]
    assert [each.kind for each in order(one_at_a_time(), turns)] == kinds[::-1]


def test_a_hundred_reviews_do_not_delay_the_edit_of_another() -> None:
    """It is next after what runs."""
    edit = turn("bob")
    turns = [*(turn("ada", "review") for _ in range(100)), edit]
    assert order(one_at_a_time(), turns, n=1) == [edit]


def test_edits_do_not_starve_a_review() -> None:
    review = turn("bob", "review")
    turns = [*(turn("ada") for _ in range(100)), review]
    assert review in order(one_at_a_time(), turns, n=8)


def test_users_take_turns() -> None:
    """A user who came first with many requests waits for the others, too."""
    turns = [turn(user) for user in ("ada",) * 4 + ("bob",) * 4]
    users = [each.user for each in order(one_at_a_time(), turns)]
    assert users == ["ada", "bob"] * 4


def test_turns_are_weighted_by_tokens() -> None:
    """Three small requests weigh as much as a large one."""
    large = [turn("ada", n_tokens=300) for _ in range(4)]
    small = [turn("bob", n_tokens=100) for _ in range(12)]
    ran = order(one_at_a_time(), [*large, *small], n=8)
    assert [each.user for each in ran].count("bob") == 6


def test_a_user_has_a_limit_and_others_do_not_feel_it() -> None:
    schedule = Schedule(lambda _: None)
    turns = [turn("ada", running=2) for _ in range(3)]
    for each in turns:
        schedule.add(each)
    assert schedule.grant() == turns[:2]
    assert schedule.n_waiting("ada") == 1
    other = turn("bob", running=2)
    schedule.add(other)
    assert schedule.grant() == [other]
    schedule.remove(turns[0])
    assert schedule.grant() == turns[2:]
    assert schedule.n_running("ada") == 2


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ada", "bob", "eve"]),
            st.sampled_from(["edit", "completion", "review"]),
            st.sampled_from(["a", "b"]),
            st.integers(1, 5_000),
        ),
        max_size=60,
    ),
    st.integers(),
)
def test_no_limit_is_exceeded_and_everything_runs(
    requests: list[tuple[str, TaskKind, str, int]], seed: int
) -> None:
    schedule = Schedule({"a": 2, "b": 3}.get)
    turns = [
        turn(user, kind, model=model, n_tokens=n_tokens, running=2)
        for user, kind, model, n_tokens in requests
    ]
    running: list[Turn] = []
    order = Random(seed)
    n_ran = 0
    waiting = list(turns)
    while waiting or running:
        if waiting and order.random() < 0.5:
            schedule.add(waiting.pop(0))
        elif running:
            schedule.remove(running.pop(order.randrange(len(running))))
        granted = schedule.grant()
        running += granted
        n_ran += len(granted)
        for model, most in (("a", 2), ("b", 3)):
            assert sum(each.model == model for each in running) <= most
        for user in ("ada", "bob", "eve"):
            assert sum(each.user == user for each in running) <= 2
    assert n_ran == len(turns)


async def test_a_request_that_fails_inside_gives_its_place_back() -> None:
    """Else its user could send no more after some of them."""
    turns = Turns(lambda model: None, queue_s=60.0)
    huge = Turn(user="ada", model="m", kind="edit", n_tokens=10**400, user_running=1)
    with pytest.raises(OverflowError):
        async with turns.turn(huge, queued=1, is_patient=False):
            pass
    assert (turns.n_running("ada"), turns.n_waiting("ada")) == (0, 0)


def test_an_upstream_that_fails_is_given_up_and_tried_again() -> None:
    circuit = Circuit()
    for _ in range(N_FAILURES):
        assert circuit.wait_s(0.0) == 0.0
        circuit.note(0.0, has_failed=True)
    assert circuit.wait_s(1.0) == PAUSE_S - 1
    # One request tries; others wait for its outcome.
    assert circuit.wait_s(PAUSE_S) == 0.0
    assert circuit.wait_s(PAUSE_S) == PAUSE_S
    circuit.note(PAUSE_S, has_failed=True)
    assert circuit.wait_s(PAUSE_S + 1) > 0
    assert circuit.wait_s(2 * PAUSE_S) == 0.0
    circuit.note(2 * PAUSE_S, has_failed=False)
    assert circuit.wait_s(2 * PAUSE_S) == 0.0


def test_one_success_is_enough() -> None:
    circuit = Circuit()
    for _ in range(3 * N_FAILURES):
        circuit.note(0.0, has_failed=True)
        circuit.note(0.0, has_failed=False)
    assert not circuit.is_open
