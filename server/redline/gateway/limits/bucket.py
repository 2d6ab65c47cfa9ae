"""A bucket that limits how much is taken in a time."""

from __future__ import annotations

import math


class Bucket:
    """A bucket that fills evenly. Time comes in as seconds of any clock."""

    def __init__(self, capacity: int | None, *, period_s: float = 60.0) -> None:
        """Begin with a full bucket.

        Args:
            capacity: What a period may have, all of which may come at once; None: no
                limit.
            period_s: The time in which an empty bucket fills.
        """
        self._capacity = capacity
        self._per_s = (capacity or 0) / period_s
        self._left = float(capacity or 0)
        self._seen: float | None = None

    def wait_s(self, now: float) -> float:
        """Return the seconds until one more may come; 0: now."""
        if self._capacity is None:
            return 0.0
        if self._seen is not None:
            self._left += max(0.0, now - self._seen) * self._per_s
            self._left = min(self._left, self._capacity)
        self._seen = now
        if self._left >= 1:
            return 0.0
        return (1 - self._left) / self._per_s

    def used(self, now: float) -> int | None:
        """Return how much of a period's amount is used; None: there is no limit."""
        if self._capacity is None:
            return None
        self.wait_s(now)
        return math.ceil(self._capacity - self._left)

    def spend(self, n: int) -> None:
        """Take from the bucket, also more than it holds."""
        self._left -= n

    def take(self, now: float) -> float:
        """Admit one and return 0, or return the seconds until one is admitted."""
        if (wait_s := self.wait_s(now)) == 0:
            self.spend(1)
        return wait_s
