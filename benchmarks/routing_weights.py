"""`python -m benchmarks.routing_weights train|validate`: the learned score of routing.

`train` writes `server/redline/routing/weights.bin` from `tests/data/routing/` and the
tuning part of `tests/data/routing.jsonl`; the same tasks and rules give the same bytes.
The heads are trained on all tasks. What they count is trained on the answers that heads
give about an author whose tasks they have not seen.

`validate` judges each author by heads and weights that have not seen that author, and
prints the results by author, style and human language. Each takes some minutes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import mul
from pathlib import Path

import msgspec

from redline.routing import learned
from redline.routing.boundary import Reading, RuleEvidence
from redline.routing.estimate import probability
from redline.routing.features import (
    Features,
    guard_features,
    layout,
    tier_features,
)
from redline.routing.learned import (
    ABOVE_FAST,
    CHANGES,
    DECIDES,
    DEEP,
    GUARDED,
    Head,
    Mix,
    Weights,
    mixed_values,
)
from redline.routing.route import Tier, route
from redline.routing.rules import NAMES, found_by_rules, rules_of
from redline.routing.task import Task
from redline.settings.tree import RoutingSettings

_DATA = Path(__file__).parents[1] / "tests" / "data"
FOLDER = _DATA / "routing"
_FIRST = _DATA / "routing.jsonl"
MAX_BYTES = 300_000
_BUCKETS = {ABOVE_FAST: 1 << 16, DEEP: 1 << 16, CHANGES: 1 << 15}
_GUARD_BUCKETS = 1 << 14
_NAME_BUCKETS = 1 << 13
_SEED = 15
_EPOCHS = 8
_RATE = 0.5
_SURE = 0.02
"""Errors below this change nothing."""
_LARGEST = 63
"""Largest weight of a head. The file compresses better than with all of a byte: the
package of the extension has little room."""

_MIX_EPOCHS = 12
_MIX_RATE = 0.05
_MIX_DECAY = 1e-4
"""Share of each weight of a mix that is lost at each task."""

_Row = tuple[tuple[int, ...], tuple[float, ...]]
"""Buckets and their values."""


class LabelledTask(Task, frozen=True, kw_only=True):
    """A task of the corpus."""

    id: str
    tier: Tier
    boundaries: tuple[str, ...]
    style: str = ""
    human: str = ""
    split: str = ""
    snippet: str = ""
    """Groups the tasks of an author on the same code; empty: the code itself."""


class _Read(msgspec.Struct, frozen=True):
    """What a task is read as."""

    words: tuple[Features, ...]
    code: tuple[Features, ...]
    found: list[RuleEvidence]


def read_tasks(file: Path) -> list[LabelledTask]:
    """Read the tasks of one author."""
    lines = file.read_bytes().splitlines()
    return [msgspec.json.decode(line, type=LabelledTask) for line in lines]


def trained(
    by_author: Mapping[str, Sequence[LabelledTask]], epochs: int = _EPOCHS
) -> Weights:
    """Train on all authors, of whom there are at least two."""
    seen = _answers(by_author, epochs)
    every = [task for tasks in by_author.values() for task in tasks]
    return Weights(
        layout=layout(), heads=_heads(every, epochs), mixes=_mixes(by_author, seen)
    )


def _answers(
    by_author: Mapping[str, Sequence[LabelledTask]], epochs: int
) -> dict[str, dict[str, float]]:
    """Return what is mixed for each task, by id, from heads that know other authors."""
    answers = {}
    for author, tasks in by_author.items():
        heads = _heads(_others(by_author, author), epochs, names=())
        for task in tasks:
            read = _read(task)
            answers[task.id] = mixed_values(
                heads, read.words, read.code, read.found, task.kind
            )
    return answers


def _others(
    by_author: Mapping[str, Sequence[LabelledTask]], author: str
) -> list[LabelledTask]:
    return [t for name, each in by_author.items() if name != author for t in each]


@cache
def _read(task: Task) -> _Read:
    reading = Reading.of(task)
    _, found = found_by_rules(task, reading, rules_of(RoutingSettings()))
    return _Read(tier_features(task), guard_features(task, reading), found)


def _heads(
    tasks: Sequence[LabelledTask], epochs: int, names: Iterable[str] = NAMES
) -> dict[str, Head]:
    read = [_read(task) for task in tasks]
    words, code = [each.words for each in read], [each.code for each in read]
    deciding = {_code_of(task) for task in tasks if task.boundaries}
    on_guarded = [n for n, task in enumerate(tasks) if _code_of(task) in deciding]
    heads = {
        ABOVE_FAST: _head(words, [t.tier != "fast" for t in tasks], ABOVE_FAST, epochs),
        DEEP: _head(words, [t.tier == "deep" for t in tasks], DEEP, epochs),
        CHANGES: _head(
            [words[n] for n in on_guarded],
            [bool(tasks[n].boundaries) for n in on_guarded],
            CHANGES,
            epochs,
        ),
        GUARDED: _head(code, [bool(t.boundaries) for t in tasks], GUARDED, epochs),
        DECIDES: _head(code, [_code_of(t) in deciding for t in tasks], DECIDES, epochs),
    }
    for name in names:
        labels = [name in task.boundaries for task in tasks]
        heads[name] = _head(code, labels, name, epochs)
    return heads


def _code_of(task: LabelledTask) -> str:
    return task.snippet or task.code


def _row(groups: Iterable[Features], mask: int) -> _Row:
    merged: dict[int, float] = {}
    for group in groups:
        for _, buckets in group.shown:
            for bucket in buckets:
                merged[bucket & mask] = merged.get(bucket & mask, 0.0) + group.scale
    return tuple(merged), tuple(merged.values())


def _head(
    groups: Sequence[Iterable[Features]],
    labels: Sequence[bool],
    name: str,
    epochs: int,
) -> Head:
    """Train logistic regression by stochastic gradient descent."""
    default = _NAME_BUCKETS if name in NAMES else _GUARD_BUCKETS
    n_buckets = _BUCKETS.get(name, default)
    rows = [_row(each, n_buckets - 1) for each in groups]
    found, bias = [0.0] * n_buckets, 0.0
    for index, rate in _schedule(len(rows), epochs, _RATE):
        buckets, values = rows[index]
        logit = bias + sum(map(mul, map(found.__getitem__, buckets), values))
        error = probability(logit) - labels[index]
        if abs(error) < _SURE:
            continue
        change = rate * error
        bias -= change * 0.1
        for bucket, value in zip(buckets, values, strict=True):
            found[bucket] -= change * value
    step = (max(map(abs, found)) or 1.0) / _LARGEST
    weights = (round(each / step) for each in found)
    return Head.of(weights, bias=round(bias, 6), step=round(step, 9))


def _schedule(n_rows: int, epochs: int, rate: float) -> Iterator[tuple[int, float]]:
    """Yield the row to learn from and how fast, for all epochs."""
    order = list(range(n_rows))
    shuffler = random.Random(_SEED)
    for epoch in range(epochs):
        shuffler.shuffle(order)
        for index in order:
            yield index, rate / (1 + epoch / 2)


def _mixes(
    by_author: Mapping[str, Sequence[LabelledTask]],
    answers: Mapping[str, Mapping[str, float]],
) -> dict[str, Mix]:
    every = [task for tasks in by_author.values() for task in tasks]
    rows = [answers[task.id] for task in every]
    return {
        ABOVE_FAST: _mix(rows, [task.tier != "fast" for task in every]),
        DEEP: _mix(rows, [task.tier == "deep" for task in every]),
        GUARDED: _mix(rows, [bool(task.boundaries) for task in every]),
    }


def _mix(rows: Sequence[Mapping[str, float]], labels: Sequence[bool]) -> Mix:
    """Train logistic regression with decaying weights."""
    found: dict[str, float] = {}
    bias = 0.0
    for index, rate in _schedule(len(rows), _MIX_EPOCHS, _MIX_RATE):
        row = rows[index]
        logit = bias + sum(found.get(name, 0.0) * value for name, value in row.items())
        change = rate * (probability(logit) - labels[index])
        bias -= change
        for name, value in row.items():
            before = found.get(name, 0.0)
            found[name] = before * (1 - _MIX_DECAY) - change * value
    return Mix(
        bias=round(bias, 4),
        weights={name: round(weight, 4) for name, weight in sorted(found.items())},
    )


def encoded(made: Weights) -> bytes:
    """Return the content of the file of weights."""
    return msgspec.msgpack.encode(made)


def main() -> int:
    """Train or validate; return 1 if the weights are too large."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.routing_weights")
    parser.add_argument("action", choices=("train", "validate"))
    by_author = labelled_by_author()
    if parser.parse_args().action == "validate":
        _validate(by_author)
        return 0
    content = encoded(trained(by_author))
    learned.FILE.write_bytes(content)
    print(f"{len(content):,} bytes written to {learned.FILE.name}")
    return int(len(content) > MAX_BYTES)


def labelled_by_author() -> dict[str, list[LabelledTask]]:
    """Read the tasks that may be trained on, by author."""
    by_author = {file.stem: read_tasks(file) for file in sorted(FOLDER.glob("*.jsonl"))}
    by_author["first set"] = [t for t in read_tasks(_FIRST) if t.split != "held"]
    return by_author


def _validate(by_author: Mapping[str, Sequence[LabelledTask]]) -> None:
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    answers = _answers(by_author, _EPOCHS)
    for author, held_out in by_author.items():
        others = {name: tasks for name, tasks in by_author.items() if name != author}
        made = Weights(
            layout=layout(),
            heads=_heads(_others(by_author, author), _EPOCHS),
            mixes=_mixes(others, answers),
        )
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
    yield "all", is_right
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
