"""Models that are there without being configured.

The order: a provider's key in the environment, then a local server. Finding none means
the built-in rules engine, which is another room's matter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

import msgspec

from redline.models.known import provider_of_key
from redline.settings.load import Loaded
from redline.settings.tree import Settings, TierSettings

LOCAL_LABEL = "local"
"""The name, in the settings, of a local server's model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovered:
    """Settings with the models that were found."""

    settings: Settings
    """As given, with models and tiers filled in; as given if nothing was found."""
    origin: str | None = None
    """Where the models are from: `from OPENAI_API_KEY`; None: none were looked for or
    found."""


async def discover(loaded: Loaded, environ: Mapping[str, str]) -> Discovered:
    """Look for models where none are configured.

    Not where `loaded.wants_models`: a broken configuration must not be replaced by a
    provider that its owner did not choose. Never takes longer than local servers may
    take to answer, never blocks the loop, and is safe to cancel.

    Args:
        loaded: The settings in force.
        environ: The environment, for providers' keys.
    """
    settings = loaded.settings
    if loaded.wants_models:
        return Discovered(settings=settings)
    if provider := provider_of_key(environ):
        return Discovered(
            settings=msgspec.structs.replace(
                settings, models=provider.models(), tiers=provider.tier_settings()
            ),
            origin=f"from {provider.env}",
        )
    return await _find_local(settings)


async def _find_local(settings: Settings) -> Discovered:
    # In a thread: httpx takes 0.1 s to import, and the editor may be typing already.
    await asyncio.to_thread(import_module, "redline.models.local_servers")
    from redline.models.local_servers import find_local_server

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
