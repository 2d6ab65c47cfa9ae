"""The table of providers: where each is, where its key is found, and its defaults.

`docs/reference/providers.md` is held to it. A model's settings that name a provider
need no `api`, `url` or `key`; each may still be given. A key from the table goes only
to the provider's own hosts; that of a team's gateway goes to the `url` of the settings.
"""

from __future__ import annotations

from redline.settings.provider import DefaultModel, Provider, is_host_of
from redline.settings.tree import Api

TEAM_GATEWAY = "redline-gateway"
"""The provider that is Redline's own gateway."""


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


def provider_named(name: str | None) -> Provider | None:
    return next((each for each in PROVIDERS if each.id == name), None)


def provider_of_host(host: str) -> Provider | None:
    """Return the provider that has a host, given with or without a port."""
    return next((each for each in PROVIDERS if is_host_of(host, each.hosts)), None)
