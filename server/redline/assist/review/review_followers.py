"""Notifies the followers of reviews, and remembers which findings they show.

A fault is shown once: when a later review finds it again, the new finding replaces the
earlier one.
"""

from __future__ import annotations

from typing import Protocol

from redline.findings.finding import Finding
from redline.findings.review import Review


class ReviewFollower(Protocol):
    """Shows reviews. Called on the event loop, so it must not block."""

    def review_changed(self, review: Review) -> None:
        """A review is new, has progressed, or has ended."""

    def finding_changed(self, review: Review, finding: Finding) -> None:
        """Show a finding, new or changed; its id is unique in the workspace."""

    def finding_gone(self, review: Review, finding_id: str) -> None:
        """Stop showing a finding that was withdrawn."""


class ReviewFollowers:
    """The followers of one server's reviews."""

    def __init__(self) -> None:
        self._followers: list[ReviewFollower] = []
        self._shown: dict[tuple[str, str], tuple[Review, Finding]] = {}
        """The newest finding by folder and fingerprint, with its review."""

    def join(self, follower: ReviewFollower) -> None:
        """Notify a follower of all changes from now on."""
        self._followers.append(follower)

    def has_seen(self, review: Review, finding: Finding) -> None:
        """Record a finding that followers already show."""
        self._shown.setdefault(_fault(review, finding), (review, finding))

    def faults(self) -> dict[str, list[str]]:
        """Return the fingerprints of the findings that are shown, by folder."""
        faults: dict[str, list[str]] = {}
        for workspace, fingerprint in self._shown:
            faults.setdefault(workspace, []).append(fingerprint)
        return faults

    def shown(self, workspace: str, fingerprint: str) -> Finding | None:
        """Return the finding that is shown for a fault, with its newest state."""
        shown = self._shown.get((workspace, fingerprint))
        return None if shown is None else shown[1]

    def tell(self, review: Review) -> None:
        """Notify followers of a review's current state."""
        for follower in self._followers:
            follower.review_changed(review)

    def show(self, review: Review, finding: Finding) -> None:
        """Show a finding; it replaces an earlier review's finding of the same fault."""
        fault = _fault(review, finding)
        if fault in self._shown:
            owner, earlier = self._shown[fault]
            if earlier.id != finding.id:
                self._take_back(owner, earlier.id)
        self._shown[fault] = (review, finding)
        self.change(review, finding)

    def show_unless_newer(self, review: Review, finding: Finding) -> None:
        """Show a finding, unless it or one of a later review of its fault is shown."""
        shown = self._shown.get(_fault(review, finding))
        if shown is not None:
            owner, known = shown
            if known.id == finding.id or owner.created_at > review.created_at:
                return
        self.show(review, finding)

    def change(self, review: Review, finding: Finding) -> None:
        fault = _fault(review, finding)
        if fault in self._shown and self._shown[fault][1].id == finding.id:
            self._shown[fault] = (review, finding)
        for follower in self._followers:
            follower.finding_changed(review, finding)

    def hide(self, review: Review, finding_id: str) -> None:
        for fault, (_, finding) in list(self._shown.items()):
            if finding.id == finding_id:
                del self._shown[fault]
        self._take_back(review, finding_id)

    def _take_back(self, review: Review, finding_id: str) -> None:
        for follower in self._followers:
            follower.finding_gone(review, finding_id)


def _fault(review: Review, finding: Finding) -> tuple[str, str]:
    return review.request.workspace, finding.fingerprint
