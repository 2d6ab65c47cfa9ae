"""The models in use, by tier; settings may change them at any time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from redline.assist.tiers.tier_choice import TIERS, TierChoice
from redline.models.interface import Model
from redline.prompts.rewrite import rewrite_form
from redline.routing.route import Tier
from redline.routing.tag import can_be_tag
from redline.settings.tiers import resolve_tiers
from redline.settings.tree import LimitSettings, ModelSettings, Settings
from redline.supervisor import Supervisor

NO_MODEL = (
    "No model is configured: the built-in rules engine, which is no model, does what "
    "it can. `redline doctor` says how to configure one."
)

BuildModel = Callable[[str, ModelSettings, LimitSettings], Model]
"""Creates a model from its name and settings; does not connect."""


class ModelTiers:
    """Implements `redline.assist.tiers.tier_choice.Tiers`."""

    def __init__(
        self, *, build: BuildModel, build_embedded: Callable[[LimitSettings], Model]
    ) -> None:
        self._build = build
        self._build_embedded = build_embedded
        self._models: dict[str, Model] = {}
        self._built_from: dict[str, tuple[ModelSettings, LimitSettings]] = {}
        self._automatic: dict[tuple[str, str], Model] = {}
        """The models of completions and of next edits, by use and name: each has
        connections of its own."""
        self._embedded: Model | None = None
        self._settings = Settings()
        self._resolved = resolve_tiers(self._settings)
        self._origin: str | None = None
        self._choices: dict[Tier, TierChoice] = {}
        """Choices made since the last `configure`: each edit needs some."""
        self._has_choice: bool | None = None
        """The same, for `has_choice`."""
        self._configured = asyncio.Event()
        """Unset while new settings are read, too."""
        self._was_configured = False
        self._supervisor = Supervisor()
        self._wasted_n_tokens = 0

    @property
    def models(self) -> tuple[Model, ...]:
        """Every model that may have a connection."""
        embedded = () if self._embedded is None else (self._embedded,)
        return (*self._models.values(), *self._automatic.values(), *embedded)

    @property
    def advice(self) -> tuple[str, ...]:
        """What slows down the connections to models, and what to do about it."""
        found = (model.status().advice for model in self.models)
        return tuple(dict.fromkeys(advice for advice in found if advice))

    @property
    def wasted_n_tokens(self) -> int:
        """Estimated tokens of stopped generations since the start."""
        now = sum(model.status().wasted_n_tokens for model in self.models)
        return self._wasted_n_tokens + now

    def configure(self, settings: Settings, *, origin: str | None = None) -> None:
        """Apply settings; models with unchanged settings stay connected.

        Args:
            settings: The models and tiers to use; without models: the rules engine.
            origin: Where they came from if not from the user's settings, for people.
        """
        if settings != self._settings:
            for model in self._automatic.values():
                self._retire(model)
            self._automatic.clear()
        self._settings = settings
        self._resolved = resolve_tiers(settings)
        self._origin = origin
        self._forget_choices()
        wanted = {
            label: (model, settings.limits) for label, model in settings.models.items()
        }
        for label in list(self._models):
            if wanted.get(label) != self._built_from[label]:
                self._retire(self._models.pop(label))
        for label, built_from in wanted.items():
            if label not in self._models:
                self._models[label] = self._build(label, *built_from)
        self._built_from = wanted
        if wanted and self._embedded is not None:
            self._retire(self._embedded)
            self._embedded = None
        self._was_configured = True
        self._configured.set()

    def expect_settings(self) -> None:
        """Have new requests wait for the settings that are being read."""
        self._configured.clear()

    def keep_settings(self) -> None:
        """Go on with the settings before, since new ones could not be read."""
        if self._was_configured:
            self._configured.set()

    @property
    def is_ready(self) -> bool:
        """Whether the settings are applied, and no others are being read."""
        return self._configured.is_set()

    async def ready(self) -> None:
        """Wait until the settings are applied."""
        await self._configured.wait()

    def choose(self, tier: Tier, named: str | None = None) -> TierChoice:
        """Return the model of a tier, or of the tier that replaces it; or the named
        one."""
        if named is not None and (model := self._models.get(named)) is not None:
            return TierChoice(model=model, note=self._origin)
        if (choice := self._choices.get(tier)) is None:
            choice = self._choices[tier] = self._choice(tier)
        return choice

    def _choice(self, tier: Tier) -> TierChoice:
        resolved = self._resolved[tier]
        if resolved.label is None or resolved.label not in self._models:
            return TierChoice(model=self._rules(), note=NO_MODEL)
        return TierChoice(
            model=self._models[resolved.label],
            note=resolved.note or self._origin,
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(filter(can_be_tag, self._settings.models))

    def tier_of(self, name: str) -> Tier:
        filled = (tier for tier in TIERS if self._resolved[tier].label == name)
        return max(filled, key=TIERS.index, default="standard")

    @property
    def has_choice(self) -> bool:
        if self._has_choice is None:
            models = {id(self.choose(tier).model) for tier in TIERS}
            self._has_choice = len(models) > 1 or self.drafter() is not None
        return self._has_choice

    def _forget_choices(self) -> None:
        self._choices.clear()
        self._has_choice = None

    def drafter(self) -> Model | None:
        label = self._resolved["draft"].label
        return None if label is None else self._models.get(label)

    def viewer(self) -> Model | None:
        label = self._resolved["vision"].label
        return None if label is None else self._models.get(label)

    def completer(self, language: str) -> Model | None:
        """Return the model of completions in a language; None: there is no model.

        It has connections of its own, so that completions never slow down an edit.
        """
        complete = self._settings.complete
        label = complete.languages.get(language) or complete.model
        return self._automatic_model("completions", label, complete.effort)

    def next_editor(self, language: str) -> Model | None:
        """Return the model of next edits in a language; None: there is no model.

        It has connections of its own, too. One that only fills in the middle knows no
        form of an answer, unless its family rewrites lines.
        """
        settings = self._settings.next_edit
        label = settings.languages.get(language) or settings.model
        model = self._automatic_model("next edits", label, settings.effort)
        if model is None:
            return None
        described = model.describe()
        is_able = described.api != "fim" or rewrite_form(described.name) is not None
        return model if is_able else None

    def _automatic_model(
        self, use: str, label: str | None, effort: str | None
    ) -> Model | None:
        """Return the model of a use by its name; None: the fast tier's."""
        label = label or self._resolved["fast"].label
        if label is None or label not in self._models:
            return None
        if (model := self._automatic.get((use, label))) is None:
            settings = automatic_settings(self._settings.models[label], effort)
            model = self._build(label, settings, self._settings.limits)
            self._automatic[use, label] = model
            self._supervisor.start(model.warm(), name=f"warm the model of {use}")
        return model

    def warm(self) -> None:
        """Connect the fast tier's model before it is needed."""
        model = self.choose("fast").model
        self._supervisor.start(model.warm(), name="warm the fast tier")

    def activity(self) -> None:
        """Report that the developer is at work."""
        if self.is_ready:
            self.choose("fast").model.activity()
            for model in self._automatic.values():
                model.activity()

    async def aclose(self) -> None:
        for model in self.models:
            self._retire(model)
        self._models.clear()
        self._automatic.clear()
        self._forget_choices()
        self._embedded = None
        await self._supervisor.wait(limit_s=_CLOSE_LIMIT_S)
        await self._supervisor.aclose(limit_s=_CLOSE_LIMIT_S)

    def _rules(self) -> Model:
        if self._embedded is None:
            self._embedded = self._build_embedded(self._settings.limits)
        return self._embedded

    def _retire(self, model: Model) -> None:
        self._wasted_n_tokens += model.status().wasted_n_tokens
        name = f"close {model.describe().label}"
        self._supervisor.start(model.aclose(), name=name)


def automatic_settings(settings: ModelSettings, effort: str | None) -> ModelSettings:
    """Return a model's settings for requests that nobody made: one socket, and little
    reasoning."""
    effort = effort or ("none" if settings.effort else None)
    return msgspec.structs.replace(settings, sockets=1, effort=effort)


_CLOSE_LIMIT_S = 4.0
"""The gateway's child process gets two seconds to end on its own."""
