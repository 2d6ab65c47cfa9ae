"""What a generation of a review costs."""

from __future__ import annotations

from redline.models.interface import ModelDescription, Usage
from redline.store.price import Price, cost_of
from redline.store.task import TaskTokens


def cost_of_usage(described: ModelDescription, usage: Usage | None) -> float | None:
    """Return what a model takes, in US dollars; None: not known."""
    if not described.is_model:
        return 0.0
    if usage is None or described.input_price is None or described.output_price is None:
        return None
    price = Price(
        input=described.input_price,
        output=described.output_price,
        cached=described.cached_price,
    )
    return cost_of(tokens_of(usage), price)


def sum_of(*costs: float | None) -> float | None:
    """Add costs up; what is not known makes the sum unknown."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def tokens_of(usage: Usage) -> TaskTokens:
    """Turn what a provider tells into what is remembered."""
    return TaskTokens(
        input_n_tokens=usage.input_n_tokens,
        cached_n_tokens=usage.cached_n_tokens,
        output_n_tokens=usage.output_n_tokens,
    )
