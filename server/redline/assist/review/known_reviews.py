"""The reviews that one server knows, each with its newest state.

Those that it started, resumed or took over, those of other servers that it has read
from the store, and those whose findings it shows.
"""

from __future__ import annotations

import asyncio

from redline.errors import UnknownReviewError
from redline.findings.finding import Finding
from redline.findings.review import Review


class KnownReviews:
    """Follows every change of a review."""

    def __init__(self) -> None:
        self._reviews: dict[str, Review] = {}
        self._ended: dict[str, asyncio.Event] = {}

    def all(self) -> tuple[Review, ...]:
        """Return all reviews, the oldest first."""
        return tuple(self._reviews.values())

    def find(self, review_id: str) -> Review | None:
        return self._reviews.get(review_id)

    def review(self, review_id: str) -> Review:
        """Return a review.

        Raises:
            UnknownReviewError: If there is none.
        """
        try:
            return self._reviews[review_id]
        except KeyError:
            raise UnknownReviewError(f"There is no review {review_id!r}.") from None

    def add(self, review: Review) -> None:
        """Add a review that was read from the store, unless it is known."""
        self._reviews.setdefault(review.id, review)

    def update(self, review: Review) -> None:
        """Set a review's state before it is shown."""
        self._reviews[review.id] = review

    async def wait(self, review_id: str) -> Review:
        """Wait until the end of a review is shown.

        Raises:
            UnknownReviewError: If there is none.
        """
        if not self.review(review_id).has_ended:
            await self._ended.setdefault(review_id, asyncio.Event()).wait()
        return self.review(review_id)

    # A follower, see `ReviewFollower`.

    def review_changed(self, review: Review) -> None:
        """Set a review's state, and wake `wait` if it has ended."""
        self.update(review)
        if review.has_ended and (waiting := self._ended.pop(review.id, None)):
            waiting.set()

    def finding_changed(self, review: Review, finding: Finding) -> None:
        """Add the review of a finding, which may be an earlier one."""
        self.add(review)

    def finding_gone(self, review: Review, finding_id: str) -> None:
        """Do nothing."""
