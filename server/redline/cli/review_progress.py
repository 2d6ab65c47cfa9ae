"""Shows a review's progress on standard error: a bar on a terminal, else lines."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
from rich.text import Text

from redline.findings.finding import Finding
from redline.findings.review import Review
from redline.printable import printable


class ReviewProgress:
    """Shows the progress of one review."""

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._console = Console(file=sys.stderr, highlight=False)
        self._is_quiet = is_quiet
        self._step = ""
        self._bar = Progress(
            SpinnerColumn(),
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:>3.0f} %"),
            # As `Text`: a step may contain markup of rich.
            TextColumn("{task.description}", markup=False),
            console=self._console,
            transient=True,
            disable=is_quiet or not self._console.is_terminal,
        )
        self._task = self._bar.add_task("Starting", total=100)

    def __enter__(self) -> Self:
        """Start the bar."""
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        self._bar.stop()

    def review_changed(self, review: Review) -> None:
        """Show the current step and percentage."""
        step = printable(review.step or review.state)
        n_found = f", {review.n_findings} found" if review.n_findings else ""
        self._bar.update(
            self._task,
            completed=review.percentage,
            description=f"{step}{n_found}",
        )
        is_plain = self._bar.disable and not self._is_quiet
        if is_plain and step != self._step and review.step:
            self._console.print(Text(f"redline: {step}"), soft_wrap=True)
        self._step = step

    def finding_changed(self, review: Review, finding: Finding) -> None:
        """Do nothing: the report lists findings, and the bar shows their number."""

    def finding_gone(self, review: Review, finding_id: str) -> None:
        """Do nothing."""

    def warn(self, message: str) -> None:
        """Show a warning."""
        self._bar.console.print(Text(f"redline: {printable(message)}"), soft_wrap=True)
