"""`python -m benchmarks.routing_weights train|validate`: the learned score of routing.

`train` writes `server/redline/routing/weights.bin` from `tests/data/routing/` and the
tuning part of `tests/data/routing.jsonl`; the same tasks give the same bytes.
`validate` trains on all authors but one, judges that one, and prints the results by
author, style and human language. Takes a minute or two.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from redline.routing import learned
from redline.routing.boundary import Reading
from redline.routing.features import (
    GUARD_BUCKETS,
    TIER_BUCKETS,
    Features,
    guard_features,
    layout,
    tier_features,
)
from redline.routing.learned import ABOVE_FAST, DEEP, GUARDED, Head, Weights
from redline.routing.route import Tier, route
from redline.routing.rules import NAMES
from redline.routing.task import Task
from redline.settings.tree import RoutingSettings

_DATA = Path(__file__).parents[1] / "tests" / "data"
FOLDER = _DATA / "routing"
_FIRST = _DATA / "routing.jsonl"
MAX_BYTES = 300_000
_SEED = 15
_EPOCHS = 8
_RATE = 0.5
_SURE = 0.02
"""Errors below this change nothing."""
_LARGEST = 15

_Row = list[tuple[int, float]]


class LabelledTask(Task, frozen=True, kw_only=True):
    """A task of the corpus."""

    id: str
    tier: Tier
    boundaries: tuple[str, ...]
    style: str = ""
    human: str = ""
    split: str = ""


def read_tasks(file: Path) -> list[LabelledTask]:
    """Read the tasks of one author."""
    lines = file.read_bytes().splitlines()
    return [msgspec.json.decode(line, type=LabelledTask) for line in lines]


def trained(tasks: Sequence[LabelledTask], epochs: int = _EPOCHS) -> Weights:
    """Train all heads."""
    tier_rows = [_row(tier_features(task)) for task in tasks]
    guard_rows = [_row(guard_features(task, Reading.of(task))) for task in tasks]

    def tier_head(labels: Sequence[bool]) -> Head:
        return _head(tier_rows, labels, TIER_BUCKETS, epochs)

    def guard_head(labels: Sequence[bool]) -> Head:
        return _head(guard_rows, labels, GUARD_BUCKETS, epochs)

    return Weights(
        layout=layout(),
        heads={
            ABOVE_FAST: tier_head([task.tier != "fast" for task in tasks]),
            DEEP: tier_head([task.tier == "deep" for task in tasks]),
            GUARDED: guard_head([bool(task.boundaries) for task in tasks]),
            **{
                name: guard_head([name in task.boundaries for task in tasks])
                for name in NAMES
            },
        },
    )


def _row(groups: Iterable[Features]) -> _Row:
    merged: dict[int, float] = {}
    for group in groups:
        for _, buckets in group.shown:
            for bucket in buckets:
                merged[bucket] = merged.get(bucket, 0.0) + group.scale
    return list(merged.items())


def _head(
    rows: Sequence[_Row], labels: Sequence[bool], n_buckets: int, epochs: int
) -> Head:
    """Train logistic regression by stochastic gradient descent."""
    found, bias = [0.0] * n_buckets, 0.0
    order = list(range(len(rows)))
    shuffler = random.Random(_SEED)
    for epoch in range(epochs):
        shuffler.shuffle(order)
        rate = _RATE / (1 + epoch / 2)
        for index in order:
            row = rows[index]
            logit = bias + sum([found[bucket] * value for bucket, value in row])
            error = learned.probability(logit) - labels[index]
            if abs(error) < _SURE:
                continue
            change = rate * error
            bias -= change * 0.1
            for bucket, value in row:
                found[bucket] -= change * value
    step = (max(map(abs, found)) or 1.0) / _LARGEST
    values = bytes(round(each / step) & 0xFF for each in found)
    return Head(bias=round(bias, 6), step=round(step, 9), values=values)


def encoded(made: Weights) -> bytes:
    """Return the content of the file of weights."""
    return msgspec.msgpack.encode(made)


def main() -> int:
    """Train or validate; return 1 if the weights are too large."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.routing_weights")
    parser.add_argument("action", choices=("train", "validate"))
    by_author = {file.stem: read_tasks(file) for file in sorted(FOLDER.glob("*.jsonl"))}
    by_author["first set"] = [t for t in read_tasks(_FIRST) if t.split != "held"]
    if parser.parse_args().action == "validate":
        _validate(by_author)
        return 0
    content = encoded(trained([task for each in by_author.values() for task in each]))
    learned.FILE.write_bytes(content)
    print(f"{len(content):,} bytes written to {learned.FILE.name}")
    return int(len(content) > MAX_BYTES)


def _validate(by_author: dict[str, list[LabelledTask]]) -> None:
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for author, held_out in by_author.items():
        others = [t for name, each in by_author.items() if name != author for t in each]
        made = trained(others)
        for task in held_out:
            for group, is_right in _judged(author, task, made):
                every[group] += 1
                right[group] += is_right
    for group, n_tasks in sorted(every.items()):
        share = right[group] / n_tasks
        print(f"{group:40} {right[group]:5} of {n_tasks:5}  {share:.1%}")


def _judged(
    author: str, task: LabelledTask, made: Weights
) -> Iterator[tuple[str, bool]]:
    """Yield what a route got right or wrong, by group."""
    chosen = route(task, settings=RoutingSettings(), asked=None, weights=made)
    is_right = chosen.tier == task.tier
    yield f"author {author}", is_right
    yield f"labelled {task.tier}", is_right
    if task.style:
        yield "all but the first set", is_right
        yield f"style {task.style}", is_right
        yield f"human language {task.human}", is_right
    if task.boundaries:
        yield "guarded: not on fast", chosen.tier != "fast"
        yield "guarded: some boundary found", bool(chosen.boundaries)
        missed = set(task.boundaries) - set(chosen.boundaries)
        yield "guarded: every boundary found", not missed
    else:
        yield "not guarded: no false alarm", not chosen.boundaries
    if task.tier == "fast":
        yield "labelled fast: no false alarm", not chosen.boundaries


if __name__ == "__main__":
    sys.exit(main())
