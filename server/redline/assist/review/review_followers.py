"""Who is told of reviews, and what they have been shown.

A fault is shown once: found again by a later review, it takes the place of the earlier
finding.
"""

from __future__ import annotations

from redline.assist.review.review_state import Review, ReviewFollower
from redline.findings.finding import Finding


class ReviewFollowers:
    """The followers of one server's reviews."""

    def __init__(self) -> None:
        self._followers: list[ReviewFollower] = []
        self._shown: dict[tuple[str, str], tuple[Review, Finding]] = {}
        """The newest by folder and fingerprint, with the review that found it."""

    def join(self, follower: ReviewFollower) -> None:
        """Tell a follower of everything from now on."""
        self._followers.append(follower)

    def has_seen(self, review: Review, finding: Finding) -> None:
        """Take note of a finding that was shown in another way."""
        self._shown.setdefault(_fault(review, finding), (review, finding))

    def tell(self, review: Review) -> None:
        """Tell how a review stands."""
        for follower in self._followers:
            follower.review_changed(review)

    def show(self, review: Review, finding: Finding) -> None:
        """Show a finding in place of an earlier review's of the same fault."""
        fault = _fault(review, finding)
        if fault in self._shown:
            owner, earlier = self._shown[fault]
            if earlier.id != finding.id:
                self._take_back(owner, earlier.id)
        self._shown[fault] = (review, finding)
        self.change(review, finding)

    def change(self, review: Review, finding: Finding) -> None:
        """Show what has become of a finding."""
        for follower in self._followers:
            follower.finding_changed(review, finding)

    def hide(self, review: Review, finding_id: str) -> None:
        """Show a finding no more."""
        for fault, (_, finding) in list(self._shown.items()):
            if finding.id == finding_id:
                del self._shown[fault]
        self._take_back(review, finding_id)

    def _take_back(self, review: Review, finding_id: str) -> None:
        for follower in self._followers:
            follower.finding_gone(review, finding_id)


def _fault(review: Review, finding: Finding) -> tuple[str, str]:
    return review.request.workspace, finding.fingerprint
