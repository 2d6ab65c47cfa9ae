"""Defaults of known models, and of providers whose key is found.

No model name is written anywhere else in the server. Figures are from the providers'
own pages, autumn 2026. They are defaults for display and budgets, not for billing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from redline.settings.tree import (
    Api,
    KeySource,
    ModelSettings,
    TierName,
    TierSettings,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """What is known of one model."""

    context_tokens: int
    max_output_tokens: int = 16_000
    can_steer: bool = False
    """Whether the provider documents `response.steer` for it."""
    input_price: float | None = None
    """US dollars for a million input tokens; None: unknown, or paid by a plan."""
    cached_price: float | None = None
    output_price: float | None = None
    effort: str | None = None
    """Reasoning effort to request if the settings name none."""


def _priced(
    context_tokens: int,
    prices: tuple[float, float | None, float],
    *,
    can_steer: bool = False,
    effort: str | None = None,
) -> KnownModel:
    return KnownModel(
        context_tokens=context_tokens,
        can_steer=can_steer,
        input_price=prices[0],
        cached_price=prices[1],
        output_price=prices[2],
        effort=effort,
    )


KNOWN_MODELS: Mapping[str, KnownModel] = {
    # OpenAI. Steering is documented for the GPT-6 family only.
    "gpt-5.3-codex-spark": KnownModel(context_tokens=128_000),
    "gpt-5.3-codex": _priced(272_000, (1.75, 0.175, 14.0)),
    "gpt-6-luna": _priced(922_000, (0.10, 0.01, 0.50), can_steer=True, effort="none"),
    "gpt-6.1-terra": _priced(922_000, (1.0, 0.05, 5.0), can_steer=True),
    "gpt-6.1-sol": _priced(922_000, (2.0, 0.10, 10.0), can_steer=True),
    "gpt-6-astra": _priced(922_000, (10.0, 1.0, 50.0), can_steer=True),
    # xAI.
    "grok-4.7": _priced(500_000, (2.0, 0.5, 6.0)),
    "grok-4.6": _priced(500_000, (2.0, 0.5, 6.0)),
    "grok-build-latest": _priced(500_000, (2.0, 0.3, 6.0)),
    "grok-4.20": _priced(1_000_000, (1.25, 0.2, 2.5)),
    # MiniMax, which serves the Responses format. Sources disagree on its context
    # window; this is the smallest figure.
    "MiniMax-M2.5": _priced(200_000, (0.30, 0.03, 1.20)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultModel:
    """The model that fills a tier if only a provider's key is found."""

    name: str
    effort: str | None = None
    sockets: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderDefaults:
    """The models that one provider's key in the environment enables."""

    env: str
    """The environment variable that holds the key."""
    provider: str
    """The provider's name for display."""
    url: str
    tiers: Mapping[TierName, DefaultModel]
    api: Api = "responses-socket"
    max_age_s: float = 3_300.0
    """Below the provider's limit on a socket's age."""

    def models(self) -> dict[str, ModelSettings]:
        """Return the settings of the default models, by tier name."""
        return {tier: self._settings(model) for tier, model in self.tiers.items()}

    def tier_settings(self) -> TierSettings:
        """Return the tiers that refer to `models`."""
        return TierSettings(**{tier: tier for tier in self.tiers})

    def _settings(self, model: DefaultModel) -> ModelSettings:
        known = known_model(model.name)
        return ModelSettings(
            api=self.api,
            url=self.url,
            name=model.name,
            key=KeySource(env=self.env),
            context_tokens=known.context_tokens if known else 128_000,
            effort=model.effort or (known.effort if known else None),
            sockets=model.sockets,
            max_age_s=self.max_age_s,
        )


PROVIDERS: tuple[ProviderDefaults, ...] = (
    # `gpt-5.3-codex-spark` is the fastest, but a key alone gives no access to it, so
    # only the settings can select it.
    ProviderDefaults(
        env="OPENAI_API_KEY",
        provider="OpenAI",
        url="wss://api.openai.com/v1/responses",
        tiers={
            "fast": DefaultModel(name="gpt-6-luna", sockets=2),
            "standard": DefaultModel(name="gpt-6.1-terra"),
            "deep": DefaultModel(name="gpt-6.1-sol", effort="high"),
        },
    ),
    ProviderDefaults(
        env="XAI_API_KEY",
        provider="xAI",
        url="wss://api.x.ai/v1/responses",
        tiers={
            "fast": DefaultModel(name="grok-4.20", sockets=2),
            "standard": DefaultModel(name="grok-build-latest"),
            "deep": DefaultModel(name="grok-4.7"),
        },
        # 25 minutes at most (docs.x.ai, "WebSocket mode").
        max_age_s=1_200.0,
    ),
    ProviderDefaults(
        env="AI_GATEWAY_API_KEY",
        provider="Vercel AI Gateway",
        url="wss://ai-gateway.vercel.sh/v1/responses",
        tiers={
            "fast": DefaultModel(name="openai/gpt-6-luna", sockets=2),
            "standard": DefaultModel(name="openai/gpt-6.1-terra"),
            "deep": DefaultModel(name="openai/gpt-6.1-sol", effort="high"),
        },
        # About 13 minutes at most (vercel.com/docs/ai-gateway, "WebSockets").
        max_age_s=600.0,
    ),
)
"""In the order in which their keys are searched for."""

_BACKGROUND_HOSTS = ("api.openai.com", ".api.openai.com", ".openai.azure.com")
"""Hosts that document background responses which can be streamed again (background
guide of OpenAI, and of Azure OpenAI); a dot stands for any subdomain."""

_STEERING_HOSTS = ("api.openai.com", ".api.openai.com")
"""Hosts that document `response.steer`. Others that serve the same models handle it
differently."""

_CODING_WORDS = ("coder", "codestral", "devstral", "starcoder", "codellama", "code")
_NO_GENERATION_WORDS = ("embed", "rerank", "whisper", "clip", "tts")


def known_model(name: str) -> KnownModel | None:
    """Look up a model by its name at the provider, ignoring prefixes like `openai/`."""
    return KNOWN_MODELS.get(name) or KNOWN_MODELS.get(name.rpartition("/")[2])


def provider_of_key(environ: Mapping[str, str]) -> ProviderDefaults | None:
    """Find the first provider whose key is in the environment."""
    for provider in PROVIDERS:
        if environ.get(provider.env, "").strip():
            return provider
    return None


def is_background_host(host: str) -> bool:
    """Say whether a provider is known to support background responses.

    Args:
        host: With or without a port.
    """
    return _is_one_of(host, _BACKGROUND_HOSTS)


def is_steering_host(host: str) -> bool:
    """Say whether a provider is known to accept steers, if the model supports them.

    Args:
        host: With or without a port.
    """
    return _is_one_of(host, _STEERING_HOSTS)


def coding_model(names: tuple[str, ...]) -> str | None:
    """Choose among a local server's models: one made for code, else the first.

    Args:
        names: Names as the server lists them; embedding models and the like are
            skipped.
    """
    writers = [
        name
        for name in names
        if not any(word in name.lower() for word in _NO_GENERATION_WORDS)
    ]
    for word in _CODING_WORDS:
        for name in writers:
            if word in name.lower():
                return name
    return writers[0] if writers else None


def _is_one_of(host: str, hosts: tuple[str, ...]) -> bool:
    name = host.partition(":")[0].lower()
    return any(
        name.endswith(known) if known.startswith(".") else name == known
        for known in hosts
    )
