"""How likely each tier is the right one for a task, as numbers."""

from __future__ import annotations

import math
from typing import Literal

from msgspec import Struct

Level = Literal["fast", "standard", "deep"]

_MAX_LOG_ODDS = 30.0
_LEAST_SHARE = 1e-3
"""No tier is less likely than this before an opinion."""


class Estimate(Struct, frozen=True, kw_only=True):
    """Calibrated probabilities of a task's tier and of a boundary."""

    above_fast: float
    """Log-odds that a higher tier than fast is needed."""
    deep: float
    """Log-odds that the deep tier is needed."""
    guarded: float
    """Probability that the edit can change what guarded code decides."""

    def harder(self, log_odds: float) -> Estimate:
        """Return the estimate with more (or fewer) log-odds for the higher tiers."""
        return Estimate(
            above_fast=self.above_fast + log_odds,
            deep=self.deep + log_odds,
            guarded=self.guarded,
        )

    def after(self, tier: Level, *, is_guarded: bool, reliability: float) -> Estimate:
        """Return the estimate after an opinion, by Bayes' rule.

        Args:
            tier: The tier that the opinion names.
            is_guarded: Whether it says that a boundary applies.
            reliability: How often such an opinion is right, in (0, 1). One that is
                wrong names each other tier equally often.
        """
        other = (1 - reliability) / 2
        fast, standard, deep = (
            max(share, _LEAST_SHARE) * (reliability if each == tier else other)
            for each, share in self.by_tier.items()
        )
        factor = reliability / (1 - reliability)
        guarded = self.guarded * (factor if is_guarded else 1 / factor)
        return Estimate(
            above_fast=math.log((standard + deep) / fast),
            deep=math.log(deep / (fast + standard)),
            guarded=guarded / (guarded + 1 - self.guarded),
        )

    @property
    def by_tier(self) -> dict[Level, float]:
        """Probability of each tier."""
        deep = probability(self.deep)
        above_fast = max(probability(self.above_fast), deep)
        return {"fast": 1 - above_fast, "standard": above_fast - deep, "deep": deep}

    @property
    def likeliest(self) -> Level:
        """The tier with the highest probability."""
        shares = self.by_tier
        return max(shares, key=lambda tier: shares[tier])

    @property
    def score(self) -> float:
        """Complexity in [0, 1], higher with more log-odds for the higher tiers.

        Up to 0.4 the fast tier is the likeliest one, up to 0.7 the standard tier.
        """
        fast, standard, deep = self.by_tier.values()
        tier = self.likeliest
        if tier == "fast":
            return 0.4 * max(standard, deep) / fast
        if tier == "standard":
            return 0.41 + 0.28 * deep / standard
        return 0.71 + 0.29 * (1 - max(standard, fast) / deep)


def probability(log_odds: float) -> float:
    """Return the probability of a log-odds value."""
    return 1 / (1 + math.exp(-max(min(log_odds, _MAX_LOG_ODDS), -_MAX_LOG_ODDS)))
