"""Sending at an even pace that holds over the whole, whatever the clock's grain.

Each delta has its own due time, counted from the first: one that wakes up late sends
all that is due by then, so that the pace stays right at thousands a second, where a
sleep for each would drift and a timer of a millisecond could not keep up.
"""

from __future__ import annotations

FORGIVEN_S = 0.25
"""A pause longer than this (the reader stopped reading) is not caught up with."""

N_BETWEEN_TURNS = 16
"""Deltas sent at most before the event loop gets a turn."""


class AnswerPacer:
    """The pace of one answer. Time comes in as seconds of any clock."""

    def __init__(self, per_s: float | None) -> None:
        """Begin.

        Args:
            per_s: Deltas a second; None: as fast as they are taken.
        """
        self._step_s = 1 / per_s if per_s else 0.0
        self._due: float | None = None
        self._n_until_turn = N_BETWEEN_TURNS

    def pause_s(self, now: float) -> float | None:
        """Say how long to sleep before the next delta is sent.

        Returns:
            Seconds; 0 to give others a turn only; None to go straight on.
        """
        due = now if self._due is None else max(self._due, now - FORGIVEN_S)
        self._due = due + self._step_s
        self._n_until_turn -= 1
        if due <= now and self._n_until_turn > 0:
            return None
        self._n_until_turn = N_BETWEEN_TURNS
        return max(0.0, due - now)
