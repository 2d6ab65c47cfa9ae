"""The share of the window in use, and the room that is left in it."""

from __future__ import annotations

import pytest

from redline.prompts.window import WindowUse, context_budget


@pytest.mark.parametrize(
    ("n_tokens", "band"),
    [
        (0, "0-30"),
        (299, "0-30"),
        (300, "30-60"),
        (599, "30-60"),
        (600, "60-80"),
        (799, "60-80"),
        (800, "80-100"),
        (1000, "80-100"),
        (5000, "80-100"),
    ],
)
def test_bands(n_tokens: int, band: str) -> None:
    """A bound belongs to the band above it."""
    use = WindowUse(n_tokens=n_tokens, context_tokens=1000)
    assert use.band == band
    assert use.share == n_tokens / 1000


@pytest.mark.parametrize(
    ("n_prompt_tokens", "limit", "budget"),
    [(100, 50, 50), (100, 5000, 700), (790, 50, 10), (800, 50, 0), (900, 50, 0)],
)
def test_the_budget_is_what_is_free(
    n_prompt_tokens: int, limit: int, budget: int
) -> None:
    """The tier's limit, or what the prompt and the reply leave over."""
    assert budget == context_budget(
        context_tokens=1000,
        max_output_tokens=200,
        n_prompt_tokens=n_prompt_tokens,
        limit=limit,
    )
