"""The tier or the model that writes for one session, and the reasons for it.

Routing chooses it for each instruction; a repair or an escalation may change it.
Their decisions are values, which the session applies to itself.
"""

from __future__ import annotations

from msgspec import Struct

from redline.assist.edit.attempts.attempt import AttemptSpec
from redline.routing.route import Route, Tier
from redline.routing.tag import Tag


class Routing(Struct, frozen=True, kw_only=True):
    instruction: str
    asked: Tag
    """What the user named."""
    attachments: tuple[str, ...]
    route: Route
    note: str | None
    """What replaces that tier if it is not available, as a sentence."""


class Retry(Struct, frozen=True, kw_only=True):
    """An attempt that repairs or reviews a candidate."""

    turn: AttemptSpec
    reason: str
    """Why, as a sentence for the user."""
    tier: Tier
    """The tier that runs it."""


class ChosenTier:
    """The tier of one session."""

    def __init__(self) -> None:
        self.tier: Tier = "fast"
        """The tier that writes, or wrote last."""
        self.model: str | None = None
        """The model that the user named, while it writes; None: the tier's does."""
        self.reasons: tuple[str, ...] = ()
        """Why that tier, and other notes for the user, as sentences."""
        self.routing: Routing | None = None
        self.is_repaired = False
        """Whether problems of the current instruction were sent back to the model."""
        self.is_escalated = False

    @property
    def route(self) -> Route | None:
        """The decision about its tier, with its signals."""
        return self.routing.route if self.routing is not None else None

    def follow(self, routing: Routing) -> None:
        """Move to the tier that was chosen for the instruction."""
        self.routing = routing
        self.tier = routing.route.tier
        self.model = routing.route.model
        self.reasons = routing.route.reasons
        self.is_escalated = False
        if routing.note is not None:
            self.explain(routing.note)

    def retry(self, retry: Retry) -> None:
        """Move to the tier that repairs or reviews a candidate."""
        self.is_repaired |= retry.turn.purpose == "repair"
        self.is_escalated |= retry.turn.purpose == "escalate"
        self.explain(retry.reason)
        if retry.tier != self.tier:
            self.tier, self.model = retry.tier, None

    def redirect(self) -> None:
        """Allow a repair again, because the instruction is another one."""
        self.is_repaired = False

    def explain(self, reason: str) -> None:
        self.reasons = (*self.reasons, reason)
