"""`python -m benchmarks.second_opinions [FILE]`: routes with a second opinion.

Each labelled task of a file (by default those of the fourth author) is routed as the
program does it, without and with the opinion of a scripted model, which names the
labelled tier and risk nine times in ten, and another tier otherwise. `SEEDS` runs are
averaged.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from redline.routing.route import Route, revised, route
from redline.routing.task import Task
from redline.settings.tree import RoutingSettings

FILE = Path(__file__).parents[1] / "tests" / "data" / "routing_unseen.jsonl"
SEEDS = 20
_SHARE_RIGHT = 0.9

_SETTINGS = RoutingSettings()

Tier = Literal["fast", "standard", "deep"]
_TIERS: tuple[Tier, ...] = ("fast", "standard", "deep")


class _Labelled(msgspec.Struct, frozen=True, kw_only=True):
    tier: Tier
    boundaries: Sequence[str]


class _Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How one run went."""

    n_right: int
    n_guarded_on_fast: int
    n_raised: int
    n_lowered: int
    """Tasks that the opinion gave to a higher tier, and to a lower one."""


def main() -> int:
    """Route all tasks with and without opinions; return 0."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    tasks = [_read(line) for line in file.open("rb")]
    alone = _outcome(tasks, None)
    runs = [_outcome(tasks, random.Random(seed)) for seed in range(SEEDS)]
    n_tasks = len(tasks)
    print(f"{file.name}: {n_tasks} tasks")
    print(
        f"alone: {alone.n_right / n_tasks:.1%} right,"
        f" {alone.n_guarded_on_fast} guarded on the fast tier alone"
    )
    shares = sorted(run.n_right / n_tasks for run in runs)
    print(
        f"with opinions: {sum(shares) / SEEDS:.1%} right ({shares[0]:.1%} to"
        f" {shares[-1]:.1%}), {sum(run.n_guarded_on_fast for run in runs) / SEEDS:.2f}"
        " guarded on the fast tier alone,"
        f" {sum(run.n_raised for run in runs) / SEEDS:.1f} tasks raised,"
        f" {sum(run.n_lowered for run in runs) / SEEDS:.1f} lowered"
    )
    return 0


def _read(line: bytes) -> tuple[_Labelled, Route]:
    label = msgspec.json.decode(line, type=_Labelled)
    task = msgspec.json.decode(line, type=Task)
    return label, route(task, settings=_SETTINGS, asked=None)


def _outcome(
    tasks: Sequence[tuple[_Labelled, Route]], chance: random.Random | None
) -> _Outcome:
    n_right = n_guarded = n_raised = n_lowered = 0
    for label, routed in tasks:
        tier = routed.tier
        if chance is not None:
            said = _opinion(label, chance)
            tier = revised(
                routed,
                said,
                is_guarded=said != "fast" and bool(label.boundaries),
                reliability=_SHARE_RIGHT,
                settings=_SETTINGS,
            ).tier
        n_right += tier == label.tier
        n_raised += _TIERS.index(tier) > _TIERS.index(routed.tier)
        n_lowered += _TIERS.index(tier) < _TIERS.index(routed.tier)
        n_guarded += tier == "fast" and bool(label.boundaries)
    return _Outcome(
        n_right=n_right,
        n_guarded_on_fast=n_guarded,
        n_raised=n_raised,
        n_lowered=n_lowered,
    )


def _opinion(label: _Labelled, chance: random.Random) -> Tier:
    if chance.random() < _SHARE_RIGHT:
        return label.tier
    return chance.choice([one for one in _TIERS if one != label.tier])


if __name__ == "__main__":
    sys.exit(main())
