"""Reviews as the rest of Redline sees them: start one, cancel it, ask for its findings.

Whatever a review does is stored first, so a server that is killed goes on where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from redline.assist.review.request import ReviewRequest
from redline.assist.review.review import Review, Reviewed, ReviewFollower
from redline.findings.finding import Finding, FindingState


class ReviewDesk(Protocol):
    """What `lsp` and `cli` ask of reviews; `Reviews` is the implementation."""

    async def start(self, request: ReviewRequest) -> str:
        """Queue a review and return its id, in less than 50 ms."""

    def follow(self, follower: ReviewFollower) -> None:
        """Tell a follower of everything from now on."""

    async def resume(self, roots: Sequence[str]) -> tuple[Finding, ...]:
        """Take over the unfinished reviews of these folders whose server is gone.

        Returns:
            The findings of all reviews of the folders that are still open or stale.
        """

    def reviews(self) -> tuple[Review, ...]:
        """Those that this server has started, resumed or been asked for."""

    async def cancel(self, review_id: str) -> bool:
        """End a review; False: there is none that runs."""

    async def wait(self, review_id: str) -> Review:
        """Wait until a review has ended."""

    async def reviewed(self, review_id: str) -> Reviewed:
        """Return a review with its findings.

        Raises:
            UnknownReviewError: If there is none.
        """

    async def dismiss(self, finding: Finding, reason: str) -> Finding:
        """Dismiss a finding, in this and every later review of the same code."""

    async def set_state(self, finding: Finding, state: FindingState) -> Finding:
        """Take note that a finding is stale, open again, or fixed."""

    async def aclose(self) -> None:
        """Let go: what runs goes on at the next start; idempotent."""
