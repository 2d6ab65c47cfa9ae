"""How much of a model's context window a prompt uses, in the bands shown to users."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Band = Literal["0-30", "30-60", "60-80", "80-100"]
"""Percent of the window."""

_BOUNDS: tuple[tuple[float, Band], ...] = (
    (0.30, "0-30"),
    (0.60, "30-60"),
    (0.80, "60-80"),
)
"""Shares below the bound are in the band."""


class WindowUse(Struct, frozen=True, kw_only=True):
    """A prompt's share of the window."""

    n_tokens: int
    context_tokens: int
    """The window's size."""

    @property
    def share(self) -> float:
        """The used share; above 1 if the prompt does not fit."""
        return self.n_tokens / self.context_tokens

    @property
    def band(self) -> Band:
        """The band of the share; a prompt that does not fit is in the last one."""
        share = self.share
        return next((band for bound, band in _BOUNDS if share < bound), "80-100")


def context_budget(
    *, context_tokens: int, max_output_tokens: int, n_prompt_tokens: int, limit: int
) -> int:
    """Return how many tokens of context a prompt may still take.

    Args:
        context_tokens: The size of the model's window.
        max_output_tokens: Tokens kept free for the reply.
        n_prompt_tokens: The prompt without context: instructions, code, instruction.
        limit: The tier's own limit for context; small on the fast tier.

    Returns:
        Zero if there is no room left.
    """
    free = context_tokens - max_output_tokens - n_prompt_tokens
    return max(0, min(limit, free))
