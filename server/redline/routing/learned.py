"""The learned score: linear heads over the features of a task.

`weights.bin` is written by `python -m benchmarks.routing_weights train`. One byte per
bucket and head; a head's `step` turns it into a weight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from redline.routing.boundary import Crossing, Reading
from redline.routing.features import Features, guard_features, tier_features
from redline.routing.signals import Signal
from redline.routing.task import Task

FILE = Path(__file__).with_name("weights.bin")
ABOVE_FAST = "above fast"
DEEP = "deep"
GUARDED = "guarded"
GUARDED_FROM = 0.20
"""Chosen for recall; `docs/explanation/routing.md` says what it costs."""
_ALSO_FROM = 0.35
_ABOVE_FAST_FROM = 0.5
_DEEP_FROM = 0.4
"""Below one half; otherwise too few deep tasks of a held-out author are found."""
_N_SHOWN = 2

Level = Literal["fast", "standard", "deep"]
_Shown = list[tuple[float, str]]


class Head(msgspec.Struct, frozen=True):
    """One linear classifier."""

    bias: float
    step: float
    values: bytes

    def logit(self, groups: Iterable[Features]) -> float:
        """Return the log-odds that the head's question is answered with yes."""
        weights = memoryview(self.values).cast("b")
        total = 0.0
        for group in groups:
            sums = sum([weights[i] for _, buckets in group.shown for i in buckets])
            total += group.scale * sums
        return self.bias + self.step * total

    def shown(self, groups: Iterable[Features]) -> _Shown:
        """Return what the features contribute, by what a reason may name."""
        weights = memoryview(self.values).cast("b")
        by_name: dict[str, float] = {}
        for group in groups:
            for name, buckets in group.shown:
                add = self.step * group.scale * sum([weights[i] for i in buckets])
                by_name[name] = by_name.get(name, 0.0) + add
        return [(add, name) for name, add in by_name.items() if _is_readable(name)]


class Weights(msgspec.Struct, frozen=True):
    """The content of the file of weights."""

    layout: str
    """`features.layout()` when it was trained."""
    heads: dict[str, Head]


@cache
def shipped_weights() -> Weights:
    """Load the weights once, at the first use."""
    return msgspec.msgpack.decode(FILE.read_bytes(), type=Weights)


def tier_signal(task: Task, weights: Weights) -> Signal:
    """Score a task by its words: up to 0.4 fast, up to 0.7 standard, then deep."""
    heads, groups = weights.heads, tier_features(task)
    deep = probability(heads[DEEP].logit(groups))
    above_fast = max(probability(heads[ABOVE_FAST].logit(groups)), deep)
    level, score = _score(above_fast, deep)
    shown = heads[DEEP if level == "deep" else ABOVE_FAST].shown(groups)
    if level == "fast":
        shown = [(-add, name) for add, name in shown]
    words = _strongest(shown)
    if not words:
        return Signal(name="words", weight=score, reason=f"Its words are {level}.")
    verb = "speak" if len(words) > 1 else "speaks"
    return Signal(
        name="words",
        weight=score,
        reason=f"{' and '.join(words)} {verb} for {level}.",
    )


def guards(
    task: Task, reading: Reading, subjects: dict[str, str], weights: Weights
) -> list[Crossing]:
    """Return the boundaries that the code and its names speak for.

    Args:
        task: The instruction and its code.
        reading: The task as words.
        subjects: What each boundary in use guards, by name.
        weights: What was learned.
    """
    heads, groups = weights.heads, guard_features(task, reading)
    if probability(heads[GUARDED].logit(groups)) < GUARDED_FROM:
        return []
    found = {
        name: probability(head.logit(groups))
        for name, head in heads.items()
        if name not in (ABOVE_FAST, DEEP, GUARDED)
    }
    likeliest = max(found, key=lambda name: found[name])
    if likeliest not in subjects:
        return []
    return [
        Crossing(name=name, reason=_guard_reason(heads[name], groups, subjects[name]))
        for name, share in found.items()
        if (name == likeliest or share >= _ALSO_FROM) and name in subjects
    ]


def probability(logit: float) -> float:
    """Return the probability of a log-odds value."""
    return 1 / (1 + math.exp(-max(min(logit, 30.0), -30.0)))


def _score(above_fast: float, deep: float) -> tuple[Level, float]:
    """Place the probabilities on the scale of the default thresholds."""
    if deep > _DEEP_FROM:
        return "deep", 0.71 + 0.29 * (deep - _DEEP_FROM) / (1 - _DEEP_FROM)
    if above_fast > _ABOVE_FAST_FROM:
        return "standard", 0.41 + 0.28 * deep / _DEEP_FROM
    return "fast", 0.4 * above_fast / _ABOVE_FAST_FROM


def _guard_reason(head: Head, groups: Iterable[Features], subject: str) -> str:
    words = _strongest(head.shown(groups))
    return f"It may touch {subject}{': ' if words else ''}{' and '.join(words)}."


def _strongest(shown: _Shown) -> list[str]:
    best = sorted(shown, key=lambda each: (-each[0], each[1]))[:_N_SHOWN]
    return [f"“{name}”" for add, name in best if add > 0]


def _is_readable(name: str) -> bool:
    return bool(name) and all(word.isalnum() for word in name.split())
