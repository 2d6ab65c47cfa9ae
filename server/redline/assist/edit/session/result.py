"""The request and the result of an edit: the values of the use case."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from redline.assist.actions.action import RangeWork
from redline.assist.tiers.tier_choice import TIERS
from redline.checks.problem import Problem
from redline.models.interface import Usage
from redline.prompts.blocks import Block
from redline.routing.route import Tier
from redline.routing.tag import Tag, split_tag
from redline.routing.task import Kind
from redline.settings.edit_settings import ApplyMode
from redline.text.position import Range
from redline.text.region import TextEdit

Outcome = Literal[
    "applied", "offered", "held", "unchanged", "computed", "stopped", "superseded"
]
Mode = ApplyMode | Literal["hand-over"]
"""How an outcome reaches its document; "hand-over": the caller applies it."""

OfferState = Literal[
    "generating", "accepted", "rejected", "offered", "held", "stopped", "failed"
]


class EditRequest(Struct, frozen=True, kw_only=True):
    """One instruction on one range."""

    session_id: str
    """New, and unique among the sessions of this server."""
    uri: str
    range: Range
    """In code points, clamped to the document."""
    instruction: str
    ranges: tuple[RangeWork, ...] = ()
    """The ranges of an edit of several; `range` is then not read."""
    kind: Kind = "edit"
    """The kind of action it came from."""
    tier: Tier | None = None
    """The tier that the user named."""
    model: str | None = None
    """The model that the user named, which counts before `tier`."""
    from_comment: Range | None = None
    """The comment in the document that holds the instruction."""
    apply: Mode | None = None
    """Overrides the setting."""
    progress_token: str | int | None = None
    n_candidates: int | None = None
    """Generations that race; None: the number in the settings."""
    is_draft: bool = False
    """Whether the instruction is still being typed: show the edit, apply nothing."""
    attachments: tuple[str, ...] = ()
    """URIs of images that belong to the instruction: of files, or `data:` URIs."""
    notes: tuple[Block, ...] = ()
    """What the model is shown besides the code and the context that is found."""
    title: str | None = None
    """What progress calls it; None: the beginning of the instruction."""

    @property
    def has_writer(self) -> bool:
        """Whether the user named who writes: a tier, or a model."""
        return self.tier is not None or self.model is not None


def with_tags(request: EditRequest, models: Collection[str]) -> EditRequest:
    """Move the tier or the model that instructions name by tags into the request.

    Of the tags of several ranges and the request's own, a model counts before a tier,
    and a higher tier before a lower one.
    """
    instruction, tag = split_tag(request.instruction, models)
    named = [tag or Tag(request.tier, request.model)]
    ranges = []
    for each in request.ranges:
        text, of_range = split_tag(each.instruction, models)
        ranges.append(replace(each, instruction=text))
        named += [of_range] if of_range else []
    return replace(
        request,
        instruction=instruction,
        ranges=tuple(ranges),
        tier=max(
            (one.tier for one in named if one.tier), key=TIERS.index, default=None
        ),
        model=next((one.model for one in named if one.model), None),
    )


class EditTiming(Struct, frozen=True, kw_only=True):
    """Times in seconds after the request was read; None: never reached."""

    sent_s: float | None = None
    first_delta_s: float | None = None
    last_delta_s: float | None = None
    ended_s: float | None = None


class EditResult(Struct, frozen=True, kw_only=True):
    session_id: str
    outcome: Outcome
    tier: Tier
    reasons: tuple[str, ...]
    assumes: tuple[str, ...] = ()
    """What the instruction leaves open and was taken for granted, as sentences."""
    checks: tuple[Problem, ...] = ()
    message: str | None = None
    superseded_by: str | None = None
    timing: EditTiming = EditTiming()
    usage: Usage | None = None
    wasted_n_tokens: int = 0
    """Estimated tokens of stopped and unused generations."""
    edits: tuple[TextEdit, ...] = ()
    """Edits of `version`, in order and disjoint, in code points."""
    version: int | None = None


class OfferProgress(Struct, frozen=True, kw_only=True):
    """The state of an offer after the user accepted or rejected some of it."""

    state: OfferState
    remaining: int
    """Hunks that still wait for an answer."""


class Redirected(Struct, frozen=True, kw_only=True):
    """How a redirect was carried out."""

    session_id: str
    how: Literal["steered", "restarted"]
    is_accepted: bool


class WrittenEdit(Struct, frozen=True, kw_only=True):
    """The new lines of a session's region, and what the checks say about them."""

    old_lines: tuple[str, ...]
    """The region that they replace; if it has other lines now, a model writes."""
    lines: tuple[str, ...]
    problems: tuple[Problem, ...] | None = ()
    """None: they are to be checked."""
    score: float = 0.0
    imports: tuple[str, ...] = ()
    """Imports that came in front of them."""


FinishWriting = Callable[[], Awaitable[WrittenEdit | None]]
"""Waits for an edit that is written elsewhere; None: a model writes it after all.
Cancelling is safe."""
