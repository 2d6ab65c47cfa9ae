"""The price of tokens."""

from __future__ import annotations

from dataclasses import dataclass

from redline.store.task import TaskTokens

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A model's prices, in US dollars per million tokens, as providers list them."""

    input: float
    output: float
    cached: float | None = None
    """Price of input from the provider's cache; None: the same as other input."""


def cost_of(tokens: TaskTokens, price: Price) -> float:
    """Return the cost of these tokens with one model, in US dollars.

    A task of several generations costs the sum of this over its generations, each with
    its own model's price.
    """
    cached_price = price.input if price.cached is None else price.cached
    cached = min(tokens.cached_n_tokens, tokens.input_n_tokens)
    return (
        (tokens.input_n_tokens - cached) * price.input
        + cached * cached_price
        + tokens.output_n_tokens * price.output
    ) / _MILLION
