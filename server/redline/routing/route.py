"""Chooses the tier of a task, with reasons that a person can read.

Boundaries come first, then the complexity score against the thresholds of the settings.
A tier or a model that the user names wins, except that the fast tier never does a task
over a boundary alone. No model is called, and only the task and the settings are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from redline.routing import services
from redline.routing.boundary import Crossing, Reading, is_inert
from redline.routing.estimate import Estimate
from redline.routing.experience import NO_EXPERIENCE, Experience
from redline.routing.features import Features, guard_features, tier_features
from redline.routing.learned import (
    GUARDED_FROM,
    HARMLESS_BELOW,
    RELEASED_BELOW,
    Weights,
    likely_boundaries,
    mixed_values,
    shipped_weights,
    tier_signal,
)
from redline.routing.rules import found_by_rules, rules_of
from redline.routing.signals import Signal, signals
from redline.routing.task import Kind, Task
from redline.settings.tree import RoutingSettings

Tier = Literal["fast", "standard", "deep"]

_N_REASONS = 4
"""Most signals given as reasons; the heaviest come first."""
_WITHOUT_EDIT: frozenset[Kind] = frozenset({"explain", "review", "tests"})
"""Kinds whose instruction does not say what changes."""


class Route(Struct, frozen=True, kw_only=True):
    """The tier for a task, with reasons."""

    tier: Tier
    score: float
    """Complexity in [0, 1]."""
    reasons: tuple[str, ...]
    signals: tuple[str, ...] = ()
    """Names of the signals given as reasons."""
    boundaries: tuple[str, ...] = ()
    """Names of the boundaries that apply to the task."""
    estimate: Estimate
    """How likely each tier is."""
    guard_reasons: tuple[str, ...] = ()
    """Those of the reasons that speak for its boundaries."""
    is_certain: bool = False
    """Whether the user's own settings guard the task."""
    is_named: bool = False
    """Whether the user named a tier, or a model."""
    model: str | None = None
    """The model that the user named, if it writes; None: the tier's model does."""


def route(
    task: Task,
    *,
    settings: RoutingSettings,
    asked: Tier | None,
    model: str | None = None,
    experience: Experience = NO_EXPERIENCE,
    weights: Weights | None = None,
) -> Route:
    """Choose the tier of a task.

    Args:
        task: The instruction and its code.
        settings: Thresholds, and the user's own boundaries.
        asked: The tier that the user named, or that of the model; None: neither.
        model: The model that the user named, if any.
        experience: How earlier edits of the user turned out.
        weights: What was learned; None: the weights that are shipped.
    """
    weights = weights or shipped_weights()
    words, crossed, estimate = _read(task, settings, weights)
    found = signals(task)
    if services.NAME in (each.name for each in crossed):
        found.append(services.SIGNAL)
    if experience.signal is not None:
        found.append(experience.signal)
    found.insert(0, tier_signal(weights, words, estimate))
    estimate = estimate.harder(sum(signal.weight for signal in found[1:]))
    score = round(estimate.score, 2)
    guards = [each for each in crossed if _is_guard(each, task, estimate)]
    tier, reason = _tier(
        score, settings=settings, asked=asked, model=model, is_crossing=bool(guards)
    )
    shown = _weightiest(found)
    guard_reasons = tuple(each.reason for each in guards)
    return Route(
        tier=tier,
        score=score,
        guard_reasons=guard_reasons,
        reasons=(
            reason,
            *guard_reasons,
            *(_passed(each.reason) for each in crossed if each not in guards),
            *(signal.reason for signal in shown),
        ),
        signals=tuple(signal.name for signal in shown),
        boundaries=tuple(each.name for each in guards),
        estimate=estimate,
        is_certain=any(each.is_certain for each in guards),
        is_named=asked is not None,
        model=model if tier == asked else None,
    )


def revised(
    before: Route,
    tier: Tier,
    *,
    is_guarded: bool,
    reliability: float,
    settings: RoutingSettings,
) -> Route:
    """Return a route after an opinion on its task: the tier that is then likeliest.

    A boundary is dropped only if it was doubtful and is very unlikely now. An opinion
    adds one unless the edit is almost surely harmless.

    Args:
        before: The route of a task for which the user named no tier.
        tier: The tier that the opinion names.
        is_guarded: Whether it says that a boundary applies.
        reliability: How often such an opinion is right, in (0, 1).
        settings: Thresholds.
    """
    estimate = before.estimate.after(
        tier, is_guarded=is_guarded, reliability=reliability
    )
    boundaries, reasons = before.boundaries, before.reasons[1:]
    if not before.is_certain and estimate.guarded < RELEASED_BELOW:
        boundaries = ()
        reasons = tuple(
            _passed(each) if each in before.guard_reasons else each for each in reasons
        )
    is_crossing = bool(boundaries) or (is_guarded and estimate.guarded >= GUARDED_FROM)
    score = round(estimate.score, 2)
    chosen, reason = _tier(
        score, settings=settings, asked=None, is_crossing=is_crossing
    )
    return replace(
        before,
        tier=chosen,
        score=score,
        reasons=(reason, *reasons),
        guard_reasons=before.guard_reasons if boundaries else (),
        boundaries=boundaries,
        estimate=estimate,
    )


def _read(
    task: Task, settings: RoutingSettings, weights: Weights
) -> tuple[tuple[Features, ...], list[Crossing], Estimate]:
    """Return a task's words, the boundaries found, and how likely each tier is."""
    reading, rules = Reading.of(task), rules_of(settings)
    words, code = tier_features(task), guard_features(task, reading)
    found, shown = found_by_rules(task, reading, rules)
    estimate = weights.estimate(
        mixed_values(weights.heads, words, code, shown, task.kind)
    )
    if is_inert(task):
        estimate = replace(estimate, guarded=0.0)
    if not found and estimate.guarded >= GUARDED_FROM:
        subjects = {rule.name: rule.what for rule in rules}
        found = likely_boundaries(weights, code, subjects)
    return words, found, estimate


def _is_guard(crossing: Crossing, task: Task, estimate: Estimate) -> bool:
    """Whether a boundary applies: the edit may change what the code decides."""
    return (
        crossing.is_certain
        or task.kind in _WITHOUT_EDIT
        or estimate.guarded >= HARMLESS_BELOW
    )


def _passed(reason: str) -> str:
    return f"It seems to change nothing there: {reason}"


def _tier(
    score: float,
    *,
    settings: RoutingSettings,
    asked: Tier | None,
    is_crossing: bool,
    model: str | None = None,
) -> tuple[Tier, str]:
    """Return the tier, and the deciding reason as a sentence."""
    named = model or asked
    if asked == "fast" and is_crossing:
        return (
            "standard",
            f"You asked for {named}, but this is never the fast tier's alone.",
        )
    if asked is not None:
        return asked, f"You asked for {named}."
    if score > settings.standard_below:
        return "deep", f"Complexity {score:.2f} is above {settings.standard_below:g}."
    if score > settings.fast_below:
        return "standard", f"Complexity {score:.2f} is above {settings.fast_below:g}."
    if is_crossing:
        return "standard", "This is never the fast tier's alone."
    return "fast", f"Complexity {score:.2f} is at most {settings.fast_below:g}."


def _weightiest(found: Sequence[Signal]) -> list[Signal]:
    """Return the signals to give as reasons, heaviest first."""
    weighty = sorted(found, key=lambda signal: -abs(signal.weight))
    return weighty[:_N_REASONS]
