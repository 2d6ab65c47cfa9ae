"""Waits between tries."""

from __future__ import annotations

import random


def waits(n_tries: int, first: float, most: float) -> list[float]:
    """Return how long to wait before each further try, in seconds."""
    return [
        random.uniform(0, min(most, first * 2**number)) for number in range(n_tries - 1)
    ]
