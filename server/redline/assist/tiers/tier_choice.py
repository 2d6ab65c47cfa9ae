"""Which model fills which tier, for the use cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from redline.models.interface import Model
from redline.routing.route import Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class TierChoice:
    """The model that does a tier's work."""

    model: Model
    note: str | None = None
    """Why it is not a model of that very tier, or no model at all; for people."""


class Tiers(Protocol):
    """The configured tiers; settings may change what they hold at any time."""

    def choose(self, tier: Tier) -> TierChoice:
        """Find the model of a tier, or of the neighbour that stands in for it."""

    def drafter(self) -> Model | None:
        """The model that drafts for the standard tier to review, if there is one."""

    @property
    def is_ready(self) -> bool:
        """Whether the models are known."""

    async def ready(self) -> None:
        """Wait until the models are known: at the start they are looked for."""


def has_model(tiers: Tiers) -> bool:
    """Tell, without waiting, whether edits are asked of a model.

    While the models are still looked for, they are taken to be there: this shows what
    there is, and what it leads to waits for them.
    """
    return not tiers.is_ready or tiers.choose("fast").model.describe().is_model
