"""What is written about reviews, besides reviews and findings themselves."""

from __future__ import annotations

import zlib
from typing import TypeVar

import msgspec
from msgspec import Struct

from redline.findings.finding import Dismissal, Dropped, Finding, FindingState
from redline.findings.review import Review
from redline.plans.record import PlanRecord

MAX_STEP_BYTES = 100_000_000
"""Size of the largest outcome of a step that is read."""

UNWANTED = "unwanted answer "
"""Start of the names of steps that outlive their review: each names an answer that is
to be deleted at its provider."""

_T = TypeVar("_T")


class StoredStep(Struct, frozen=True, kw_only=True):
    """A step of a review: begun, or done with its outcome."""

    review_id: str
    name: str
    """Unique in its review."""
    is_done: bool
    body: bytes
    """Compressed, since it may hold texts."""

    def outcome(self, type: type[_T]) -> _T:
        """Read its outcome, or its progress if it is not done; slow.

        Raises:
            msgspec.DecodeError: If it cannot be read.
        """
        unpacker = zlib.decompressobj()
        try:
            packed = unpacker.decompress(self.body, MAX_STEP_BYTES)
        except zlib.error as error:
            raise msgspec.DecodeError(str(error)) from error
        if not unpacker.eof:
            raise msgspec.DecodeError("It is cut off, or too large.")
        return msgspec.msgpack.decode(packed, type=type)


def stored_step(
    review_id: str, name: str, outcome: object, *, is_done: bool
) -> StoredStep:
    """Encode a step with its outcome; slow."""
    body = zlib.compress(msgspec.msgpack.encode(outcome), 1)
    return StoredStep(review_id=review_id, name=name, is_done=is_done, body=body)


class StoredDrop(Struct, frozen=True, kw_only=True):
    """A claim that is not shown."""

    review_id: str
    n: int
    """Its index in the review, from 0."""
    dropped: Dropped


class GoneFinding(Struct, frozen=True, kw_only=True):
    """Deletes a finding that was withdrawn before its review ended."""

    review_id: str
    id: str


class StoredState(Struct, frozen=True, kw_only=True):
    """A new state of a finding.

    It is not written if another server has fixed or dismissed the finding meanwhile.
    """

    review_id: str
    fingerprint: str
    was: FindingState
    """The state that this server knows."""
    state: FindingState


class StoredDismissal(Struct, frozen=True, kw_only=True):
    """A fault that the developer does not want to see again; dismisses its finding."""

    workspace: str
    at: float
    """Unix seconds."""
    dismissal: Dismissal


class StepsForgotten(Struct, frozen=True, kw_only=True):
    """Deletes the steps of a review that has ended, and so the reviewed texts.

    Unwanted answers stay.
    """

    review_id: str


class StepForgotten(Struct, frozen=True, kw_only=True):
    """Deletes a step."""

    review_id: str
    name: str


ReviewChange = (
    Review
    | StoredStep
    | Finding
    | StoredDrop
    | GoneFinding
    | StoredState
    | StoredDismissal
    | StepsForgotten
    | StepForgotten
    | PlanRecord
)
"""A change to write: a value that replaces the one with its key, or rows to delete.

A finding that is stored already keeps its state, which any server may have changed."""
