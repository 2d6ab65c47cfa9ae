"""Searches documents for secrets ahead of a prompt, while the event loop is idle.

The search remembers each line (`prompts.secrets.search`), so that a prompt costs only
its new lines.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from redline.prompts.secrets.search import find_secrets

_LINES_A_STEP = 40
"""About 0.3 ms."""

_GAP_S = 0.005
_MAX_LINES = 4_000
"""Of one document: half of what the search remembers."""


class SecretWarmer:
    """Searches documents a few lines at a time."""

    def __init__(self) -> None:
        self._lines: list[tuple[str, str]] = []
        """Pairs of a path and the text of some lines, the next one last."""
        self._timer: asyncio.TimerHandle | None = None

    def warm(self, lines: Sequence[str], path: str) -> None:
        """Search a document's lines soon."""
        self._lines = [
            (path, "".join(lines[at : at + _LINES_A_STEP]))
            for at in range(0, min(len(lines), _MAX_LINES), _LINES_A_STEP)
        ]
        if self._timer is None:
            self._later()

    def close(self) -> None:
        """Drop what has not been searched."""
        self._lines.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_GAP_S, self._step)

    def _step(self) -> None:
        self._timer = None
        if self._lines:
            path, text = self._lines.pop()
            find_secrets(text, path)
        if self._lines:
            self._later()
