"""The choice of a model for each tier, for the use cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from redline.models.interface import Model
from redline.routing.route import Tier

TIERS: tuple[Tier, ...] = ("fast", "standard", "deep")
"""From the fastest to the most thorough."""


class TierChoice(Struct, frozen=True, kw_only=True):
    """The model for a tier's work."""

    model: Model
    note: str | None = None
    """Why another tier's model, or no model, does it; for people."""


class Tiers(Protocol):
    """The configured tiers; settings may change them at any time."""

    def choose(self, tier: Tier, named: str | None = None) -> TierChoice:
        """Return the model of a tier, or of the tier that replaces it.

        Args:
            tier: The tier.
            named: The configured model that works in its place; None: none.
        """

    @property
    def names(self) -> Sequence[str]:
        """The models that an instruction can name, in the order of the settings."""

    def tier_of(self, name: str) -> Tier:
        """Return the highest tier that a model fills; standard if it fills none."""

    @property
    def has_choice(self) -> bool:
        """Whether more than one model writes: for the tiers, or their drafts."""

    def drafter(self) -> Model | None:
        """Return the model that drafts for the standard tier to review, if any."""

    def viewer(self) -> Model | None:
        """Return the model that describes images for models that do not read them."""

    @property
    def is_ready(self) -> bool:
        """Whether the models are known."""

    async def ready(self) -> None:
        """Wait until the models are known; they are discovered at the start."""


def higher_tier(tiers: Tiers, tier: Tier, *, least: Tier | None = None) -> Tier | None:
    """Return the next higher tier that has another model.

    Args:
        tiers: The models.
        tier: The tier to go up from.
        least: The lowest tier to return; None: any.
    """
    now = tiers.choose(tier).model.describe()
    lowest = max(TIERS.index(tier) + 1, TIERS.index(least or tier))
    for higher in TIERS[lowest:]:
        other = tiers.choose(higher).model.describe()
        if other.is_model and other.label != now.label:
            return higher
    return None


def has_other_model(tiers: Tiers, tier: Tier) -> bool:
    """Whether any other tier has another model."""
    return higher_tier(tiers, tier) is not None or lower_tier(tiers, tier) is not None


def lower_tier(tiers: Tiers, tier: Tier, *, least: Tier = "fast") -> Tier | None:
    """Return the lowest tier below one, from `least` up, that has another model."""
    now = tiers.choose(tier).model.describe()
    for lower in TIERS[TIERS.index(least) : TIERS.index(tier)]:
        other = tiers.choose(lower).model.describe()
        if other.is_model and other.label != now.label:
            return lower
    return None


def has_model(tiers: Tiers) -> bool:
    """Whether edits go to a model; does not wait.

    Before the models are known, the answer is yes: this decides what a menu shows, and
    the actions themselves wait for the models.
    """
    return not tiers.is_ready or tiers.choose("fast").model.describe().is_model


class NextEditModels(Protocol):
    """The models of next edits; settings may change them at any time."""

    @property
    def is_ready(self) -> bool:
        """Whether the models are known."""

    def next_editor(self, language: str) -> Model | None:
        """Return the model of a language; None: there is no model."""


class CompletionModels(Protocol):
    """The models of completions; settings may change them at any time."""

    @property
    def is_ready(self) -> bool:
        """Whether the models are known."""

    def completer(self, language: str) -> Model | None:
        """Return the model of a language; None: there is no model."""
