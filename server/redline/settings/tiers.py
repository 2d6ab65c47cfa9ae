"""The configured model of each tier, including substitutes."""

from __future__ import annotations

from msgspec import Struct

from redline.settings.tree import Settings, TierName

NEIGHBOURS: dict[TierName, tuple[TierName, ...]] = {
    "fast": ("standard", "deep"),
    # Upwards first: work meant for a better model is not given to a lesser one.
    "standard": ("deep", "fast"),
    "deep": ("standard", "fast"),
    # Drafting and describing images are extra steps, left out without a model.
    "draft": (),
    "vision": (),
}
"""Substitutes for an empty tier, nearest first."""

OPTIONAL_TIERS: frozenset[TierName] = frozenset({"draft", "vision"})
"""Tiers whose step is left out if no model fills them."""


class ResolvedTier(Struct, frozen=True, kw_only=True):
    label: str | None
    """The model's name in the settings; None: nothing fills this tier."""
    note: str = ""
    """Why another tier's model fills it, as a sentence; empty: its own does."""


def resolve_tiers(settings: Settings) -> dict[TierName, ResolvedTier]:
    """Return each tier's model.

    An empty tier uses its neighbour's. With models but no tier at all, the first model
    fills every tier but `draft` and `vision`.
    """
    given = {tier: getattr(settings.tiers, tier) for tier in NEIGHBOURS}
    first = next(iter(settings.models), None)
    return {tier: _resolved(tier, given, first) for tier in given}


def _resolved(
    tier: TierName, given: dict[TierName, str | None], first: str | None
) -> ResolvedTier:
    if label := given[tier]:
        return ResolvedTier(label=label)
    for other in NEIGHBOURS[tier]:
        if label := given[other]:
            return ResolvedTier(
                label=label,
                note=f"No {tier} tier is configured: `{label}` of the {other} tier "
                "stands in.",
            )
    if first is not None and tier not in OPTIONAL_TIERS:
        return ResolvedTier(
            label=first,
            note=f"No tier is configured: `{first}`, the first model, fills all.",
        )
    return ResolvedTier(label=None)
