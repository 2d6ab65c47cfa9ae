"""The cost of tokens, from prices in dollars per million."""

from __future__ import annotations

import pytest

from redline.store.task import Price, TaskTokens, cost_of

PRICE = Price(input=2.0, cached=0.5, output=10.0)


@pytest.mark.parametrize(
    ("tokens", "price", "dollars"),
    [
        (TaskTokens(), PRICE, 0.0),
        (TaskTokens(input_n_tokens=1_000_000), PRICE, 2.0),
        (
            TaskTokens(input_n_tokens=1_000_000, cached_n_tokens=600_000),
            PRICE,
            0.8 + 0.3,
        ),
        (TaskTokens(output_n_tokens=500_000), PRICE, 5.0),
        # Waste is part of the output and not paid twice.
        (TaskTokens(output_n_tokens=500_000, wasted_n_tokens=400_000), PRICE, 5.0),
        # No price of its own: cached input costs what input costs.
        (
            TaskTokens(input_n_tokens=1_000_000, cached_n_tokens=600_000),
            Price(input=2.0, output=10.0),
            2.0,
        ),
        # A provider that counts more cached tokens than input.
        (TaskTokens(input_n_tokens=10, cached_n_tokens=1_000_000), PRICE, 0.000_005),
    ],
)
def test_cost(tokens: TaskTokens, price: Price, dollars: float) -> None:
    assert cost_of(tokens, price) == pytest.approx(dollars)
