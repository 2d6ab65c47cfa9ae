"""Notifies an editor of reviews: progress, `redline/review`, and a final message."""

from __future__ import annotations

from collections.abc import Callable

from redline.findings.finding import Finding
from redline.findings.review import Review
from redline.lsp import names
from redline.lsp.client.progress import ProgressRegistry, WorkDoneProgress
from redline.lsp.client.window import MessageType, show_message
from redline.lsp.initialize import Client
from redline.lsp.jsonrpc.endpoint import Endpoint
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
        self._progress = progress
        self._cancel = cancel
        self._on_change = on_change
        self._open: dict[str, WorkDoneProgress] = {}

    def review_changed(self, review: Review) -> None:
        """Send a review's state, and show its progress or its outcome."""
        self._on_change()
        if self._client.has_reviews:
            self._endpoint.notify(names.REVIEW, review_status(review))
        if review.request.is_live:
            # Nobody waits for it: its findings and the status are all there is.
            return
        if not review.has_ended:
            self._report(review)
            return
        progress = self._open.pop(review.id, None)
        if progress is not None:
            progress.end(outcome(review))
        if not self._client.has_reviews and review.state != "cancelled":
            is_failed = review.state == "failed"
            kind = MessageType.ERROR if is_failed else MessageType.INFO
            show_message(self._endpoint, kind, f"Redline: {outcome(review)}")

    def close(self) -> None:
        """End the progress of unfinished reviews, which the next start resumes."""
        for progress in self._open.values():
            progress.end("The review resumes when Redline starts again.")
        self._open.clear()

    def finding_changed(self, review: Review, finding: Finding) -> None:
        """Do nothing: findings are shown as diagnostics."""

    def finding_gone(self, review: Review, finding_id: str) -> None:
        """Do nothing: findings are shown as diagnostics."""

    def _report(self, review: Review) -> None:
        progress = self._open.get(review.id)
        if progress is None:
            progress = self._open[review.id] = self._progress.start(
                "Redline: review",
                None,
                lambda: self._cancel(review.id),
                percentage=review.percentage,
            )
        step = review.step or "Waiting for other reviews"
        progress.report(step, percentage=review.percentage)


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
