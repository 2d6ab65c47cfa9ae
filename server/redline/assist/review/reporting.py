"""Builds the report of a review."""

from __future__ import annotations

from redline.findings.report import ReportState, ReviewReport
from redline.findings.review import Review, Reviewed


def report_of(reviewed: Reviewed) -> ReviewReport:
    """Build the value that `findings.report`, `report_json` and `sarif` write."""
    review = reviewed.review
    return ReviewReport(
        review_id=review.id,
        state=_state(review),
        is_partial=review.is_partial,
        scope=review.scope,
        message=review.message,
        created_at=review.created_at,
        seconds=None
        if review.ended_at is None
        # The clock may have been set back during the review.
        else max(0.0, review.ended_at - review.created_at),
        models=review.models,
        has_model=review.has_model,
        cost=review.cost,
        findings=reviewed.findings,
        dropped=reviewed.dropped,
        left_out=review.left_out,
    )


def _state(review: Review) -> ReportState:
    match review.state:
        case "done" | "cancelled" | "failed":
            return review.state
        case _:
            return "running"
