"""The learned score: linear heads over the features of a task, and how they count.

A head answers one question by the hashed features. What the heads and the rules say is
mixed by few weights, which were trained on the answers of heads about authors whose
tasks those heads had not seen; so the mixed answers are probabilities that hold for a
new author.

`weights.bin` is written by `python -m benchmarks.routing_weights train`. One byte per
bucket and head; a head's `step` turns it into a weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from operator import itemgetter
from pathlib import Path

import msgspec

from redline.routing.boundary import Crossing, RuleEvidence
from redline.routing.estimate import Estimate, probability
from redline.routing.features import Features
from redline.routing.signals import Signal
from redline.routing.task import Kind

FILE = Path(__file__).with_name("weights.bin")
ABOVE_FAST = "above fast"
DEEP = "deep"
GUARDED = "guarded"
"""Whether the task has a boundary."""
DECIDES = "decides"
"""Whether the code is such that some task on it has a boundary."""
CHANGES = "changes"
"""Of such code: whether the instruction changes what it decides."""
MIXED = (ABOVE_FAST, DEEP, GUARDED)
"""The answers that are mixed."""
GUARDED_FROM = 0.06
"""Least probability of a boundary that no rule finds."""
HARMLESS_BELOW = 0.03
"""Below this probability, a boundary that a rule finds does not apply: the instruction
changes nothing that the code decides. Both are chosen so that of the guarded tasks of a
held-out author, 98 % are not left to the fast tier alone;
`docs/explanation/routing.md` says what that costs."""
RELEASED_BELOW = 0.05
"""Below this probability after an opinion, a boundary is dropped. One opinion that is
right nine times in ten brings it there from 0.32 at most."""
_ALSO_FROM = 0.35
_MAX_POINTS = 6
_LOG_ODDS_SCALE = 1 / 3
"""Brings log-odds to the size of the other values."""
_N_SHOWN = 2

_Shown = list[tuple[float, str]]
_Getter = Callable[[bytes], Sequence[int]]
"""Returns the stored weight of each bucket of a group."""

_OFFSET = 128
"""Stored weights are 0 to 255, which `bytes` reads faster than signed ones."""


class _Flat:
    """The buckets of groups of features, as heads of each size number them."""

    def __init__(self, groups: Iterable[Features]) -> None:
        self._groups = [
            (group.scale, [i for _, buckets in group.shown for i in buckets])
            for group in groups
        ]
        self._by_mask: dict[int, list[tuple[float, _Getter]]] = {}

    def masked(self, mask: int) -> list[tuple[float, _Getter]]:
        """Return for each group its scale, and what gets its weights."""
        known = self._by_mask.get(mask)
        if known is None:
            known = [
                (scale, _getter([i & mask for i in buckets]))
                for scale, buckets in self._groups
            ]
            self._by_mask[mask] = known
        return known


def _getter(buckets: Sequence[int]) -> _Getter:
    if len(buckets) > 1:
        # A comprehension takes three times as long.
        return itemgetter(*buckets)
    return lambda values: [values[i] for i in buckets]


class Head(msgspec.Struct, frozen=True):
    bias: float
    step: float
    values: bytes
    """A power of two of weights plus `_OFFSET`; a feature uses the lower bits of its
    bucket."""

    @classmethod
    def of(cls, weights: Iterable[int], *, bias: float, step: float) -> Head:
        """Create a head.

        Args:
            weights: A power of two of weights, -127 to 127, in units of `step`.
            bias: The log-odds of a task without features.
            step: What a weight of 1 adds to the log-odds, times the scale of its group.
        """
        values = bytes(_OFFSET + weight for weight in weights)
        return cls(bias=bias, step=step, values=values)

    def logit(self, flat: _Flat) -> float:
        """Return the log-odds that the head's question is answered with yes."""
        total = 0.0
        for scale, weights_in in flat.masked(len(self.values) - 1):
            weights = weights_in(self.values)
            total += scale * (sum(weights) - _OFFSET * len(weights))
        return self.bias + self.step * total

    def shown(self, groups: Iterable[Features]) -> _Shown:
        """Return what the features contribute, by what a reason may name."""
        weights = self.values
        mask = len(weights) - 1
        by_name: dict[str, float] = {}
        for group in groups:
            unit = self.step * group.scale
            for name, buckets in group.shown:
                # A comprehension takes twice as long for the few buckets of a name.
                sums = -_OFFSET * len(buckets)
                for i in buckets:
                    sums += weights[i & mask]
                by_name[name] = by_name.get(name, 0.0) + unit * sums
        return [(add, name) for name, add in by_name.items()]


