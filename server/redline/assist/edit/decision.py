"""The decisions of routing and escalation, which the session applies to itself."""

from __future__ import annotations

from dataclasses import dataclass

from redline.assist.edit.attempt import AttemptSpec
from redline.routing.route import Route, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """The tier for an instruction."""

    instruction: str
    route: Route
    note: str | None
    """What replaces that tier if it is not available, as a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """An attempt that repairs or reviews a candidate."""

    turn: AttemptSpec
    reason: str
    """Why, as a sentence for the user."""
    tier: Tier
    """The tier that runs it."""
