"""Consoles whose reader may have gone, whose width may be unknown, and whose cursor is
shown at the end.

A console of rich ends the process with exit code 1 if its reader has gone, which says
that a review has found something, or that an edit is held back.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any  # Options of a console of rich.

from rich.console import Console

from redline.cli.terminal.ending_signals import act_before_ending

_COLUMNS = 80

_SHOW_CURSOR = b"\x1b[?25h"


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


@contextmanager
def cursor_kept(console: Console) -> Iterator[None]:
    """Show the cursor again if a signal ends the process while rich has hidden it."""

    def show() -> None:
        with suppress(OSError, ValueError):
            terminal = console.file.fileno()
            # A terminal that was stopped by Ctrl-S would never take it.
            if select.select([], [terminal], [], 0)[1]:
                os.write(terminal, _SHOW_CURSOR)

    if console.is_terminal:
        with act_before_ending(show):
            yield
    else:
        yield
