"""Chooses the model for each attempt of a session, with the reasons.

Where one model fills every tier, the route decides only what is reported about the
task, not where it goes; it is then computed while the request travels.
"""

from __future__ import annotations

from collections.abc import Callable

from redline.assist.edit.attempt import AttemptSpec
from redline.assist.edit.decision import Routing
from redline.assist.edit.session import EditSession
from redline.assist.privacy.ignore_rules import IgnoreRules
from redline.assist.tiers.tier_choice import Tiers
from redline.assist.workspace import Workspace
from redline.errors import HeldBackError
from redline.models.interface import Model
from redline.prompts.surrounding_lines import enclosing
from redline.routing.route import Route, Tier, route
from redline.routing.task import Task
from redline.settings.tree import Settings

_TIERS: tuple[Tier, ...] = ("fast", "standard", "deep")


class Router:
    """Routes the sessions of one editor."""

    def __init__(
        self, *, workspace: Workspace, tiers: Tiers, settings: Callable[[], Settings]
    ) -> None:
        self._workspace = workspace
        self._tiers = tiers
        self._settings = settings
        self._ignore_rules = IgnoreRules()

    @property
    def has_choice(self) -> bool:
        """Whether more than one model fills the tiers."""
        models = {id(self._tiers.choose(tier).model) for tier in _TIERS}
        return len(models) > 1 or self._tiers.drafter() is not None

    def routing(self, session: EditSession) -> Routing:
        """Choose the tier for a session's instruction."""
        route = self.route_of(session, session.instruction)
        return Routing(
            instruction=session.instruction,
            route=route,
            note=self._tiers.choose(route.tier).note,
        )

    def route_of(self, session: EditSession, instruction: str) -> Route:
        """Return the route of an instruction in a session."""
        edit_target, request = session.edit_target, session.request
        task = Task(
            instruction=instruction,
            path=self._workspace.relative_path(request.uri),
            language=edit_target.document.language_id,
            code=edit_target.region.text,
            surroundings=enclosing(
                edit_target.document.snapshot().lines,
                edit_target.first_line,
                edit_target.region.lines,
            ),
            kind=request.kind,
        )
        return route(task, settings=self._settings().routing, asked=request.tier)

    def may_steer(self, session: EditSession, instruction: str) -> bool:
        """Whether an instruction belongs to the session's current tier."""
        if not self.has_choice:
            return True
        return self.route_of(session, instruction).tier == session.chosen.tier

    def is_drafted(self, session: EditSession) -> bool:
        """Whether the draft tier writes first, for the session's tier to review."""
        is_routed = session.chosen.tier == "standard" and session.request.tier is None
        return is_routed and not session.is_draft and self._tiers.drafter() is not None

    def model(self, session: EditSession, turn: AttemptSpec) -> Model:
        """Return the model for an attempt.

        Raises:
            HeldBackError: If the document must not be sent to it.
        """
        drafter = self._tiers.drafter() if turn.purpose == "draft" else None
        model = drafter or self._tiers.choose(session.chosen.tier).model
        if model.describe().is_model:
            self._refuse_ignored(session)
        return model

    def _refuse_ignored(self, session: EditSession) -> None:
        uri = session.request.uri
        reason = self._ignore_rules.reason(uri, self._workspace.roots)
        if reason is not None:
            name = self._workspace.relative_path(uri)
            raise HeldBackError(f"{name} is not sent to a model: {reason}.")
