"""Notifies an editor of reviews: progress, `redline/review`, and a final message."""

from __future__ import annotations

from collections.abc import Callable

from redline.findings.finding import Finding
from redline.findings.review import Review
from redline.lsp.client.job_progress import JobProgress
from redline.lsp.client.progress import ProgressRegistry
from redline.lsp.client.window import show_outcome
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
from redline.lsp.protocol import names
from redline.lsp.review.finding_messages import full_message, review_status


class ReviewNotifier:
    """Follows the reviews of one editor; see `ReviewFollower`."""

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        client: Client,
        progress: ProgressRegistry,
        cancel: Callable[[str], object],
        on_change: Callable[[], None],
    ) -> None:
        """Create a notifier; the caller adds it to the followers of reviews.

        Args:
            endpoint: The connection.
            client: The capabilities of the client.
            progress: Creates work done progress.
            cancel: Called with the id of a review that the user cancels.
            on_change: Called after every change of a review, for the status.
        """
        self._endpoint = endpoint
        self._client = client
        self._progress = JobProgress(progress, cancel)
        self._on_change = on_change

    def review_changed(self, review: Review) -> None:
        """Send a review's state, and show its progress or its outcome."""
        self._on_change()
        if self._client.has_reviews:
            self._endpoint.notify(names.REVIEW, review_status(review))
        if review.request.is_live:
            # Nobody waits for it: its findings and the status are all there is.
            return
        if not review.has_ended:
            step = review.step or "Waiting for other reviews"
            self._progress.report(review.id, "Redline: review", step, review.percentage)
            return
        self._progress.end(review.id, outcome(review))
        if not self._client.has_reviews and review.state != "cancelled":
            is_failed = review.state == "failed"
            show_outcome(self._endpoint, outcome(review), is_failed=is_failed)

    def close(self) -> None:
        """End the progress of unfinished reviews, which the next start resumes."""
        self._progress.close("The review resumes when Redline starts again.")

    def finding_changed(self, review: Review, finding: Finding) -> None:
        """Do nothing: findings are shown as diagnostics."""

    def finding_gone(self, review: Review, finding_id: str) -> None:
        """Do nothing: findings are shown as diagnostics."""


def outcome(review: Review) -> str:
    """Describe how a review has ended, in a sentence or more."""
    about = f" of {review.scope}" if review.scope else ""
    match review.state:
        case "failed":
            return f"The review{about} failed: {full_message(review)}"
        case "cancelled":
            return f"The review{about} was cancelled."
        case _:
            n = review.n_findings
            found = {0: "nothing was found", 1: "one finding"}.get(n, f"{n} findings")
            part = " in what was reviewed" if review.is_partial else ""
            return f"Review{about}: {found}{part}. {full_message(review)}".strip()
