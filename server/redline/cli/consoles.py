"""Consoles whose reader may have gone.

A console of rich ends the process with exit code 1 then, which says that a review has
found something, or that an edit is held back.
"""

from __future__ import annotations

import os
import sys

from rich.console import Console


class OutputConsole(Console):
    """A console of standard output; raises `BrokenPipeError`, as `print` does."""

    def on_broken_pipe(self) -> None:
        # rich calls this while it handles the error.
        raise


class ProgressConsole(Console):
    """A console of standard error; the work goes on without it."""

    def on_broken_pipe(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
