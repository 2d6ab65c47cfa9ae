"""Shows a review's progress on standard error."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from redline.cli.progress_bar import ProgressBar
from redline.findings.finding import Finding
from redline.findings.review import Review


class ReviewProgress:
    """Shows the progress of one review."""

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._bar = ProgressBar(is_quiet=is_quiet, has_percentage=True)

    def __enter__(self) -> Self:
        """Start the bar."""
        self._bar.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        self._bar.__exit__(kind, error, trace)

    def review_changed(self, review: Review) -> None:
        """Show the current step and percentage."""
        if review.step:
            n_found = f", {review.n_findings} found" if review.n_findings else ""
            self._bar.show(review.step, detail=n_found, percentage=review.percentage)

    def finding_changed(self, review: Review, finding: Finding) -> None:
        """Do nothing: the report lists findings, and the bar shows their number."""

    def finding_gone(self, review: Review, finding_id: str) -> None:
        """Do nothing."""

    def warn(self, message: str) -> None:
        self._bar.warn(message)
