"""Waits until the user pauses, to prepare what the next key needs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

PAUSE_S = 1.0


class PauseTimer:
    """Calls back once in each pause of typing."""

    def __init__(self, then: Callable[[], None]) -> None:
        """Begin.

        Args:
            then: Called in the event loop; the next key begins the next wait.
        """
        self._then = then
        self._ends_s = 0.0
        """When the pause is long enough, on the loop's clock."""
        self._timer: asyncio.TimerHandle | None = None

    def note_key(self, now_s: float, *, pause_s: float = PAUSE_S) -> None:
        """Record that the user has typed; a pause is that long."""
        self._ends_s = now_s + pause_s
        if self._timer is None:
            self._wait()

    def close(self) -> None:
        """Call back no more for the keys so far."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_at(self._ends_s, self._look)

    def _look(self) -> None:
        if asyncio.get_running_loop().time() < self._ends_s:
            self._wait()
            return
        self._timer = None
        self._then()
