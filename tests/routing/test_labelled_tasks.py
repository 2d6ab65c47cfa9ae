"""Routes agree with what people said about tasks that no rule was tuned on."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from redline.routing.confusion import Confusion, Judged, confusion
from redline.routing.route import Tier, route
from redline.routing.rules import NAMES
from redline.routing.task import Kind, Task
from redline.settings.tree import RoutingSettings

FILE = Path(__file__).parents[1] / "data" / "routing.jsonl"
UNSEEN = FILE.with_name("routing_unseen.jsonl")
UNSEEN_2 = FILE.with_name("routing_unseen_2.jsonl")
"""By authors who had seen no rule and no other task; nothing was trained on them."""


@cache
def labelled(file: Path = FILE) -> list[dict[str, Any]]:  # JSON, as the tests check.
    lines = file.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@cache
def found(split: str, file: Path = FILE) -> Confusion:
    return confusion(
        Judged(
            id=row["id"],
            tier=row["tier"],
            boundaries=tuple(row["boundaries"]),
            route=route(
                Task(
                    instruction=row["instruction"],
                    path=row["path"],
                    language=row["language"],
                    code=row["code"],
                    files=tuple(row.get("files", ())),
                    kind=row["kind"],
                ),
                settings=RoutingSettings(),
                asked=None,
            ),
        )
        for row in labelled(file)
        if row.get("split", "") == split
    )


def test_the_labels_are_in_order() -> None:
    """Enough of them, each once, of many languages and of every kind and boundary."""
    rows = labelled()

    assert len(rows) >= 250
    assert len({row["id"] for row in rows}) == len(rows)
    assert len({row["language"] for row in rows}) >= 20
    assert {row["kind"] for row in rows} == set(get_args(Kind))
    assert {row["tier"] for row in rows} == set(get_args(Tier))
    assert {name for row in rows for name in row["boundaries"]} == set(NAMES)
    assert not [r["id"] for r in rows if r["boundaries"] and r["tier"] == "fast"]


def test_what_is_held_out_was_not_chosen() -> None:
    """A hash of the id decides, so no task can be moved because it is difficult."""
    for row in labelled():
        digest = int(hashlib.sha256(row["id"].encode()).hexdigest(), 16)
        assert row["split"] == ("held" if digest % 3 == 0 else "tune"), row["id"]

    splits = Counter(row["split"] for row in labelled())
    assert 0.30 <= splits["held"] / splits.total() <= 0.40


def test_most_tiers_that_nothing_was_trained_on_are_right() -> None:
    wrong = [f"{e.id}: {e.tier} -> {e.route.tier}" for e in found("held").wrong]

    assert found("held").share_right >= 0.80, wrong


@pytest.mark.parametrize(
    ("file", "n_tasks", "share"), [(UNSEEN, 248, 0.76), (UNSEEN_2, 100, 0.77)]
)
def test_tasks_by_an_author_who_knew_nothing(
    file: Path, n_tasks: int, share: float
) -> None:
    """The first look is in `docs/explanation/routing.md`; these are floors."""
    seen = found("", file)
    guarded_on_fast = [
        each.id for each in seen.wrong if each.boundaries and each.route.tier == "fast"
    ]

    assert seen.n_tasks == n_tasks
    assert seen.share_right >= share
    assert guarded_on_fast == []


@pytest.mark.parametrize("split", ["tune", "held"])
def test_no_boundary_is_missed(split: str) -> None:
    assert {each.id: each.missed for each in found(split).missed} == {}


@pytest.mark.parametrize("split", ["tune", "held"])
def test_not_too_many_tasks_are_kept_from_the_fast_tier_for_nothing(split: str) -> None:
    """The thresholds are set to miss little, whatever that costs here."""
    alarms = [each.id for each in found(split).alarms]

    assert len(alarms) <= 0.22 * found(split).n_tasks, alarms
