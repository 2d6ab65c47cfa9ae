"""Consoles whose reader may have gone, and whose width may be unknown.

A console of rich ends the process with exit code 1 if its reader has gone, which says
that a review has found something, or that an edit is held back.
"""

from __future__ import annotations

from typing import Any  # Options of a console of rich.

from rich.console import Console

_COLUMNS = 80


class _WideConsole(Console):
    """A console that also shows text where `COLUMNS` is 0, which means unknown."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if self.width < 1:
            self.width = _COLUMNS


class OutputConsole(_WideConsole):
    """A console of standard output; raises `BrokenPipeError`, as `print` does."""

    def on_broken_pipe(self) -> None:
        # rich calls this while it handles the error.
        raise


class ProgressConsole(_WideConsole):
    """A console of standard error."""
