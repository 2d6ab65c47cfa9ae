"""The rows of the review tables. The store does not interpret their bodies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReview:
    """One review; written again whenever it changes."""

    id: str
    workspace: str
    """URI of the folder that it belongs to; empty: none."""
    fingerprint: str
    """Identifies the reviewed text and the model; empty: not known yet."""
    state: str
    created_at: float
    """Unix seconds."""
    ended_at: float | None
    """None: it has not ended, so a server must run it."""
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredStep:
    """A step of a review: begun, or done with its outcome."""

    review_id: str
    name: str
    """Unique in its review."""
    is_done: bool
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFinding:
    """A finding of a review."""

    review_id: str
    id: str
    fingerprint: str
    """Equal in two reviews if they found the same fault."""
    state: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDrop:
    """A claim that is not shown."""

    review_id: str
    n: int
    """Its index in the review, from 0."""
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneFinding:
    """Deletes a finding that was withdrawn before its review ended."""

    review_id: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDismissal:
    """A fault that the developer does not want to see again."""

    workspace: str
    fingerprint: str
    dismissed_at: float
    """Unix seconds."""
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StepsForgotten:
    """Deletes the steps of a review that has ended, and so the reviewed texts."""

    review_id: str


ReviewChange = (
    StoredReview
    | StoredStep
    | StoredFinding
    | StoredDrop
    | GoneFinding
    | StoredDismissal
    | StepsForgotten
)
"""A change to write: a row that replaces the one with its key, or rows to delete."""
