"""The messages of the status and of the statistics."""

from __future__ import annotations

from datetime import date
from typing import Literal

from msgspec import field

from redline.lsp.protocol.message_bases import CommandArguments, SentMessage, Tier
from redline.prompts.window import Band


class StatsArguments(CommandArguments, frozen=True):
    since: date | None = None
    """The first local day to include; absent: the last 30 days."""
    by: tuple[Literal["tier", "day", "kind"], ...] = ("tier", "day")
    """The fields to group by, in this order; none: one group."""


class RunningSession(SentMessage, frozen=True):
    session_id: str
    uri: str
    state: str
    tier: Tier | None
    """The tier that writes it now; null until that is known."""
    model: str | None
    """The name of the model that writes it now, at its provider; null likewise."""


class TierStatus(SentMessage, frozen=True):
    """Which model fills a tier."""

    tier: Tier
    model: str
    is_model: bool
    """False for the built-in rules engine."""
    note: str | None


class CompletionStatus(SentMessage, frozen=True):
    """What completions did since the start."""

    requests: int
    """Requests to a model."""
    shown: int
    """Requests of the editor that were answered with a text."""
    at_once: int
    """Of these, answered from an earlier reply or without a model."""
    accepted: int
    cost: float
    """US dollars of the last 24 hours, as far as prices are known."""
    pause: Literal["", "minute", "day", "failures"]
    """Why no request is sent at the moment; empty: nothing prevents it."""


class NextEditStatus(SentMessage, frozen=True):
    """What next edits did since the start, by rules and by a model."""

    requests: int
    """Requests to a model."""
    shown: int
    """Edits that became visible."""
    accepted: int
    cost: float
    """US dollars of the last 24 hours, as far as prices are known."""
    pause: Literal["", "minute", "day", "failures"]
    """Why no model is asked at the moment; empty: nothing prevents it."""


class NotReviewed(SentMessage, frozen=True):
    path: str
    """For people."""
    reason: str
    """The end of a sentence, with the lines if only part of it was left out."""
    by_rule: bool
    """It is never reviewed: ignore rules match it, or it has no changed text."""


class ReviewStatus(SentMessage, frozen=True):
    """`redline/review`: a review started, progressed or ended."""

    review_id: str
    state: Literal[
        "queued", "gathering", "reviewing", "verifying", "done", "cancelled", "failed"
    ]
    scope: str
    """What it reviews, as the end of a sentence; empty until that is known."""
    step: str
    """The current step, for display; empty: it has ended."""
    percentage: int
    findings: int
    dropped: int
    message: str
    """A message about it, such as why it failed; may be empty."""
    has_model: bool
    """False: the built-in rules do the review, since no model is configured."""
    cost: float | None
    """US dollars so far; null: unknown."""
    created_at: float
    """Unix seconds."""
    ended_at: float | None
    same_as: str | None
    """The earlier review of the same text whose findings are reused at no cost.
    """
    left_out: tuple[NotReviewed, ...]
    """Requested parts that were not, or only partly, reviewed."""
    partial: bool
    """Done, but not everything was reviewed; `leftOut` and `message` name the rest.
    Such a review without findings does not mean that the code is fine."""
    live: bool
    """A review on save, see the setting `review.on_save`."""


class Status(SentMessage, frozen=True):
    """`redline/status`, and the result of `redline.status`."""

    connection: Literal["cold", "connecting", "ready", "fallback", "down"]
    """The state of the fast tier's model."""
    detail: str
    """One sentence for the user, or empty."""
    tiers: tuple[TierStatus, ...]
    last_model: str | None
    """The model of the last generation, by its name at the provider."""
    first_delta_s: float | None
    """Seconds from request to first delta of the last generation."""
    tokens_per_s: float | None
    """Tokens a second of the last generation."""
    cost_today: float | None
    """US dollars on this local day, of all editors with the same usage file, as far as
    prices are known; null: usage is not recorded."""
    completions: CompletionStatus
    next_edits: NextEditStatus
    wasted_tokens: int
    """Estimated tokens of stopped generations since the start."""
    context_band: Band | None
    """The share of its model's window that the last prompt used, in per cent."""
    context_share: float | None
    """The same as a number; above 1 the prompt did not fit."""
    indexing: bool
    """Whether the workspace is being indexed for context."""
    sessions: tuple[RunningSession, ...]
    reviews: tuple[ReviewStatus, ...]
    """The running reviews; hundreds may wait."""
    problems: tuple[str, ...]
    """Problems of the settings or the usage file, one sentence each."""


class UsageTotals(SentMessage, frozen=True):
    """The measures of one group of tasks."""

    tier: str | None
    day: str | None
    kind: str | None
    tasks: int
    accepted: int
    rejected: int
    reworked: int
    undone: int
    failed_checks: int
    repaired: int
    escalated: int
    task_p50_s: float | None = field(name="taskP50S")
    task_p90_s: float | None = field(name="taskP90S")
    rework_share: float | None
    cost_per_accepted: float | None
    cost: float | None
    unpriced: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    wasted_tokens: int


class UnaskedUsageTotals(SentMessage, frozen=True):
    """What completions or next edits by one model did."""

    kind: str
    tier: str | None
    model: str | None
    requests: int
    shown: int
    at_once: int
    accepted: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float | None
    unpriced: int


class Stats(SentMessage, frozen=True):
    since: date
    totals: tuple[UsageTotals, ...]
    unasked: tuple[UnaskedUsageTotals, ...]
