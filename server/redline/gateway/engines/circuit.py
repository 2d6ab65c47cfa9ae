"""Stops asking an upstream that fails, and tries it again from time to time."""

from __future__ import annotations

N_FAILURES = 5
"""After so many failures in a row nothing is sent."""

PAUSE_S = 10.0
"""After this time one request tries the upstream again."""


class Circuit:
    """The failures of one upstream. Time comes in as seconds of any clock."""

    def __init__(self) -> None:
        self._n_failures = 0
        self._tries_at = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the upstream is given up for now."""
        return self._n_failures >= N_FAILURES

    def wait_s(self, now: float) -> float:
        """Return 0 if a request may be sent, or the seconds until one may try.

        A request that may try is the only one until its outcome is noted, or until the
        next pause is over.
        """
        if not self.is_open:
            return 0.0
        if now < self._tries_at:
            return self._tries_at - now
        self._tries_at = now + PAUSE_S
        return 0.0

    def note(self, now: float, *, has_failed: bool) -> None:
        """Note the outcome of a request."""
        if not has_failed:
            self._n_failures = 0
            return
        self._n_failures += 1
        if self._n_failures == N_FAILURES:
            self._tries_at = now + PAUSE_S
