"""The measures of groups of tasks."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.routing.experience import Experience
from redline.store.totals import (
    Dimension,
    StoredTask,
    Totals,
    day_of,
    draft_totals_of,
    experience_of,
    opinion_totals_of,
    totals_of,
)

T0 = 1_800_000_000.0
DAY = 86_400.0

PLAIN = StoredTask(
    queued_at=T0,
    kind="edit",
    route_tier="fast",
    route_reasons="length vague",
    outcome="applied",
    ended_s=0.5,
    checked_s=0.6,
    applied_s=0.7,
    input_n_tokens=100,
    cached_n_tokens=40,
    output_n_tokens=20,
    wasted_n_tokens=5,
    cost=0.25,
    failed_checks="",
    n_repairs=0,
    n_escalations=0,
    accepted_at=None,
    rejected_at=None,
    undone_at=None,
    edited_at=None,
    draft_model="",
    draft_result="",
    opinion="",
)
LANDED = T0 + 0.7
OFFERED = PLAIN._replace(outcome="offered", applied_s=None)


def one(*tasks: StoredTask) -> Totals:
    (totals,) = totals_of(tasks, by=())
    return totals


def test_tasks_are_grouped_by_their_kind() -> None:
    tasks = [PLAIN, PLAIN._replace(kind="plan"), PLAIN._replace(kind="plan", cost=1.0)]
    found = totals_of(tasks, by=("kind", "tier"))
    assert [(one.kind, one.tier, one.cost) for one in found] == [
        ("edit", "fast", 0.25),
        ("plan", "fast", 1.25),
    ]


def test_no_tasks_are_no_group() -> None:
    assert totals_of((), by=()) == ()
    assert totals_of((), by=("tier", "day")) == ()


def test_everything_is_summed() -> None:
    totals = one(PLAIN, PLAIN, PLAIN._replace(cost=None))

    assert (totals.tier, totals.day, totals.tasks) == (None, None, 3)
    assert (totals.input_tokens, totals.cached_tokens) == (300, 120)
    assert (totals.output_tokens, totals.wasted_tokens) == (60, 15)
    assert (totals.cost, totals.unpriced) == (0.5, 1)


@pytest.mark.parametrize(
    ("task", "is_accepted", "is_rejected"),
    [
        (PLAIN, True, False),
        (OFFERED, False, False),
        (OFFERED._replace(outcome="accepted", accepted_at=T0 + 9), True, False),
        (OFFERED._replace(outcome="rejected", rejected_at=T0 + 9), False, True),
        # Some hunks taken, the others turned down.
        (
            OFFERED._replace(
                outcome="rejected", accepted_at=T0 + 9, rejected_at=T0 + 10
            ),
            True,
            False,
        ),
        (PLAIN._replace(outcome="unchanged"), False, False),
        (PLAIN._replace(outcome="shown"), False, False),
        (PLAIN._replace(outcome="held"), False, False),
        (PLAIN._replace(outcome="stopped"), False, False),
        (PLAIN._replace(outcome="failed"), False, False),
        (PLAIN._replace(outcome="superseded"), False, False),
    ],
)
def test_what_is_accepted(
    task: StoredTask, is_accepted: bool, is_rejected: bool
) -> None:
    totals = one(task)

    assert (totals.accepted, totals.rejected) == (is_accepted, is_rejected)


@pytest.mark.parametrize(
    ("task", "n_reworked", "n_undone"),
    [
        (PLAIN, 0, 0),
        (PLAIN._replace(undone_at=LANDED + 59.9), 1, 1),
        (PLAIN._replace(undone_at=LANDED + 60.1), 0, 0),
        (PLAIN._replace(edited_at=LANDED + 59.9), 1, 0),
        (PLAIN._replace(edited_at=LANDED + 60.1), 0, 0),
        (PLAIN._replace(edited_at=LANDED + 5, undone_at=LANDED + 70), 1, 0),
        # The minute of an offer begins when it is taken.
        (OFFERED._replace(accepted_at=T0 + 300, undone_at=T0 + 350), 1, 1),
        (OFFERED._replace(accepted_at=T0 + 300, undone_at=T0 + 361), 0, 0),
        # What was not accepted needs no rework.
        (OFFERED._replace(undone_at=T0 + 1), 0, 0),
    ],
)
def test_rework_is_what_follows_within_a_minute(
    task: StoredTask, n_reworked: int, n_undone: int
) -> None:
    totals = one(task)

    assert (totals.reworked, totals.undone) == (n_reworked, n_undone)


@pytest.mark.parametrize(
    ("task", "seconds"),
    [
        (PLAIN, 0.7),
        (OFFERED, 0.6),
        # However long the user thought about it.
        (OFFERED._replace(outcome="accepted", accepted_at=T0 + 500), 0.6),
        (OFFERED._replace(outcome="shown", checked_s=None), 0.5),
        (OFFERED._replace(ended_s=None, checked_s=None), None),
        (PLAIN._replace(outcome="stopped"), None),
        (PLAIN._replace(outcome="failed"), None),
        (PLAIN._replace(outcome="superseded"), None),
        (PLAIN._replace(outcome="unchanged"), None),
    ],
)
def test_the_time_is_until_the_result_is_there(
    task: StoredTask, seconds: float | None
) -> None:
    assert one(task).task_p50_s == one(task).task_p90_s == seconds


def test_percentiles_are_times_that_were_measured() -> None:
    totals = one(*(PLAIN._replace(applied_s=float(s)) for s in (10, 1, 9, 2, 8, 3)))

    assert (totals.task_p50_s, totals.task_p90_s) == (3.0, 10.0)


def test_shares_and_prices_are_of_accepted_work() -> None:
    totals = one(
        PLAIN._replace(undone_at=LANDED + 1),
        PLAIN,
        PLAIN._replace(outcome="failed", cost=0.5),
        PLAIN._replace(outcome="stopped", cost=None),
        # Neither its cost, which is not known, nor that it was accepted counts here.
        PLAIN._replace(cost=None, undone_at=LANDED + 1),
        PLAIN._replace(cost=None),
    )

    assert totals.rework_share == 0.5
    assert totals.cost_per_accepted == 0.5


@pytest.mark.parametrize(
    "task", [PLAIN._replace(outcome="failed"), OFFERED, PLAIN._replace(cost=None)]
)
def test_a_price_without_a_count_is_none(task: StoredTask) -> None:
    assert one(task).cost_per_accepted is None


def test_nothing_accepted_has_no_share_of_rework() -> None:
    assert one(OFFERED).rework_share is None


def test_faults_on_the_way_are_counted_once_a_task() -> None:
    totals = one(
        PLAIN._replace(failed_checks="syntax elision", n_repairs=2, n_escalations=2),
        PLAIN._replace(failed_checks="syntax", n_repairs=1),
        PLAIN,
    )

    assert (totals.failed_checks, totals.repaired, totals.escalated) == (2, 2, 1)


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ((), [(None, None)]),
        (("tier",), [("fast", None), ("standard", None), ("deep", None)]),
        (("day",), [(None, day_of(T0)), (None, day_of(T0 + DAY))]),
        (
            ("tier", "day"),
            [
                ("fast", day_of(T0)),
                ("standard", day_of(T0 + DAY)),
                ("deep", day_of(T0)),
            ],
        ),
        (
            ("day", "tier"),
            [
                ("fast", day_of(T0)),
                ("deep", day_of(T0)),
                ("standard", day_of(T0 + DAY)),
            ],
        ),
    ],
)
def test_groups_and_their_order(
    by: tuple[Dimension, ...], keys: list[tuple[str | None, str | None]]
) -> None:
    tasks = (
        PLAIN._replace(route_tier="standard", queued_at=T0 + DAY),
        PLAIN._replace(route_tier="deep"),
        PLAIN,
    )

    assert [(totals.tier, totals.day) for totals in totals_of(tasks, by=by)] == keys


def test_a_tier_of_the_future_comes_last() -> None:
    tasks = (PLAIN._replace(route_tier="instant"), PLAIN._replace(route_tier="deep"))

    assert [t.tier for t in totals_of(tasks, by=("tier",))] == ["deep", "instant"]


stored = st.builds(
    StoredTask,
    queued_at=st.floats(T0, T0 + 5 * DAY),
    route_tier=st.sampled_from(["fast", "standard", "deep"]),
    outcome=st.sampled_from(["applied", "offered", "accepted", "failed", "stopped"]),
    ended_s=st.none() | st.floats(0, 100),
    checked_s=st.none() | st.floats(0, 100),
    applied_s=st.none() | st.floats(0, 100),
    input_n_tokens=st.integers(0, 9_999),
    cached_n_tokens=st.integers(0, 9_999),
    output_n_tokens=st.integers(0, 9_999),
    wasted_n_tokens=st.integers(0, 9_999),
    cost=st.none() | st.floats(0, 10),
    failed_checks=st.sampled_from(["", "syntax"]),
    n_repairs=st.integers(0, 2),
    n_escalations=st.integers(0, 2),
    accepted_at=st.none() | st.floats(T0, T0 + 5 * DAY),
    rejected_at=st.none() | st.floats(T0, T0 + 5 * DAY),
    undone_at=st.none() | st.floats(T0, T0 + 5 * DAY),
    edited_at=st.none() | st.floats(T0, T0 + 5 * DAY),
    draft_model=st.just(""),
    draft_result=st.just(""),
    opinion=st.sampled_from(
        ["", "agreed", "overruled", "kept", "changed", "lowered", "late", "unread"]
    ),
)


@given(st.lists(stored, min_size=1))
def test_groups_add_up_to_the_whole(tasks: list[StoredTask]) -> None:
    whole = one(*tasks)
    groups = totals_of(tasks, by=("tier", "day"))

    for name in ("tasks", "accepted", "rejected", "reworked", "unpriced"):
        assert sum(getattr(g, name) for g in groups) == getattr(whole, name)
    assert math.isclose(
        sum(g.cost or 0.0 for g in groups), whole.cost or 0.0, abs_tol=1e-9
    )
    assert whole.undone <= whole.reworked <= whole.accepted <= whole.tasks
    if whole.task_p50_s is not None and whole.task_p90_s is not None:
        assert whole.task_p50_s <= whole.task_p90_s


@pytest.mark.parametrize("moment", [3e11, 1e300, -1e300, math.inf, math.nan])
def test_a_moment_beyond_all_dates_fails_no_totals(moment: float) -> None:
    """The clock was wrong, or the row is damaged."""
    (group,) = totals_of([PLAIN._replace(queued_at=moment)], by=("day",))
    assert (group.day, group.tasks) == ("9999-12-31", 1)


def test_the_second_opinions() -> None:
    """How often they raised an edit, and how the others were kept."""
    assert opinion_totals_of([PLAIN]) is None
    reworked = PLAIN._replace(
        opinion="agreed", outcome="accepted", accepted_at=100.0, edited_at=110.0
    )
    tasks = [
        reworked,
        reworked._replace(edited_at=None),
        *(
            PLAIN._replace(opinion=each)
            for each in ("overruled", "kept", "changed", "lowered", "late")
        ),
    ]
    totals = opinion_totals_of([PLAIN, *tasks])
    assert totals is not None
    assert (totals.opinions, totals.agreed, totals.agreed_rework_share) == (7, 2, 0.5)
    assert (totals.kept, totals.changed, totals.lowered) == (1, 1, 1)
    assert totals.overruled == 1
    assert (totals.late, totals.unread) == (1, 0)


def test_what_routing_learns() -> None:
    """Only from edits whose outcome is known."""
    good = PLAIN._replace(
        kind="edit", route_tier="fast", outcome="accepted", accepted_at=100.0
    )
    undone = good._replace(undone_at=110.0)
    tasks = [
        good._replace(opinion="agreed"),
        undone._replace(opinion="lowered"),
        good._replace(outcome="rejected", accepted_at=None, rejected_at=100.0),
        good._replace(opinion="changed", n_escalations=1),
        good._replace(opinion="kept"),
        good._replace(opinion="late"),
        undone._replace(opinion="overruled"),
        good._replace(outcome="stopped", accepted_at=None, opinion="agreed"),
        good._replace(kind="tests"),
        undone._replace(route_tier="deep"),
        undone._replace(route_reasons="named length"),
    ]

    assert experience_of(tasks) == Experience(
        n_fast=6, n_fast_failed=3, n_opinions=4, n_opinions_wrong=2
    )


def test_the_drafts_of_each_model() -> None:
    drafts = [
        PLAIN._replace(draft_model=model, draft_result=result)
        for model, results in {
            "glm": ("unchanged", "repaired", "unchanged", "escalated", "unfinished"),
            "cheap": ("unfinished",),
        }.items()
        for result in results
    ]
    cheap, glm = draft_totals_of([PLAIN, *drafts])

    assert (glm.model, glm.drafts, glm.unfinished, glm.cost) == ("glm", 5, 1, 1.25)
    assert (glm.unchanged, glm.repaired, glm.escalated) == (2, 1, 1)
    # Of the four with a result.
    shares = (glm.unchanged_share, glm.repaired_share, glm.escalated_share)
    assert shares == (0.5, 0.25, 0.25)
    assert (cheap.drafts, cheap.unchanged_share) == (1, None)
