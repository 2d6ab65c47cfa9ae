"""The usage of what nobody asked for: completions and next edits.

They are too many for a record each, so only counts are stored: one row for each day,
kind, tier and model.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from redline.settings.tree import TierName

AutomaticKind = Literal["completion", "next-edit"]


class AutomaticCounts(Struct, frozen=True, kw_only=True):
    """What happened, in numbers."""

    requests: int = 0
    """Requests to the model."""
    shown: int = 0
    """Texts or edits that were shown."""
    at_once: int = 0
    """Of these, from the cache or by rules, without waiting for a model."""
    accepted: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    """Part of the input."""
    output_tokens: int = 0
    cost: float = 0.0
    """US dollars of the replies whose price is known."""
    unpriced: int = 0
    """Replies whose price is not known."""

    def __add__(self, other: AutomaticCounts) -> AutomaticCounts:
        return AutomaticCounts(
            requests=self.requests + other.requests,
            shown=self.shown + other.shown,
            at_once=self.at_once + other.at_once,
            accepted=self.accepted + other.accepted,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=self.cost + other.cost,
            unpriced=self.unpriced + other.unpriced,
        )


class AutomaticUsage(Struct, frozen=True, kw_only=True):
    """Counts to add to those of their day."""

    at: float
    """When they were counted, in Unix seconds."""
    kind: AutomaticKind
    tier: TierName | None
    """The tier that the model fills; None: no tier, or no model."""
    model: str | None
    """The settings label of the model; None: the built-in predictor or rules."""
    counts: AutomaticCounts


class AutomaticTotals(Struct, frozen=True, kw_only=True):
    """The sums of one kind, tier and model; `redline stats --json` has these names."""

    kind: AutomaticKind
    tier: str | None
    model: str | None
    requests: int
    shown: int
    at_once: int
    accepted: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float | None
    """US dollars; None: no price is known."""
    unpriced: int
