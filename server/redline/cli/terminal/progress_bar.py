"""Shows progress on standard error: a bar on a terminal, else a line for each step."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, TextColumn
from rich.text import Text

from redline.cli.terminal.consoles import ProgressConsole, cursor_kept
from redline.printable import printable


class ProgressBar:
    """Shows the steps of one command."""

    def __init__(self, *, is_quiet: bool, has_percentage: bool) -> None:
        """Create a bar.

        Args:
            is_quiet: Whether only warnings are shown.
            has_percentage: Whether it is known how much of the work is done.
        """
        self._console = ProgressConsole(file=sys.stderr, highlight=False)
        self._is_quiet = is_quiet
        self._step = ""
        amount: tuple[ProgressColumn, ...] = (
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:>3.0f} %"),
        )
        self._bar = Progress(
            SpinnerColumn(),
            *(amount if has_percentage else ()),
            # As `Text`: a step may contain markup of rich.
            TextColumn("{task.description}", markup=False),
            console=self._console,
            transient=True,
            disable=is_quiet or not self._console.is_terminal,
        )
        self._shown = ExitStack()
        self._task = self._bar.add_task("Starting", total=100)

    def __enter__(self) -> Self:
        self._shown.enter_context(cursor_kept(self._console))
        self._shown.enter_context(self._bar)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._shown.close()

    def show(self, step: str, *, detail: str = "", percentage: float = 0) -> None:
        """Show the current step; without a terminal, only a new step is printed.

        Args:
            step: What is done now.
            detail: How far it is, for a terminal.
            percentage: How much of the work is done.
        """
        step = printable(step)
        shown = f"{step}{printable(detail)}"
        self._bar.update(self._task, completed=percentage, description=shown)
        if self._bar.disable and not self._is_quiet and step != self._step:
            self._print(step)
        self._step = step

    def say(self, message: str) -> None:
        """Print a remark that stays, unless it is quiet."""
        if not self._is_quiet:
            self._print(message, style="dim")

    def warn(self, message: str) -> None:
        """Print a problem that stays."""
        self._print(message, style="yellow")

    def _print(self, message: str, style: str = "") -> None:
        text = Text(f"redline: {printable(message)}", style=style)
        self._bar.console.print(text, soft_wrap=True)
