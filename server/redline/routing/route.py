"""Which tier takes a task, and why, in words a person can read.

Today every task is the fast tier's unless the user names another one; the value is
already the one that the complexity score and the boundaries will fill.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tier = Literal["fast", "standard", "deep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where a task goes."""

    tier: Tier
    score: float
    """Complexity in [0, 1]; 0: not judged."""
    reasons: tuple[str, ...]
    boundaries: tuple[str, ...] = ()
    """Names of the boundary rules that hold for the task."""


def route(*, asked: Tier | None) -> Route:
    """Choose the tier of a task.

    Args:
        asked: The tier that the user named, if any.
    """
    if asked is not None:
        return Route(tier=asked, score=0.0, reasons=(f"You asked for {asked}.",))
    return Route(tier="fast", score=0.0, reasons=("Edits go to the fast tier.",))
