"""The values of a review as a whole: the request, its state, its outcome."""

from __future__ import annotations

from typing import Literal

import msgspec

from redline.findings.finding import Dropped, Finding
from redline.findings.scope import LeftOutFile, Target, missed

Origin = Literal["editor", "terminal", "save"]
"""Only an editor's review is taken over by another server when its server is gone.
`save`: a review on save, which nobody has asked for."""

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
"""The states that may follow each state. A review that resumes after a restart keeps
its state, and `gathering` leads to `done` when nothing has changed."""


class ReviewRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request to review a selection, files, or a change."""

    target: Target
    roots: tuple[str, ...] = ()
    """URIs of the workspace folders; the review belongs to the first one."""
    is_forced: bool = False
    """Whether to review again even if nothing changed since the last review."""
    max_cost: float | None = None
    """Cost in US dollars after which no model is asked; None: no limit."""
    origin: Origin = "editor"

    @property
    def is_live(self) -> bool:
        return self.origin == "save"

    @property
    def workspace(self) -> str:
        """The folder that the review belongs to; empty: none."""
        return self.roots[0] if self.roots else ""


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one review; replaced as a whole when it changes."""

    id: str
    request: ReviewRequest
    state: ReviewState = "queued"
    created_at: float
    """Unix seconds."""
    ended_at: float | None = None
    percentage: int = 0
    """0 to 100, never decreases."""
    step: str = ""
    """The current activity, for people: "Reading related files"."""
    scope: str = ""
    """What is reviewed, as the end of a sentence; empty until it is gathered."""
    fingerprint: str = ""
    """Hash of the reviewed lines, and the reviewing model; empty until gathered."""
    message: str = ""
    """Why it failed, or notes on its outcome; a sentence or more."""
    same_as: str | None = None
    """Id of an earlier review of the same text whose findings count; None: its own."""
    models: dict[str, str] = {}
    """Model label by task: `reviewing`, `refuting`, `fixing`."""
    has_model: bool = True
    """False: no model is configured; the built-in rules reviewed."""
    left_out: tuple[LeftOutFile, ...] = ()
    cost: float | None = 0.0
    """US dollars so far; None: the price of a model is not known."""
    n_findings: int = 0
    n_dropped: int = 0

    @property
    def is_partial(self) -> bool:
        """Whether it is done but incomplete: something that should have been reviewed
        was not, or findings have no verdict."""
        is_whole = self.fingerprint and not missed(self.left_out)
        return self.state == "done" and not is_whole

    @property
    def has_ended(self) -> bool:
        return self.state in ENDS


def ended(review: Review, state: ReviewState, message: str, *, at: float) -> Review:
    """Return a review that ends before it is done.

    Args:
        review: Its state before.
        state: `cancelled` or `failed`.
        message: Why, a sentence or more; may be empty.
        at: Unix seconds.
    """
    return msgspec.structs.replace(
        review, state=state, message=message, step="", ended_at=at
    )


class Reviewed(msgspec.Struct, frozen=True, kw_only=True):
    """A review with its findings and dropped claims: the input of a report."""

    review: Review
    findings: tuple[Finding, ...] = ()
    dropped: tuple[Dropped, ...] = ()
