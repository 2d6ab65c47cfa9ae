"""What the generations of a review take."""

from __future__ import annotations

from redline.assist.spending import Spent
from redline.models.interface import ModelDescription, Usage
from redline.store.price import Price, cost_of
from redline.store.task import TaskTokens

NOTHING = Spent()


def spent_on(described: ModelDescription, usage: Usage | None) -> Spent:
    """Return what a model takes for a generation; its cost is None if not known."""
    if not described.is_model:
        return NOTHING
    if usage is None:
        return Spent(cost=None)
    tokens = TaskTokens(
        input_n_tokens=usage.input_n_tokens,
        cached_n_tokens=usage.cached_n_tokens,
        output_n_tokens=usage.output_n_tokens,
    )
    if described.input_price is None or described.output_price is None:
        return Spent(tokens=tokens, cost=None)
    price = Price(
        input=described.input_price,
        output=described.output_price,
        cached=described.cached_price,
    )
    return Spent(tokens=tokens, cost=cost_of(tokens, price))
