"""The keys of providers in the environment, and the models that they give access to."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from redline.settings.providers import PROVIDERS, provider_named
from redline.settings.tree import KeySource, ModelSettings, TierName, TierSettings

_BEST_AT: Mapping[TierName, tuple[str, ...]] = {
    "fast": ("cerebras", "groq", "openai", "xai", "vercel", "anthropic", "gemini"),
    # Responses that OpenAI keeps survive a restart of the editor.
    "deep": ("openai", "anthropic", "gemini", "xai", "vercel"),
    "standard": ("anthropic", "openai", "gemini", "xai", "vercel"),
}
"""Which provider fills a tier if keys of several are found, the best first. The rest
follow in the order of the table."""


class FoundModels(Struct, frozen=True, kw_only=True):
    """The models that keys in the environment give access to."""

    models: Mapping[str, ModelSettings]
    """By tier."""
    tiers: TierSettings
    env: tuple[str, ...]
    """The variables whose keys are used, in the order of the tiers."""


def key_source(settings: ModelSettings, environ: Mapping[str, str]) -> KeySource | None:
    """Return where a model's key is, by the environment.

    A key of the table is in any variable of its provider; a model elsewhere has only
    the source that its settings name.
    """
    provider = provider_named(settings.provider)
    is_of_table = (
        provider is not None
        and settings.key == provider.key
        and provider.is_own_url(settings.url)
    )
    if provider is None or not is_of_table:
        return settings.key
    env = provider.found_env(environ)
    return settings.key if env is None else KeySource(env=env)


def models_of_keys(environ: Mapping[str, str]) -> FoundModels | None:
    """Fill the tiers from the keys in the environment; None if there is no key."""
    found = {
        each.id: (each, env)
        for each in PROVIDERS
        if each.tiers and (env := each.found_env(environ))
    }
    if not found:
        return None
    models: dict[str, ModelSettings] = {}
    used: dict[str, None] = {}
    for tier in ("fast", "standard", "deep"):
        best = [name for name in _BEST_AT[tier] if name in found]
        provider, env = found[(*best, *found)[0]]
        models[tier] = provider.model(provider.tiers[tier], env=env)
        used[env] = None
    return FoundModels(
        models=models,
        tiers=TierSettings(fast="fast", standard="standard", deep="deep"),
        env=tuple(used),
    )
