"""Converts reviews, findings and steps to rows of the store and back."""

from __future__ import annotations

import zlib
from typing import TypeVar

import msgspec

from redline.assist.review.review_state import Review
from redline.findings.finding import Dismissal, Dropped, Finding
from redline.store.stored_review import (
    StoredDismissal,
    StoredDrop,
    StoredFinding,
    StoredReview,
    StoredStep,
)

_T = TypeVar("_T")


def review_row(review: Review) -> StoredReview:
    """Turn a review into its row."""
    return StoredReview(
        id=review.id,
        workspace=review.request.workspace,
        fingerprint=review.fingerprint,
        state=review.state,
        created_at=review.created_at,
        ended_at=review.ended_at,
        body=msgspec.json.encode(review),
    )


def review_of(row: StoredReview) -> Review:
    """Read a review from its row."""
    return msgspec.json.decode(row.body, type=Review)


def finding_row(finding: Finding) -> StoredFinding:
    """Turn a finding into its row."""
    return StoredFinding(
        review_id=finding.review_id,
        id=finding.id,
        fingerprint=finding.fingerprint,
        state=finding.state,
        body=msgspec.json.encode(finding),
    )


def finding_of(row: StoredFinding) -> Finding:
    """Read a finding from its row."""
    return msgspec.json.decode(row.body, type=Finding)


def drop_row(review_id: str, n: int, dropped: Dropped) -> StoredDrop:
    """Turn a review's n-th dropped claim into its row."""
    return StoredDrop(review_id=review_id, n=n, body=msgspec.json.encode(dropped))


def drop_of(row: StoredDrop) -> Dropped:
    """Read a dropped claim from its row."""
    return msgspec.json.decode(row.body, type=Dropped)


def dismissal_row(
    workspace: str, dismissal: Dismissal, *, at: float
) -> StoredDismissal:
    """Turn a dismissal into its row; `at` is in Unix seconds."""
    return StoredDismissal(
        workspace=workspace,
        fingerprint=dismissal.fingerprint,
        dismissed_at=at,
        body=msgspec.json.encode(dismissal),
    )


def dismissal_of(row: StoredDismissal) -> Dismissal:
    """Read a dismissal from its row."""
    return msgspec.json.decode(row.body, type=Dismissal)


def step_row(
    review_id: str, name: str, outcome: object, *, is_done: bool
) -> StoredStep:
    """Turn a step into its row; the body is compressed, since it may hold texts."""
    body = zlib.compress(msgspec.msgpack.encode(outcome), 1)
    return StoredStep(review_id=review_id, name=name, is_done=is_done, body=body)


def outcome_of(row: StoredStep, type: type[_T]) -> _T:
    """Read the outcome of a step, or its progress if it is not done."""
    return msgspec.msgpack.decode(zlib.decompress(row.body), type=type)
