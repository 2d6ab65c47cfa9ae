"""Which models are used: the configured ones, else what is there.

The order: the settings, a provider's key in the environment, a local server. Finding
none means the built-in rules engine, which is another room's matter.
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
    """Settings with at least one model."""

    settings: Settings
    origin: str
    """Where the models are from, for the status: `from OPENAI_API_KEY`."""


async def find_models(
    loaded: Loaded, *, environ: Mapping[str, str]
) -> Discovered | None:
    """Find the models to use, without changing what the settings say.

    Never longer than a local server's answer may take, and never blocking the loop.
    Safe to cancel.

    Args:
        loaded: The settings in force.
        environ: The environment, for providers' keys.

    Returns:
        None if there is no model: nothing was found, or models are configured but none
        of them can be used, in which case nothing takes their place.
    """
    settings = loaded.settings
    if settings.models:
        return Discovered(settings=settings, origin="from the settings")
    if loaded.wants_models:
        return None
    if provider := provider_of_key(environ):
        return Discovered(
            settings=msgspec.structs.replace(
                settings, models=provider.models(), tiers=provider.tier_settings()
            ),
            origin=f"from {provider.env}",
        )
    return await _find_local(settings)


async def _find_local(settings: Settings) -> Discovered | None:
    # In a thread: httpx takes 0.1 s to import, and the editor may be typing already.
    await asyncio.to_thread(import_module, "redline.models.local_servers")
    from redline.models.local_servers import find_local_server

    found = await find_local_server()
    if found is None:
        return None
    return Discovered(
        settings=msgspec.structs.replace(
            settings,
            models={LOCAL_LABEL: found.settings()},
            tiers=TierSettings(fast=LOCAL_LABEL),
        ),
        origin=f"from {found.server.name} on {found.server.address}",
    )
