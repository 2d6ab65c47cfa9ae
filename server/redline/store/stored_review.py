"""What is remembered of reviews, as rows. What a body holds is its writer's affair."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReview:
    """One review as it stands; written again whenever it changes."""

    id: str
    workspace: str
    """URI of the folder that it belongs to; empty: none."""
    fingerprint: str
    """Of what is reviewed; empty: not known yet."""
    state: str
    created_at: float
    """Unix seconds."""
    ended_at: float | None
    """None: it is not over, so some server has to see to it."""
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
    """The same in another review: the same fault again."""
    state: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDrop:
    """A claim that is not shown."""

    review_id: str
    n: int
    """Which one of its review, from 0."""
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneFinding:
    """A finding that was taken back before its review was over."""

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
    """The steps of a review that is over, with the texts that were reviewed."""

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
"""What is written: a row, in place of the one with its key, or rows that go."""
