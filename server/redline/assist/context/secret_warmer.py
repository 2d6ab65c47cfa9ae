"""Looks for secrets before anybody waits for it, in the gaps of the event loop.

A line that was searched once is remembered (`prompts.secret_search`), so that a prompt
costs only its new lines. The detectors take 0.1 s to import; that is done in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from redline.prompts.secret_search import find_secrets, is_warm, warm
from redline.supervisor import Supervisor

_LINES_A_STEP = 40
"""About 0.3 ms."""

_GAP_S = 0.005
_MAX_LINES = 4_000
"""Of one document: half of what the search remembers."""


class SecretWarmer:
    """Searches documents a few lines at a time."""

    def __init__(self) -> None:
        self._lines: list[tuple[str, str]] = []
        """Pairs of a path and some lines' text, the next one last."""
        self._timer: asyncio.TimerHandle | None = None
        self._supervisor = Supervisor()

    def begin(self) -> None:
        """Have the detectors loaded."""
        if not is_warm():
            self._supervisor.start(load_detectors(), name="load the detectors")

    def warm(self, lines: Sequence[str], path: str) -> None:
        """Search a document's lines soon."""
        self._lines = [
            (path, "".join(lines[at : at + _LINES_A_STEP]))
            for at in range(0, min(len(lines), _MAX_LINES), _LINES_A_STEP)
        ]
        if self._timer is None:
            self._later()

    async def aclose(self) -> None:
        """Search no more."""
        self._lines.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        await self._supervisor.aclose()

    def _later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_GAP_S, self._step)

    def _step(self) -> None:
        self._timer = None
        if is_warm() and self._lines:
            path, text = self._lines.pop()
            find_secrets(text, path)
        if self._lines:
            self._later()


async def load_detectors() -> None:
    """Import the detectors, unless they are there."""
    if not is_warm():
        await asyncio.to_thread(warm)
