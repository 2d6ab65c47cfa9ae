"""Agreement with labels is counted per tier, and what is wrong is named."""

from __future__ import annotations

import pytest

from redline.routing.confusion import Judged, confusion, confusion_page
from redline.routing.estimate import Estimate
from redline.routing.route import Route, Tier


def judged(
    name: str, tier: Tier, routed: Tier, *, labelled: str = "", seen: str = ""
) -> Judged:
    return Judged(
        id=name,
        tier=tier,
        boundaries=tuple(labelled.split()),
        route=Route(
            tier=routed,
            score=0.5,
            reasons=("So.",),
            boundaries=tuple(seen.split()),
            estimate=Estimate(above_fast=0.0, deep=0.0, guarded=0.0),
        ),
    )


CASES = [
    judged("right", "fast", "fast"),
    judged("guarded", "standard", "standard", labelled="crypto", seen="crypto mfa"),
    judged("missed", "standard", "fast", labelled="crypto"),
    judged("alarm", "fast", "standard", seen="sessions"),
]


def test_what_is_counted() -> None:
    found = confusion(CASES)

    assert (found.n_tasks, found.n_right, found.share_right) == (4, 2, 0.5)
    assert found.table == {
        ("fast", "fast"): 1,
        ("standard", "standard"): 1,
        ("standard", "fast"): 1,
        ("fast", "standard"): 1,
    }
    assert [each.id for each in found.wrong] == ["missed", "alarm"]
    assert [each.id for each in found.missed] == ["missed"]
    assert [each.id for each in found.alarms] == ["alarm"]


@pytest.mark.parametrize(
    "line",
    [
        "2 of 4 tiers right (50.0%)",
        "1 tasks with a boundary missed, 1 with one that is none",
        "fast                 1         1         0",
        "standard             1         1         0",
        "tier      missed: standard -> fast (0.50)",
        "missed    missed: crypto",
        "no such   alarm: sessions",
    ],
)
def test_the_page(line: str) -> None:
    assert line in confusion_page(confusion(CASES)).splitlines()


def test_without_tasks_nothing_is_wrong() -> None:
    assert confusion([]).share_right == 1
