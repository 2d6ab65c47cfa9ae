"""An event loop whose clock goes on only when there is nothing else to do.

So limits of seconds cost nothing, and a run depends on nothing but its input.
"""

from __future__ import annotations

import asyncio
import selectors


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Jumps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_Selector(self))

    def time(self) -> float:
        """Return seconds since the loop was made."""
        return self._now

    def pass_time(self, seconds: float) -> None:
        """Let the clock go on."""
        self._now += seconds


class _Selector(selectors.SelectSelector):
    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(
        self, timeout: float | None = None
    ) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout > 0:
            self._loop.pass_time(timeout)
        # With no timer there is nothing to wait for but a bug: do not hang in it.
        assert timeout is not None, "everything waits for something that never comes"
        return super().select(0)