class Mix(msgspec.Struct, frozen=True):
    """What the heads and the rules count for one answer."""

    bias: float
    weights: dict[str, float]

    def logit(self, values: Mapping[str, float]) -> float:
        """Return the log-odds of yes."""
        known = self.weights
        return self.bias + sum(
            known.get(name, 0.0) * value for name, value in values.items()
        )


class Weights(msgspec.Struct, frozen=True):
    layout: str
    """`features.layout()` when it was trained."""
    heads: dict[str, Head]
    mixes: dict[str, Mix]

    def estimate(self, values: Mapping[str, float]) -> Estimate:
        """Return the probabilities for what `mixed_values` gives."""
        above_fast, deep, guarded = (self.mixes[name].logit(values) for name in MIXED)
        return Estimate(above_fast=above_fast, deep=deep, guarded=probability(guarded))


@cache
def shipped_weights() -> Weights:
    """Load the weights once, at the first use."""
    return msgspec.msgpack.decode(FILE.read_bytes(), type=Weights)


def mixed_values(
    heads: Mapping[str, Head],
    words: Sequence[Features],
    code: Sequence[Features],
    found: Sequence[RuleEvidence],
    kind: Kind,
) -> dict[str, float]:
    """Return what the mixes weigh: the answers of the heads and of the rules.

    Args:
        heads: The heads.
        words: `features.tier_features` of the task.
        code: `features.guard_features` of the task.
        found: The evidence for each rule; none for a file that executes nothing.
        kind: The task's kind.
    """
    flat_words, flat_code = _Flat(words), _Flat(code)
    above_fast, deep = (
        heads[ABOVE_FAST].logit(flat_words),
        heads[DEEP].logit(flat_words),
    )
    changes = heads[CHANGES].logit(flat_words)
    guarded, decides = heads[GUARDED].logit(flat_code), heads[DECIDES].logit(flat_code)
    values = {
        name: _LOG_ODDS_SCALE * log_odds
        for name, log_odds in (
            (ABOVE_FAST, above_fast),
            (DEEP, deep),
            (CHANGES, changes),
            (GUARDED, guarded),
            (DECIDES, decides),
        )
    }
    is_change, is_hard = probability(changes), probability(above_fast)
    values["changes what decides"] = 3 * is_change * probability(decides)
    values["is guarded"] = 3 * probability(guarded)
    values[f"kind {kind}"] = 0.5
    # A rule counts as far as the instruction changes something.
    most = min(max((each.points for each in found), default=0), _MAX_POINTS)
    shown = {f"{place} {weight}" for each in found for place, weight in each.places}
    shown.update(f"points {n}" for n in range(1, most + 1))
    if not found:
        shown.add("inert")
    for name in sorted(shown):
        values[name] = is_change
        values[f"{name}, hard"] = is_hard
    return values


def tier_signal(
    weights: Weights, words: Sequence[Features], estimate: Estimate
) -> Signal:
    """Return what the words of a task speak for."""
    tier = estimate.likeliest
    shown = weights.heads[DEEP if tier == "deep" else ABOVE_FAST].shown(words)
    if tier == "fast":
        shown = [(-add, name) for add, name in shown]
    named = _strongest(shown)
    reason = f"Its words are {tier}."
    if named:
        verb = "speak" if len(named) > 1 else "speaks"
        reason = f"{' and '.join(named)} {verb} for {tier}."
    return Signal(name="words", weight=estimate.above_fast, reason=reason)


def likely_boundaries(
    weights: Weights, code: Sequence[Features], subjects: Mapping[str, str]
) -> list[Crossing]:
    """Return the boundaries that the code of a guarded task speaks for most.

    Args:
        weights: What was learned.
        code: `features.guard_features` of the task.
        subjects: What each boundary in use guards, by name.
    """
    heads = {
        name: head
        for name, head in weights.heads.items()
        if name not in (*MIXED, DECIDES, CHANGES)
    }
    flat = _Flat(code)
    shares = {name: probability(head.logit(flat)) for name, head in heads.items()}
    likeliest = max(shares, key=lambda name: shares[name])
    if likeliest not in subjects:
        return []
    return [
        Crossing(
            name=name,
            reason=_guard_reason(heads[name], code, subjects[name]),
        )
        for name, share in shares.items()
        if (name == likeliest or share >= _ALSO_FROM) and name in subjects
    ]


def _guard_reason(head: Head, groups: Iterable[Features], subject: str) -> str:
    words = _strongest(head.shown(groups))
    return f"It may touch {subject}{': ' if words else ''}{' and '.join(words)}."


def _strongest(shown: _Shown) -> list[str]:
    best = sorted((-add, name) for add, name in shown if add > 0)
    readable = (f"“{name}”" for _, name in best if _is_readable(name))
    return list(islice(readable, _N_SHOWN))


def _is_readable(name: str) -> bool:
    return name.replace(" ", "").isalnum()
