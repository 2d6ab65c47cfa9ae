"""Chooses the model for each attempt of a session, with the reasons.

Where one model fills every tier, the route decides only what is reported about the
task, not where it goes; it is then computed while the request travels.
"""

from __future__ import annotations

from msgspec.structs import replace

from redline.assist.edit.attempts.attempt import AttemptSpec
from redline.assist.edit.session.chosen_tier import Routing
from redline.assist.edit.session.edit_target import EditTarget
from redline.assist.edit.session.result import EditRequest
from redline.assist.edit.session.session import EditSession
from redline.assist.editor.services import EditorServices
from redline.assist.privacy.timely_rules import TimelyRules
from redline.assist.tiers.tier_choice import TIERS
from redline.errors import AttachmentError, InvalidArgumentsError
from redline.models.interface import Model
from redline.prompts.surrounding_lines import enclosing
from redline.routing.route import Route, Tier, route
from redline.routing.tag import Tag
from redline.routing.task import Kind, Task
from redline.text.document import Snapshot
from redline.text.region import Region

NOTHING_NAMED = Tag()

SMALL_LINES = 40
"""Longest range that is drafted with `routing.draft = "small"`."""


class Router:
    """Routes the sessions of one editor."""

    def __init__(self, services: EditorServices) -> None:
        self._workspace = services.workspace
        self._tiers = services.tiers
        self._settings = services.settings
        self._experience = services.experience
        self._ignore_rules = TimelyRules()

    def follow(self, session: EditSession) -> None:
        """Route a session, unless its instruction has been routed."""
        routing, request = session.chosen.routing, session.request
        if (
            routing is None
            or routing.instruction != session.instruction
            or routing.asked != Tag(request.tier, request.model)
            or routing.attachments != request.attachments
        ):
            session.chosen.follow(self.routing(session))

    def routing(self, session: EditSession) -> Routing:
        """Choose the tier for a session's instruction."""
        request = session.request
        route = self.route_of(session, session.instruction)
        return Routing(
            instruction=session.instruction,
            asked=Tag(request.tier, request.model),
            attachments=request.attachments,
            route=route,
            note=self._tiers.choose(route.tier, route.model).note,
        )

    def route_of(self, session: EditSession, instruction: str) -> Route:
        return self.route_for(
            session.request,
            session.edit_target,
            instruction,
            has_images=bool(session.request.attachments),
        )

    def route_for(
        self,
        request: EditRequest,
        edit_target: EditTarget,
        instruction: str,
        *,
        has_images: bool,
    ) -> Route:
        """Return the route of an instruction for a request on a target.

        Raises:
            InvalidArgumentsError: If it names a model that is not configured.
        """
        found = self.route_at(
            edit_target.document.snapshot(),
            edit_target.region,
            instruction,
            first=edit_target.first_line,
            kind=request.kind,
            asked=Tag(request.tier, request.model),
            code=edit_target.code,
        )
        if has_images and not request.has_writer:
            return self._seeing(found)
        return found

    def prepare(self, snapshot: Snapshot, region: Region) -> None:
        """Read a region before its instruction is known, so that routing is faster."""
        if self._tiers.has_choice:
            self.route_at(snapshot, region, "", first=region.first)

    def route_at(
        self,
        snapshot: Snapshot,
        region: Region,
        instruction: str,
        *,
        first: int,
        kind: Kind = "edit",
        asked: Tag = NOTHING_NAMED,
        code: str | None = None,
    ) -> Route:
        """Return the route of an instruction on a region.

        Args:
            snapshot: The document.
            region: The region.
            instruction: What to do.
            first: The region's first line now.
            kind: The kind of action that it comes from.
            asked: The tier or the model that the user named.
            code: The text that is to change; None: all of the region.

        Raises:
            InvalidArgumentsError: If it names a model that is not configured.
        """
        tier, model = asked.tier, asked.model
        if model is not None:
            self._refuse_unknown(model)
            tier = self._tiers.tier_of(model)
        task = Task(
            instruction=instruction,
            path=self._workspace.relative_path(snapshot.uri),
            language=snapshot.language_id,
            code=region.text if code is None else code,
            surroundings=enclosing(snapshot.lines, first, region.lines),
            kind=kind,
        )
        return route(
            task,
            settings=self._settings().routing,
            asked=tier,
            model=model,
            experience=self._experience(),
        )

    def has_choice(self, session: EditSession) -> bool:
        """Whether the route of a session decides which model it goes to."""
        is_named = session.request.model is not None or session.chosen.model is not None
        return is_named or self._tiers.has_choice

    def may_steer(self, session: EditSession, instruction: str) -> bool:
        """Whether an instruction belongs to what the session is written by."""
        if not self.has_choice(session):
            return True
        chosen, found = session.chosen, self.route_of(session, instruction)
        return (found.tier, found.model) == (chosen.tier, chosen.model)

    def is_drafted(self, session: EditSession) -> bool:
        """Whether the draft tier writes first, for the session's tier to review."""
        when = self._settings().routing.draft
        n_lines = len(session.edit_target.region.lines)
        if when == "off" or (when == "small" and n_lines > SMALL_LINES):
            return False
        is_routed = session.chosen.tier == "standard" and not session.request.has_writer
        may_draft = not session.is_draft and not session.request.attachments
        return is_routed and may_draft and self._tiers.drafter() is not None

    async def model(self, session: EditSession, turn: AttemptSpec) -> Model:
        """Return the model for an attempt.

        Raises:
            HeldBackError: If the document must not be sent to it.
            AttachmentError: If there are images to begin with, and it does not read
                them.
        """
        drafter = self._tiers.drafter() if turn.purpose == "draft" else None
        chosen = session.chosen
        model = drafter or self._tiers.choose(chosen.tier, chosen.model).model
        is_described = session.image_description is not None
        if session.request.attachments and turn.repairs is None and not is_described:
            # A model that repairs or reviews has a candidate to work on.
            self._refuse_blind(model)
        if model.describe().is_model:
            await self.refuse_ignored(session.request.uri)
        return model

    async def viewer(self, session: EditSession) -> Model | None:
        """Return the model that describes the images of a routed session.

        None: the session's own model reads them, or no model describes images.

        Raises:
            HeldBackError: If nothing about the document must be sent to a model.
            AttachmentError: If the model of that tier does not read images.
        """
        viewer = self._tiers.viewer()
        chosen = session.chosen
        own = self._tiers.choose(chosen.tier, chosen.model).model.describe()
        if viewer is None or own.reads_images or not own.is_model:
            return None
        described = viewer.describe()
        if not described.reads_images:
            raise AttachmentError(
                f"{described.title}, the model of the tier `vision`, is not known to "
                "read images, so it was not sent the attached one.",
                remedy="Set `vision = true` for it if it does.",
            )
        await self.refuse_ignored(session.request.uri)
        return viewer

    def _seeing(self, found: Route) -> Route:
        """Move a route to the first tier from there up whose model reads images.

        A route stays where it is if another model describes the images.
        """
        if self._tiers.viewer() is not None:
            return found
        for tier in TIERS[TIERS.index(found.tier) :]:
            if self._reads_images(tier):
                if tier == found.tier:
                    return found
                reason = f"The {tier} tier reads the attached image."
                return replace(found, tier=tier, reasons=(reason, *found.reasons))
        return found

    def _reads_images(self, tier: Tier) -> bool:
        return self._tiers.choose(tier).model.describe().reads_images

    def _refuse_unknown(self, model: str) -> None:
        if model not in self._tiers.names:
            names = ", ".join(self._tiers.names) or "none"
            raise InvalidArgumentsError(
                f"No model is named {model!r} in the settings.",
                remedy=f"These are: {names}.",
            )

    def _refuse_blind(self, model: Model) -> None:
        described = model.describe()
        if described.reads_images:
            return
        title = (
            f"Model {described.label} ({described.name})"
            if described.is_model
            else "The built-in rules engine"
        )
        seeing = next(filter(self._reads_images, TIERS), None)
        if seeing is not None:
            other = self._tiers.choose(seeing).model.describe()
            remedy = f"Use {other.label} ({other.name}), which does: add `#{seeing}`."
        else:
            remedy = (
                "Configure a model that reads images, or set `vision = true` for this "
                "one if it does."
            )
        raise AttachmentError(
            f"{title} does not read images, so it was not sent the attached one.",
            remedy=remedy,
        )

    async def refuse_ignored(self, uri: str) -> None:
        """Refuse a document of which nothing must be sent to a model.

        Raises:
            HeldBackError: If it is one.
        """
        name = self._workspace.relative_path(uri)
        await self._ignore_rules.refuse(uri, self._workspace.roots, name)
