"""Describes a configured model without connecting to it."""

from __future__ import annotations

from dataclasses import replace

from redline.models.interface import ModelDescription
from redline.models.known import is_background_host, is_steering_host
from redline.settings.known_models import known_model, reads_images
from redline.settings.providers import provider_named, provider_of_host
from redline.settings.tree import ModelSettings

_LEAST_WINDOW = 1_000
"""As in the settings."""


def narrowed(
    description: ModelDescription, window_n_tokens: int | None
) -> ModelDescription:
    """Return the description of a model that refused a prompt as too long.

    Args:
        description: What was known.
        window_n_tokens: The window as its server says; None: it does not say.
    """
    known = description.context_tokens
    half = max(_LEAST_WINDOW, known // 2)
    found = window_n_tokens if window_n_tokens is not None else half
    return replace(description, context_tokens=min(known, max(_LEAST_WINDOW, found)))


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
