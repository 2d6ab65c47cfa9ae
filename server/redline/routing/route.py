"""Chooses the tier of a task, with reasons that a person can read.

Boundaries come first, then the complexity score against the thresholds of the settings.
A tier that the user names wins, except that the fast tier never does a task over a
boundary alone. No model is called, and only the task and the settings are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from redline.routing import services
from redline.routing.boundary import Crossing, Reading, crossings, is_inert
from redline.routing.learned import Weights, guards, shipped_weights, tier_signal
from redline.routing.rules import rules_of
from redline.routing.signals import Signal, signals
from redline.routing.task import Task
from redline.settings.tree import RoutingSettings

Tier = Literal["fast", "standard", "deep"]

_N_REASONS = 4
"""Most signals given as reasons; the heaviest come first."""


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


def route(
    task: Task,
    *,
    settings: RoutingSettings,
    asked: Tier | None,
    weights: Weights | None = None,
) -> Route:
    """Choose the tier of a task.

    Args:
        task: The instruction and its code.
        settings: Thresholds, and the user's own boundaries.
        asked: The tier that the user named, if any.
        weights: What was learned; None: the weights that are shipped.
    """
    weights = weights or shipped_weights()
    reading = Reading.of(task)
    crossed = _crossed(task, reading, settings, weights)
    found = [tier_signal(task, weights), *signals(task)]
    if services.NAME in (each.name for each in crossed):
        found.append(services.SIGNAL)
    score = round(min(max(sum(signal.weight for signal in found), 0.0), 1.0), 2)
    tier, reason = _tier(
        score, settings=settings, asked=asked, is_crossing=bool(crossed)
    )
    shown = _weightiest(found)
    return Route(
        tier=tier,
        score=score,
        reasons=(
            reason,
            *(each.reason for each in crossed),
            *(signal.reason for signal in shown),
        ),
        signals=tuple(signal.name for signal in shown),
        boundaries=tuple(each.name for each in crossed),
    )


def _crossed(
    task: Task, reading: Reading, settings: RoutingSettings, weights: Weights
) -> list[Crossing]:
    rules = rules_of(settings)
    found = crossings(task, reading, rules)
    across = services.crossing(task)
    if across is not None and across.name not in settings.boundaries_off:
        found.append(across)
    if not found and not is_inert(task):
        found = guards(task, reading, {rule.name: rule.what for rule in rules}, weights)
    return list({crossing.name: crossing for crossing in found}.values())


def _tier(
    score: float, *, settings: RoutingSettings, asked: Tier | None, is_crossing: bool
) -> tuple[Tier, str]:
    """Return the tier, and the deciding reason as a sentence."""
    if asked == "fast" and is_crossing:
        return (
            "standard",
            "You asked for fast, but this is never the fast tier's alone.",
        )
    if asked is not None:
        return asked, f"You asked for {asked}."
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
