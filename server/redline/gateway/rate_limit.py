"""Limits the requests a minute by a token bucket."""

from __future__ import annotations


class RateLimit:
    """A bucket of a minute's requests. Time comes in as seconds of any clock."""

    def __init__(self, per_minute: int | None) -> None:
        """Begin with a full bucket.

        Args:
            per_minute: Requests a minute, all of which may come at once; None: no
                limit.
        """
        self._capacity = per_minute
        self._left = float(per_minute or 0)
        self._seen: float | None = None

    def take(self, now: float) -> float:
        """Admit a request and return 0, or return the seconds until one is admitted."""
        if self._capacity is None:
            return 0.0
        per_s = self._capacity / 60
        if self._seen is not None:
            self._left += max(0.0, now - self._seen) * per_s
            self._left = min(self._left, self._capacity)
        self._seen = now
        if self._left >= 1:
            self._left -= 1
            return 0.0
        return (1 - self._left) / per_s
