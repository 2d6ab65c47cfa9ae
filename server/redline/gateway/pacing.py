"""Paces deltas evenly, independent of the clock's resolution.

Each delta has its own due time, counted from the first. A sender that wakes up late
sends all deltas that are due. So the pace is exact at thousands a second, where a sleep
for each delta would drift and a timer of a millisecond would be too slow.
"""

from __future__ import annotations

FORGIVEN_S = 0.25
"""After a longer pause (the reader stopped reading) the pace restarts."""

N_BETWEEN_TURNS = 16
"""Most deltas sent before yielding to the event loop."""


class AnswerPacer:
    """The pace of one answer. Time comes in as seconds of any clock."""

    def __init__(self, per_s: float | None) -> None:
        """Begin.

        Args:
            per_s: Deltas a second; None: unlimited.
        """
        self._step_s = 1 / per_s if per_s else 0.0
        self._due: float | None = None
        self._n_until_turn = N_BETWEEN_TURNS

    def pause_s(self, now: float) -> float | None:
        """Return how long to sleep before sending the next delta.

        Returns:
            Seconds; 0 to only yield to the event loop; None to continue at once.
        """
        due = now if self._due is None else max(self._due, now - FORGIVEN_S)
        self._due = due + self._step_s
        self._n_until_turn -= 1
        if due <= now and self._n_until_turn > 0:
            return None
        self._n_until_turn = N_BETWEEN_TURNS
        return max(0.0, due - now)
