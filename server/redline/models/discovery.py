"""Finds models that are available without configuration.

The order: keys of providers in the environment, then a local server. If there is none,
the caller uses the built-in rules engine.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from redline.models.local_servers import find_local_server
from redline.settings.load import Loaded
from redline.settings.provider_keys import models_of_keys
from redline.settings.tree import Settings, TierSettings

LOCAL_LABEL = "local"
"""The name, in the settings, of a local server's model."""


class Discovered(Struct, frozen=True, kw_only=True):
    """Settings with the models that were found."""

    settings: Settings
    """The given settings, with models and tiers added if any were found."""
    origin: str | None = None
    """Where the models come from, such as `from OPENAI_API_KEY`; None: none were
    searched for or found."""


async def discover(loaded: Loaded, environ: Mapping[str, str]) -> Discovered:
    """Look for models where none are configured.

    If `loaded.wants_models`, nothing is searched: a broken configuration must not be
    replaced by a provider that the user did not choose. Takes at most as long as local
    servers may take to answer, never blocks the loop, and is safe to cancel.
    """
    settings = loaded.settings
    if loaded.wants_models:
        return Discovered(settings=settings)
    if found := models_of_keys(environ):
        return Discovered(
            settings=msgspec.structs.replace(
                settings, models=dict(found.models), tiers=found.tiers
            ),
            origin=f"from {' and '.join(found.env)}",
        )
    return await _find_local(settings)


async def _find_local(settings: Settings) -> Discovered:
    found = await find_local_server()
    if found is None:
        return Discovered(settings=settings)
    return Discovered(
        settings=msgspec.structs.replace(
            settings,
            models={LOCAL_LABEL: found.settings()},
            tiers=TierSettings(fast=LOCAL_LABEL),
        ),
        origin=f"from {found.server.name} on {found.server.address}",
    )
