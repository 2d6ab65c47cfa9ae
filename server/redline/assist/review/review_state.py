"""A review's state as others see it, and the followers of its changes."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from redline.assist.review.request import ReviewRequest
from redline.findings.finding import Dropped, Finding
from redline.findings.scope import LeftOutFile, missed

ReviewState = Literal[
    "queued", "gathering", "reviewing", "verifying", "done", "cancelled", "failed"
]

ENDS: frozenset[ReviewState] = frozenset({"done", "cancelled", "failed"})

SUCCESSORS: dict[ReviewState, frozenset[ReviewState]] = {
    "queued": frozenset({"gathering", "cancelled", "failed"}),
    "gathering": frozenset({"reviewing", "done", "cancelled", "failed"}),
    "reviewing": frozenset({"verifying", "cancelled", "failed"}),
    "verifying": frozenset({"done", "cancelled", "failed"}),
    "done": frozenset(),
    "cancelled": frozenset(),
    "failed": frozenset(),
}
"""What may follow. A review that goes on after a restart is in the state in which it
was left, and `gathering` ends in `done` when nothing has changed."""


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """One review as it stands; replaced as a whole when it changes."""

    id: str
    request: ReviewRequest
    state: ReviewState = "queued"
    created_at: float
    """Unix seconds."""
    ended_at: float | None = None
    percentage: int = 0
    """0 to 100, never going back."""
    step: str = ""
    """What it is doing, for people: "Reading related files"."""
    scope: str = ""
    """What it is about, as the end of a sentence; empty until it is gathered."""
    fingerprint: str = ""
    """Of the lines in question and of who reviews them; empty until then, too."""
    message: str = ""
    """Why it failed, or what else must be said of its outcome; a sentence or more."""
    same_as: str | None = None
    """Id of the review of the same text, whose findings stand; None: it did its own."""
    models: dict[str, str] = {}
    """Label of the model by what it did: `reviewing`, `refuting`, `fixing`."""
    has_model: bool = True
    """False: no model is configured; the built-in rules reviewed."""
    left_out: tuple[LeftOutFile, ...] = ()
    cost: float | None = 0.0
    """US dollars so far; None: the price of a model is not known."""
    n_findings: int = 0
    n_dropped: int = 0

    @property
    def is_partial(self) -> bool:
        """Whether it is done, and yet not to its end: something that should have been
        reviewed was not, or findings have no verdict."""
        is_whole = self.fingerprint and not missed(self.left_out)
        return self.state == "done" and not is_whole

    @property
    def has_ended(self) -> bool:
        """Whether it is over."""
        return self.state in ENDS


def ended(review: Review, state: ReviewState, message: str, *, at: float) -> Review:
    """Return a review as it is when it ends before it is done.

    Args:
        review: As it stands.
        state: `cancelled` or `failed`.
        message: Why, a sentence or more; may be empty.
        at: Unix seconds.
    """
    return msgspec.structs.replace(
        review, state=state, message=message, step="", ended_at=at
    )


class Reviewed(msgspec.Struct, frozen=True, kw_only=True):
    """A review with all that came of it: what a report is made of."""

    review: Review
    findings: tuple[Finding, ...] = ()
    dropped: tuple[Dropped, ...] = ()


class ReviewFollower(Protocol):
    """Something that shows reviews. Called on the event loop: it must be quick."""

    def review_changed(self, review: Review) -> None:
        """Take note of a review that is new, went on, or ended."""

    def finding_changed(self, review: Review, finding: Finding) -> None:
        """Show a finding, new or changed; its id names it in the whole workspace."""

    def finding_gone(self, review: Review, finding_id: str) -> None:
        """Show it no more: it was refuted."""
