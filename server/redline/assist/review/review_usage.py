"""The usage record of a review."""

from __future__ import annotations

from redline.assist.tiers.cost import Cost
from redline.findings.review import Review, ReviewState
from redline.store.task import Outcome, TaskRoute, TaskTimes, TaskUsage, plain_id

_OUTCOMES: dict[ReviewState, Outcome] = {
    "done": "shown",
    "cancelled": "stopped",
    "failed": "failed",
}


def usage_of(review: Review, spent: Cost) -> TaskUsage:
    """Build the usage record of a review that has ended."""
    ended_at = review.ended_at
    return TaskUsage(
        id=plain_id(review.id),
        kind="review",
        tier="deep",
        model=plain_id(review.models.get("reviewing", "")),
        route=TaskRoute(tier="deep"),
        times=TaskTimes(
            queued_at=review.created_at,
            # The clock may have been set back during the review.
            ended_s=None
            if ended_at is None
            else max(0.0, ended_at - review.created_at),
        ),
        outcome=_OUTCOMES[review.state],
        tokens=spent.tokens,
        cost=spent.cost,
    )
