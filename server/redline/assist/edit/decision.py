"""What routing and escalation decide for a session, which the session then takes."""

from __future__ import annotations

from dataclasses import dataclass

from redline.assist.edit.attempt import AttemptSpec
from redline.routing.route import Route, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """Which tier does an instruction."""

    instruction: str
    route: Route
    note: str | None
    """What stands in for that tier, as a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """A turn about a candidate that is not good enough, or is only a draft."""

    turn: AttemptSpec
    reason: str
    """Why, as a sentence for the user."""
    tier: Tier
    """The tier that does it."""
