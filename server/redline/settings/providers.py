"""The table of providers: where each is, where its key is found, and its defaults.

`docs/reference/providers.md` is held to it. A model's settings that name a provider
need no `api`, `url` or `key`; each may still be given. A key from the table goes only
to the provider's own hosts; that of a team's gateway goes to the `url` of the settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field

from redline.settings.known_models import (
    SAFE_CONTEXT_TOKENS,
    SAFE_OUTPUT_TOKENS,
    known_model,
)
from redline.settings.tree import Api, KeySource, ModelSettings, TierName, TierSettings

TEAM_GATEWAY = "redline-gateway"
"""The provider that is Redline's own gateway."""


class DefaultModel(Struct, frozen=True, kw_only=True):
    """The model that fills a tier if only a provider's key is found."""

    name: str
    effort: str | None = None
    sockets: int = 1


class Provider(Struct, frozen=True, kw_only=True):
    """One provider of models, or a server that people run themselves."""

    id: str
    """Its name in the settings."""
    title: str
    """Its name for people."""
    endpoints: Mapping[Api, str]
    """The url of each wire format; the first is the default."""
    more_hosts: tuple[str, ...] = ()
    """Hosts besides those of its endpoints; a leading dot stands for any subdomain."""
    env: tuple[str, ...] = ()
    """Environment variables that may hold its key, the usual one first. Empty: it runs
    on this machine and needs no key."""
    tiers: Mapping[TierName, DefaultModel] = field(default_factory=dict)
    """The default model of each tier, for the tiers that it fills by itself."""
    is_at_any_url: bool = False
    """Whether its url is the user's own: its key goes where the settings say."""
    max_age_s: float | None = None
    """Below the provider's limit on a socket's age; None: as in the settings."""

    @property
    def api(self) -> Api:
        """The wire format that is used unless the settings name another."""
        return next(iter(self.endpoints))

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that are known as its own; empty: it has none."""
        if self.is_at_any_url:
            return ()
        own = (urlsplit(url).hostname or "" for url in self.endpoints.values())
        return tuple(dict.fromkeys((*own, *self.more_hosts))) if self.env else ()

    @property
    def key(self) -> KeySource | None:
        """Where its key is, unless the settings say otherwise."""
        return KeySource(env=self.env[0]) if self.env else None

    def found_env(self, environ: Mapping[str, str]) -> str | None:
        """Return the variable that holds a key; None if there is none."""
        return next((name for name in self.env if environ.get(name, "").strip()), None)

    def is_own_url(self, url: str) -> bool:
        """Say whether its key may be sent to a url."""
        if self.is_at_any_url:
            return True
        try:
            return is_host_of(urlsplit(url).hostname or "", self.hosts)
        except ValueError:
            return False

    def model(self, default: DefaultModel, *, env: str) -> ModelSettings:
        """Return the settings of a default model, whose key is in a variable."""
        given: dict[str, object] = {"sockets": default.sockets}
        if default.effort is not None:
            given["effort"] = default.effort
        return self.settings(default.name, env=env, **given)

    def settings(self, name: str, *, env: str | None, **given: object) -> ModelSettings:
        """Return the settings of any model of this provider.

        Args:
            name: The model's name at the provider.
            env: The variable that holds the key; None: the usual one, if any.
            given: Settings that differ from the defaults.
        """
        given = {"name": name, "provider": self.id, **given}
        if env is not None:
            given["key"] = KeySource(env=env)
        return msgspec.convert({**self.defaults(given), **given}, ModelSettings)

    def defaults(self, given: Mapping[str, object]) -> dict[str, object]:
        """Return the settings of a model that are not given, as far as it has some.

        Args:
            given: The model's own settings, valid values by name.
        """
        found: dict[str, object] = {"api": self.api}
        for api, endpoint in self.endpoints.items():
            if api == given.get("api", self.api):
                found["url"] = endpoint
        url = given.get("url", found.get("url"))
        if self.key is not None and isinstance(url, str) and self.is_own_url(url):
            found["key"] = self.key
        known = known_model(str(given.get("name", "")))
        found["context_tokens"] = known.context_tokens if known else SAFE_CONTEXT_TOKENS
        found["max_output_tokens"] = (
            known.max_output_tokens if known else SAFE_OUTPUT_TOKENS
        )
        if known and known.effort:
            found["effort"] = known.effort
        if self.max_age_s is not None:
            found["max_age_s"] = self.max_age_s
        return found


def is_host_of(host: str, hosts: tuple[str, ...]) -> bool:
    """Say whether a host is one of several.

    Args:
        host: With or without a port.
        hosts: Names; a leading dot stands for any subdomain.
    """
    name = host.partition(":")[0].lower()
    return any(
        name.endswith(known) if known.startswith(".") else name == known
        for known in hosts
    )


def _chat(base: str) -> dict[Api, str]:
    return {"chat-completions": f"{base}/chat/completions"}


PROVIDERS: tuple[Provider, ...] = (
    # `gpt-5.3-codex-spark` is the fastest, but a key alone gives no access to it, so
    # only the settings can select it.
    Provider(
        id="openai",
        title="OpenAI",
        endpoints={
            "responses-socket": "wss://api.openai.com/v1/responses",
            "responses-http": "https://api.openai.com/v1/responses",
            **_chat("https://api.openai.com/v1"),
        },
        more_hosts=(".api.openai.com",),
        env=("OPENAI_API_KEY",),
        tiers={
            "fast": DefaultModel(name="gpt-6-luna", sockets=2),
            "standard": DefaultModel(name="gpt-6.1-terra"),
            "deep": DefaultModel(name="gpt-6.1-sol", effort="high"),
        },
    ),
    Provider(
        id="anthropic",
        title="Anthropic",
        endpoints={"anthropic": "https://api.anthropic.com/v1/messages"},
        env=("ANTHROPIC_API_KEY",),
        tiers={
            "fast": DefaultModel(name="claude-haiku-5-5"),
            "standard": DefaultModel(name="claude-sonnet-5-5"),
            "deep": DefaultModel(name="claude-opus-5-5", effort="high"),
        },
    ),
    Provider(
        id="gemini",
        title="Google Gemini",
        endpoints={"gemini": "https://generativelanguage.googleapis.com/v1beta"},
        env=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        tiers={
            "fast": DefaultModel(name="gemini-3.8-flash", effort="low"),
            "standard": DefaultModel(name="gemini-4-argon"),
            "deep": DefaultModel(name="gemini-4-argon", effort="high"),
        },
    ),
    Provider(
        id="xai",
        title="xAI",
        endpoints={
            "responses-socket": "wss://api.x.ai/v1/responses",
            "responses-http": "https://api.x.ai/v1/responses",
            **_chat("https://api.x.ai/v1"),
        },
        env=("XAI_API_KEY",),
        tiers={
            "fast": DefaultModel(name="grok-4.20", sockets=2),
            "standard": DefaultModel(name="grok-build-latest"),
            "deep": DefaultModel(name="grok-4.7"),
        },
        # 25 minutes at most (docs.x.ai, "WebSocket mode").
        max_age_s=1_200.0,
    ),
    Provider(
        id="vercel",
        title="Vercel AI Gateway",
        endpoints={"responses-socket": "wss://ai-gateway.vercel.sh/v1/responses"},
        env=("AI_GATEWAY_API_KEY",),
        tiers={
            "fast": DefaultModel(name="openai/gpt-6-luna", sockets=2),
            "standard": DefaultModel(name="openai/gpt-6.1-terra"),
            "deep": DefaultModel(name="openai/gpt-6.1-sol", effort="high"),
        },
        # About 13 minutes at most (vercel.com/docs/ai-gateway, "WebSockets").
        max_age_s=600.0,
    ),
    Provider(
        id="cerebras",
        title="Cerebras",
        endpoints=_chat("https://api.cerebras.ai/v1"),
        env=("CEREBRAS_API_KEY",),
        tiers={
            "fast": DefaultModel(name="gpt-oss-120b", effort="low"),
            "standard": DefaultModel(name="gpt-oss-120b", effort="medium"),
            "deep": DefaultModel(name="gpt-oss-120b", effort="high"),
        },
    ),
    Provider(
        id="groq",
        title="Groq",
        endpoints=_chat("https://api.groq.com/openai/v1"),
        env=("GROQ_API_KEY",),
        tiers={
            "fast": DefaultModel(name="openai/gpt-oss-120b", effort="low"),
            "standard": DefaultModel(name="openai/gpt-oss-120b", effort="medium"),
            "deep": DefaultModel(name="openai/gpt-oss-120b", effort="high"),
        },
    ),
    Provider(
        id="mistral",
        title="Mistral",
        endpoints={
            **_chat("https://api.mistral.ai/v1"),
            "fim": "https://api.mistral.ai/v1/fim/completions",
        },
        env=("MISTRAL_API_KEY",),
        tiers={
            "fast": DefaultModel(name="codestral-latest"),
            "standard": DefaultModel(name="mistral-large-4"),
            "deep": DefaultModel(name="mistral-large-4", effort="high"),
        },
    ),
    Provider(
        id="codestral",
        title="Codestral",
        endpoints={
            "fim": "https://codestral.mistral.ai/v1/fim/completions",
            **_chat("https://codestral.mistral.ai/v1"),
        },
        env=("CODESTRAL_API_KEY",),
    ),
    Provider(
        id="deepseek",
        title="DeepSeek",
        endpoints={
            **_chat("https://api.deepseek.com"),
            "responses-http": "https://api.deepseek.com/responses",
            "anthropic": "https://api.deepseek.com/anthropic/v1/messages",
            "fim": "https://api.deepseek.com/beta/completions",
        },
        env=("DEEPSEEK_API_KEY",),
        tiers={
            "fast": DefaultModel(name="deepseek-v4-flash", effort="none"),
            "standard": DefaultModel(name="deepseek-v4-pro", effort="none"),
            "deep": DefaultModel(name="deepseek-v4-pro", effort="high"),
        },
    ),
    Provider(
        id="zai",
        title="Z.ai",
        endpoints=_chat("https://api.z.ai/api/paas/v4"),
        env=("ZAI_API_KEY",),
        tiers={
            "fast": DefaultModel(name="glm-5.3-flash", effort="low"),
            "standard": DefaultModel(name="glm-5.3", effort="low"),
            "deep": DefaultModel(name="glm-5.3", effort="max"),
        },
    ),
    Provider(
        id="minimax",
        title="MiniMax",
        endpoints={
            **_chat("https://api.minimax.io/v1"),
            "responses-http": "https://api.minimax.io/v1/responses",
            "anthropic": "https://api.minimax.io/anthropic/v1/messages",
        },
        more_hosts=("api.minimaxi.com",),
        env=("MINIMAX_API_KEY",),
        tiers={
            "fast": DefaultModel(name="MiniMax-M2.5-highspeed"),
            "standard": DefaultModel(name="MiniMax-M2.5"),
            "deep": DefaultModel(name="MiniMax-M2.5"),
        },
    ),
    Provider(
        id="openrouter",
        title="OpenRouter",
        endpoints={
            **_chat("https://openrouter.ai/api/v1"),
            "responses-http": "https://openrouter.ai/api/v1/responses",
            "anthropic": "https://openrouter.ai/api/v1/messages",
        },
        env=("OPENROUTER_API_KEY",),
        tiers={
            "fast": DefaultModel(name="openai/gpt-oss-120b", effort="low"),
            "standard": DefaultModel(name="openai/gpt-6.1-terra"),
            "deep": DefaultModel(name="openai/gpt-6.1-sol", effort="high"),
        },
    ),
    Provider(
        id="together",
        title="Together",
        endpoints=_chat("https://api.together.xyz/v1"),
        env=("TOGETHER_API_KEY",),
        tiers={
            "fast": DefaultModel(name="openai/gpt-oss-120b", effort="low"),
            "standard": DefaultModel(name="openai/gpt-oss-120b", effort="medium"),
            "deep": DefaultModel(name="openai/gpt-oss-120b", effort="high"),
        },
    ),
    Provider(
        id="fireworks",
        title="Fireworks",
        endpoints=_chat("https://api.fireworks.ai/inference/v1"),
        env=("FIREWORKS_API_KEY",),
    ),
    Provider(
        id="inception",
        title="Inception",
        endpoints={
            **_chat("https://api.inceptionlabs.ai/v1"),
            "fim": "https://api.inceptionlabs.ai/v1/fim/completions",
        },
        env=("INCEPTION_API_KEY",),
    ),
    # Servers that people run themselves, at their usual ports.
    Provider(
        id=TEAM_GATEWAY,
        title="Redline gateway",
        endpoints={
            "responses-socket": "ws://127.0.0.1:7788/v1/responses",
            "responses-http": "http://127.0.0.1:7788/v1/responses",
        },
        env=("REDLINE_GATEWAY_KEY",),
        is_at_any_url=True,
    ),
    Provider(
        id="ollama",
        title="Ollama",
        endpoints={
            "ollama": "http://127.0.0.1:11434",
            **_chat("http://127.0.0.1:11434/v1"),
        },
    ),
    Provider(
        id="lm-studio",
        title="LM Studio",
        endpoints=_chat("http://127.0.0.1:1234/v1"),
    ),
    Provider(
        id="llama-server",
        title="llama-server",
        endpoints={
            **_chat("http://127.0.0.1:9931/v1"),
            "fim": "http://127.0.0.1:9931/infill",
        },
    ),
    Provider(
        id="vllm",
        title="vLLM",
        endpoints={
            **_chat("http://127.0.0.1:8000/v1"),
            "responses-http": "http://127.0.0.1:8000/v1/responses",
            "fim": "http://127.0.0.1:8000/v1/completions",
        },
    ),
    Provider(
        id="sglang",
        title="SGLang",
        endpoints={
            **_chat("http://127.0.0.1:30000/v1"),
            "fim": "http://127.0.0.1:30000/v1/completions",
        },
    ),
    Provider(
        id="litellm",
        title="LiteLLM proxy",
        endpoints=_chat("http://127.0.0.1:4000/v1"),
    ),
)

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


def provider_named(name: str | None) -> Provider | None:
    return next((each for each in PROVIDERS if each.id == name), None)


def provider_of_host(host: str) -> Provider | None:
    """Return the provider that has a host, given with or without a port."""
    return next((each for each in PROVIDERS if is_host_of(host, each.hosts)), None)


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
