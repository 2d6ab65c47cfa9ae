"""The messages of reviews."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from redline.lsp.client.status_messages import ReviewStatus
from redline.lsp.edit.edit_messages import EditOutcome
from redline.lsp.protocol.message_bases import (
    CommandArguments,
    SentMessage,
    SparseArguments,
    SparseMessage,
)
from redline.lsp.protocol.messages import LspRange


class DeepReviewArguments(SparseArguments, frozen=True):
    """Arguments of `redline.deepReview`: lines of a file, the file, or a change."""

    uri: str | None = None
    range: LspRange | None = None
    """The lines to review; widened to whole lines."""
    change: Annotated[str, Meta(min_length=1, max_length=1_000)] | None = None
    """`workingTree`, `staged`, or a base followed by two dots."""
    force: bool = False
    """Review it again even if nothing has changed."""
    max_cost: Annotated[float, Meta(gt=0)] | None = None
    """US dollars."""


class ReviewsArguments(CommandArguments, frozen=True):
    """Arguments of `redline.reviews`; no review: all of them."""

    review_id: str | None = None


class ReviewArguments(CommandArguments, frozen=True):
    """Arguments of `redline.cancelReview`."""

    review_id: str


class OpenReportArguments(SparseArguments, frozen=True):
    """Arguments of `redline.openReport`: a review, or one of its findings."""

    review_id: str | None = None
    finding_id: str | None = None


class DismissArguments(SparseArguments, frozen=True):
    finding_id: str
    reason: Annotated[str, Meta(max_length=2_000)] = ""


class ApplyFixArguments(SparseArguments, frozen=True):
    """Arguments of `redline.applyFix`: a finding, or all of a review."""

    finding_id: str | None = None
    review_id: str | None = None
    apply: Literal["end", "stream", "preview"] | None = None
    """`preview`: offer the fix of a finding; else it is one versioned edit."""


class DeepReviewResult(SentMessage, frozen=True):
    """The result of `redline.deepReview`, returned at once."""

    review_id: str


class Finding(SparseMessage, frozen=True, kw_only=True):
    """The current state of a finding."""

    id: str
    review_id: str
    uri: str
    file: str
    """For people."""
    range: LspRange
    """If the finding is stale or fixed, its last range."""
    quote: str
    """Its lines as in the file, with LF between them."""
    severity: Literal["critical", "high", "medium", "low"]
    category: str
    title: str
    explanation: str
    rule: str | None
    """The linter's rule; null: a model reported it."""
    confidence: float
    """From 0 to 1, computed from what was verified."""
    evidence: tuple[str, ...]
    """What was verified."""
    fix: str | UnsetType = UNSET
    """New text for these lines, which applied and passed the checks; absent: none."""
    state: Literal["open", "stale", "fixed", "dismissed"]


class ReviewList(SentMessage, frozen=True):
    """The result of `redline.reviews`."""

    reviews: tuple[ReviewStatus, ...]
    """The oldest first."""
    findings: tuple[Finding, ...]


class CancelReviewResult(SentMessage, frozen=True):
    cancelled: bool
    """False: it had already ended."""


class OpenReportResult(SentMessage, frozen=True):
    uri: str
    shown: bool
    """Whether the client showed it; if not, it can open the URI."""


class DismissResult(SentMessage, frozen=True):
    finding_id: str
    state: Literal["dismissed"] = "dismissed"


class FixRefusal(SentMessage, frozen=True):
    """A fix that was not applied."""

    finding_id: str
    message: str


class ApplyFixResult(SparseMessage, frozen=True):
    applied: tuple[str, ...]
    """Ids of the fixed findings."""
    refused: tuple[FixRefusal, ...]
    """Refusals of a whole review's fixes; for one finding, a refusal is the error."""
    offered: EditOutcome | UnsetType = UNSET
    """The outcome of the session that offers the fix."""


class FindingData(SentMessage, frozen=True):
    """The `data` of a diagnostic: which finding it is."""

    finding_id: str
    review_id: str
