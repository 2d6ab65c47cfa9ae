"""Shows a review's progress on standard error."""

from __future__ import annotations

from redline.cli.terminal.progress_bar import ProgressBar
from redline.findings.finding import Finding
from redline.findings.review import Review


class ReviewProgress(ProgressBar):
    """Shows one review; see `ReviewFollower`."""

    def __init__(self, *, is_quiet: bool = False) -> None:
        super().__init__(is_quiet=is_quiet, has_percentage=True)

    def review_changed(self, review: Review) -> None:
        """Show the current step and percentage."""
        if review.step:
            n_found = f", {review.n_findings} found" if review.n_findings else ""
            self.show(review.step, detail=n_found, percentage=review.percentage)

    def finding_changed(self, review: Review, finding: Finding) -> None:
        """Do nothing: the report lists findings, and the bar shows their number."""

    def finding_gone(self, review: Review, finding_id: str) -> None:
        """Do nothing."""
