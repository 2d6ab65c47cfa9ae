"""What the generations of a review take."""

from __future__ import annotations

from redline.assist.spending import Spent, cost_with
from redline.models.interface import Model, Usage
from redline.store.task import TaskTokens

NOTHING = Spent()


def spent_on(model: Model, usage: Usage | None) -> Spent:
    """Return what a model takes for a generation; its cost is None if not known."""
    if not model.describe().is_model:
        return NOTHING
    if usage is None:
        return Spent(cost=None)
    tokens = TaskTokens(
        input_n_tokens=usage.input_n_tokens,
        cached_n_tokens=usage.cached_n_tokens,
        output_n_tokens=usage.output_n_tokens,
    )
    return Spent(tokens=tokens, cost=cost_with(model, tokens))
