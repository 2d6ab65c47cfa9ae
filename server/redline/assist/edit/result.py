"""What is asked of an edit and what is answered: the values of the use case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from redline.checks.problem import Problem
from redline.models.interface import Usage
from redline.routing.route import Tier
from redline.routing.task import Kind
from redline.settings.tree import ApplyMode
from redline.text.position import Range
from redline.text.region import TextEdit

Outcome = Literal[
    "applied", "offered", "held", "unchanged", "computed", "stopped", "superseded"
]
Mode = ApplyMode | Literal["hand-over"]
"""How an outcome reaches its document; "hand-over": whoever asked brings it there."""

OfferState = Literal[
    "generating", "accepted", "rejected", "offered", "held", "stopped", "failed"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRequest:
    """One instruction on one range."""

    session_id: str
    """New, and unique among the sessions of this server."""
    uri: str
    range: Range
    """In code points, clamped to the document."""
    instruction: str
    kind: Kind = "edit"
    """The kind of action it came from."""
    tier: Tier | None = None
    from_comment: Range | None = None
    """The comment in the document that the instruction was written in."""
    apply: Mode | None = None
    """Overrides the setting."""
    progress_token: str | int | None = None
    n_candidates: int | None = None
    """Generations that race; None: as the settings say."""
    is_draft: bool = False
    """The instruction is still being typed: show, and apply nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditTiming:
    """When things happened, in seconds after the request was read; None: never."""

    sent_s: float | None = None
    first_delta_s: float | None = None
    last_delta_s: float | None = None
    ended_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EditResult:
    """How an edit came out."""

    session_id: str
    outcome: Outcome
    tier: Tier
    reasons: tuple[str, ...]
    checks: tuple[Problem, ...] = ()
    message: str | None = None
    superseded_by: str | None = None
    timing: EditTiming = EditTiming()
    usage: Usage | None = None
    wasted_n_tokens: int = 0
    """Of stopped and losing generations, estimated."""
    edits: tuple[TextEdit, ...] = ()
    """What was computed for `version`, in order and apart, in code points."""
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferProgress:
    """Where an offer stands after the user accepted or rejected some of it."""

    state: OfferState
    remaining: int
    """Hunks that still wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirected:
    """How a redirect was carried out."""

    session_id: str
    how: Literal["steered", "restarted"]
    is_accepted: bool
