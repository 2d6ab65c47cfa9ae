"""Plans in the store: written whole, taken over from servers that are gone."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec.structs import replace

from redline.plans.overlay import Overlay
from redline.plans.plan import Plan, PlanStep
from redline.plans.record import (
    PlanRecord,
    PlanRequest,
    StepRecord,
    TierUse,
    with_step,
    with_use,
)
from redline.settings.tree import StoreSettings
from redline.store.review_store import ReviewStore

ROOT = "file:///shop"

PLAN = PlanRecord(
    id="p1",
    request=PlanRequest(instruction="Add prices.", roots=(ROOT,)),
    created_at=1.0,
    state="running",
    plan=Plan(summary="Prices.", steps=(PlanStep(id="s1", file="a", instruction="x"),)),
    steps=(StepRecord(id="s1", state="checked", tier="fast"),),
    overlay=Overlay(base={"a": "1"}).write("a", "2"),
)


def store(file: Path, owner: str) -> ReviewStore:
    """Open the store of a server."""
    settings = StoreSettings(file=str(file))
    return ReviewStore(lambda: settings, owner=owner)


async def test_a_plan_survives_its_server(tmp_path: Path) -> None:
    """The next server gets it with everything that its steps have made."""
    file = tmp_path / "plans.sqlite3"
    first = store(file, "one")
    await first.write(PLAN)
    second = store(file, "two")
    assert await second.take_over_plans([ROOT]) == ()
    assert await second.plan("p1") == PLAN
    # Its lock is released, as by a kill.
    await first.aclose()
    assert await second.take_over_plans([ROOT, "file:///other"]) == (PLAN,)
    assert await second.take_over_plans([ROOT]) == ()
    await second.aclose()


async def test_only_one_server_claims_a_plan(tmp_path: Path) -> None:
    """Of two that have read the same state, the one that writes first."""
    file = tmp_path / "plans.sqlite3"
    waiting = replace(PLAN, state="planned")
    first, second = store(file, "one"), store(file, "two")
    await first.write(waiting)
    assert await second.plan("p1") == waiting
    running = replace(waiting, state="running")
    assert await second.claim_plan(waiting, running)
    assert not await first.claim_plan(waiting, replace(waiting, state="rejected"))
    assert await first.plan("p1") == running
    # The one that claimed it owns it.
    await first.aclose()
    assert await second.take_over_plans([ROOT]) == ()
    # One whose file was deleted is written again.
    lost = replace(waiting, id="lost")
    assert await second.claim_plan(lost, replace(lost, state="running"))
    await second.aclose()


async def test_a_plan_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """One that has ended is listed, and not taken over."""
    one = store(tmp_path / "plans.sqlite3", "one")
    await one.write(PLAN)
    done = replace(PLAN, state="applied", ended_at=2.0)
    await one.write(done, replace(PLAN, id="p2"))
    assert await one.newest_plans([ROOT], limit=9) == (done, replace(PLAN, id="p2"))
    assert await one.newest_plans([ROOT], limit=1) == (replace(PLAN, id="p2"),)
    await one.aclose()
    two = store(tmp_path / "plans.sqlite3", "two")
    assert [plan.id for plan in await two.take_over_plans([ROOT])] == ["p2"]
    await two.aclose()


async def test_old_plans_are_forgotten(tmp_path: Path) -> None:
    """Their ids are known then; one that waits for the user is not old."""
    day = 86_400.0
    one = store(tmp_path / "plans.sqlite3", "one")
    await one.write(
        replace(PLAN, state="applied", ended_at=2.0),
        replace(PLAN, id="p2", state="planned"),
        replace(PLAN, id="p3", created_at=1000 * day),
        replace(PLAN, id="p4", created_at=1002 * day),
    )
    assert await one.forget_old_plans() == ("p1",)
    assert await one.plan("p1") is None
    assert [plan.id for plan in await one.newest_plans([ROOT], limit=9)] == [
        "p2",
        "p3",
        "p4",
    ]
    assert await one.forget_old_plans() == ()
    await one.aclose()


def test_steps_and_costs_are_added() -> None:
    """An unknown price makes the sum unknown."""
    more = with_step(PLAN, StepRecord(id="s2"))
    more = with_step(more, StepRecord(id="s1", state="problem"))
    assert [(one.id, one.state) for one in more.steps] == [
        ("s1", "problem"),
        ("s2", "waiting"),
    ]
    assert more.step_record("s3") == StepRecord(id="s3")
    priced = with_use(PLAN, TierUse(tier="fast", input_n_tokens=5, cost=0.5))
    priced = with_use(priced, TierUse(tier="fast", input_n_tokens=1, cost=0.25))
    assert priced.uses == (TierUse(tier="fast", input_n_tokens=6, cost=0.75),)
    assert priced.cost == 0.75
    assert with_use(priced, TierUse(tier="deep", cost=None)).cost is None


def test_a_record_is_read_as_it_was_written() -> None:
    """Also by the next version, which may have more fields."""
    packed = msgspec.msgpack.encode(PLAN)
    assert msgspec.msgpack.decode(packed, type=PlanRecord) == PLAN
