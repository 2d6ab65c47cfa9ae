"""Sending at an even pace that holds over the whole, whatever the clock's grain.

Each delta has its own due time, counted from the first: one that wakes up late sends
all that is due by then, so that the pace stays right at thousands a second, where a
sleep for each would drift and a timer of a millisecond could not keep up.
"""

from __future__ import annotations

import asyncio

_FORGIVEN_S = 0.25
"""A pause longer than this (the reader stopped reading) is not caught up with."""

_N_BETWEEN_TURNS = 16
"""Deltas sent at most before the event loop gets a turn."""


class Pace:
    """The pace of one answer."""

    def __init__(self, per_s: float | None) -> None:
        """Begin.

        Args:
            per_s: Deltas a second; None: as fast as they are taken.
        """
        self._step_s = 1 / per_s if per_s else 0.0
        self._due: float | None = None
        self._n_until_turn = _N_BETWEEN_TURNS

    async def wait(self) -> None:
        """Wait until the next delta is due."""
        self._n_until_turn -= 1
        if self._step_s:
            now = asyncio.get_running_loop().time()
            due = now if self._due is None else self._due
            self._due = max(due, now - _FORGIVEN_S) + self._step_s
            if due > now:
                self._n_until_turn = _N_BETWEEN_TURNS
                await asyncio.sleep(due - now)
                return
        if self._n_until_turn <= 0:
            self._n_until_turn = _N_BETWEEN_TURNS
            await asyncio.sleep(0)
