"""`python -m benchmarks.second_opinions [FILE]`: routes with a second opinion.

Each labelled task of a file (by default those of the last unseen author) is routed as
the program does it. Tasks that go to the fast tier get the opinion of a scripted model,
which names the labelled tier and risk nine times in ten and another tier otherwise; a
higher tier of the opinion wins. `SEEDS` runs are averaged.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from redline.routing.route import route
from redline.routing.task import Task
from redline.settings.tree import RoutingSettings

FILE = Path(__file__).parents[1] / "tests" / "data" / "routing_unseen.jsonl"
SEEDS = 20
_SHARE_RIGHT = 0.9

Tier = Literal["fast", "standard", "deep"]
_TIERS: tuple[Tier, ...] = ("fast", "standard", "deep")


class _Labelled(msgspec.Struct, frozen=True, kw_only=True):
    tier: Tier
    boundaries: Sequence[str]


class _Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How one run went."""

    n_right: int
    n_guarded_on_fast: int
    n_lifted: int
    """Tasks of the fast tier that the opinion gave to a higher one."""


def main() -> int:
    """Route all tasks with and without opinions; return 0."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    tasks = [_read(line) for line in file.open("rb")]
    alone = _outcome(tasks, None)
    runs = [_outcome(tasks, random.Random(seed)) for seed in range(SEEDS)]
    n_tasks = len(tasks)
    print(f"{file.name}: {n_tasks} tasks")
    print(
        f"rules alone: {alone.n_right / n_tasks:.1%} right,"
        f" {alone.n_guarded_on_fast} guarded on the fast tier alone"
    )
    shares = sorted(run.n_right / n_tasks for run in runs)
    print(
        f"with opinions: {sum(shares) / SEEDS:.1%} right ({shares[0]:.1%} to"
        f" {shares[-1]:.1%}), {sum(run.n_guarded_on_fast for run in runs) / SEEDS:.2f}"
        " guarded on the fast tier alone,"
        f" {sum(run.n_lifted for run in runs) / SEEDS:.1f} tasks lifted"
    )
    return 0


def _read(line: bytes) -> tuple[_Labelled, Tier]:
    label = msgspec.json.decode(line, type=_Labelled)
    task = msgspec.json.decode(line, type=Task)
    return label, route(task, settings=RoutingSettings(), asked=None).tier


def _outcome(
    tasks: Sequence[tuple[_Labelled, Tier]], chance: random.Random | None
) -> _Outcome:
    n_right = n_guarded = n_lifted = 0
    for label, routed in tasks:
        tier = routed
        if routed == "fast" and chance is not None:
            tier = _opinion(label, chance)
        n_right += tier == label.tier
        n_lifted += tier != routed
        n_guarded += tier == "fast" and bool(label.boundaries)
    return _Outcome(n_right=n_right, n_guarded_on_fast=n_guarded, n_lifted=n_lifted)


def _opinion(label: _Labelled, chance: random.Random) -> Tier:
    if chance.random() < _SHARE_RIGHT:
        return label.tier
    return chance.choice([one for one in _TIERS if one != label.tier])


if __name__ == "__main__":
    sys.exit(main())
