"""Describes a configured model, by its settings and its host, without connecting."""

from __future__ import annotations

from msgspec.structs import replace

from redline.models.failures import is_too_long, window_in
from redline.models.formats.wire_format import OfferedModel
from redline.models.interface import ModelDescription
from redline.settings.known_models import known_model, reads_images
from redline.settings.provider import is_host_of
from redline.settings.providers import provider_named, provider_of_host
from redline.settings.tree import ModelSettings
from redline.wire.events import ResponseObject
from redline.wire.failure import Failure

_LEAST_WINDOW = 1_000
"""As in the settings."""


_BACKGROUND_HOSTS = (
    *("api.openai.com", ".api.openai.com", ".openai.azure.com"),
    "generativelanguage.googleapis.com",
)
"""Hosts that document background answers which can be streamed again (background guide
of OpenAI, and of Azure OpenAI; Interactions of Gemini); a dot stands for any
subdomain."""

_STEERING_HOSTS = ("api.openai.com", ".api.openai.com")
"""Hosts that document `response.steer`. Others that serve the same models handle it
differently."""


def is_background_host(host: str) -> bool:
    """Say whether a provider is known to support background responses.

    Args:
        host: With or without a port.
    """
    return is_host_of(host, _BACKGROUND_HOSTS)


def is_steering_host(host: str) -> bool:
    """Say whether a provider is known to accept steers, if the model supports them.

    Args:
        host: With or without a port.
    """
    return is_host_of(host, _STEERING_HOSTS)


class LearntDescription:
    """The description of one model, corrected by what its server says."""

    def __init__(
        self, description: ModelDescription, *, asks_background: bool = False
    ) -> None:
        """Begin.

        Args:
            description: What the settings and our tables say.
            asks_background: Whether the first background request shows if the server
                keeps background responses; until then it is assumed.
        """
        self.title = description.title
        """The model, for messages; nothing that is learnt changes it."""
        self._asks_background = asks_background
        self._current = description

    @property
    def current(self) -> ModelDescription:
        return self._current

    def note_failure(self, failure: Failure) -> None:
        """Narrow the window if the server refused a prompt as too long."""
        if self._current.is_model and is_too_long(failure):
            half = self._current.context_tokens // 2
            window = window_in(failure)
            self._narrow(half if window is None else window)

    def note_offered(self, offered: OfferedModel) -> None:
        """Take the server's own description of the model.

        A larger window is not used: it would take more memory than the settings allow.
        """
        if offered.context_tokens is not None:
            self._narrow(offered.context_tokens)

    def note_created(self, response: ResponseObject) -> bool:
        """Learn from a response whether a server keeps what it was asked to keep.

        Returns:
            Whether it keeps background responses.
        """
        if self._asks_background and not response.background:
            self.note_no_background()
        self._asks_background = False
        return self._current.keeps_background

    def note_no_background(self) -> None:
        """Record that the server keeps no background responses."""
        self._current = replace(self._current, keeps_background=False)

    def _narrow(self, n_tokens: int) -> None:
        window = min(self._current.context_tokens, max(_LEAST_WINDOW, n_tokens))
        self._current = replace(self._current, context_tokens=window)


def describe_model(
    label: str, settings: ModelSettings, *, host: str
) -> ModelDescription:
    """Combine the settings with the table of known models."""
    known = known_model(settings.name)
    steer, background = settings.steer, settings.background
    provider = provider_named(settings.provider) or provider_of_host(host)
    is_steered = bool(known and known.can_steer) and is_steering_host(host)
    return ModelDescription(
        label=label,
        name=settings.name,
        api=settings.api,
        host=host,
        provider=provider.title if provider else None,
        context_tokens=settings.context_tokens,
        can_steer=is_steered if steer is None else steer,
        reads_images=(
            reads_images(settings.name) if settings.vision is None else settings.vision
        ),
        keeps_background=is_background_host(host) if background is None else background,
        input_price=known.input_price if known else None,
        cached_price=known.cached_price if known else None,
        output_price=known.output_price if known else None,
    )
