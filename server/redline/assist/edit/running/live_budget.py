"""A limit of generations a minute for what nobody has requested: drafts of an
instruction that is still being typed, fixes that are computed in advance, and second
opinions.
"""

from __future__ import annotations

from collections import deque

_MINUTE_S = 60.0


class LiveBudget:
    """Counts the generations that were started in the last minute."""

    def __init__(self) -> None:
        self._starts: deque[float] = deque()

    def take(self, *, per_minute: int, now: float) -> float:
        """Take one generation; returns 0, or the seconds until one is available."""
        starts = self._starts
        while starts and starts[0] <= now - _MINUTE_S:
            starts.popleft()
        if len(starts) >= per_minute:
            return (starts[0] - now if starts else 0.0) + _MINUTE_S
        starts.append(now)
        return 0.0
