"""Windows and prices of known models.

Figures are from the providers' own pages, autumn 2026. They are defaults for display
and budgets, not for billing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

SAFE_CONTEXT_TOKENS = 32_000
"""Window of a provider's model that is not in the table: every current model has it."""

SAFE_OUTPUT_TOKENS = 8_000

_READS_IMAGES = re.compile(
    r"gpt-6|claude-|gemini-|glm-[45](\.\d)?v|deepseek-(v4-)?flash", re.IGNORECASE
)
"""The models of these names read images (the providers' pages, autumn 2026)."""


class KnownModel(Struct, frozen=True, kw_only=True):
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
    # Anthropic.
    "claude-haiku-5-5": _priced(1_000_000, (0.10, 0.01, 0.50), effort="none"),
    "claude-sonnet-5-5": _priced(1_000_000, (2.0, 0.10, 10.0)),
    "claude-opus-5-5": _priced(1_000_000, (4.0, 0.20, 20.0)),
    # Google. Its own list of models names no prices; the sources for these disagree.
    "gemini-3.8-flash": _priced(1_000_000, (0.75, 0.075, 3.75)),
    "gemini-4-argon": _priced(1_000_000, (2.0, 0.10, 10.0)),
    # Open weights, at the prices of Cerebras and Groq.
    "gpt-oss-120b": _priced(131_000, (0.35, None, 0.75)),
    "openai/gpt-oss-120b": _priced(131_000, (0.15, 0.075, 0.60)),
    "openai/gpt-oss-20b": _priced(131_000, (0.075, 0.0375, 0.30)),
    "qwen-3.8-27b": _priced(65_000, (0.99, None, 1.49)),
    # MiniMax. Sources disagree on the window; this is the smallest figure.
    "MiniMax-M2.5": _priced(200_000, (0.30, 0.03, 1.20)),
    "MiniMax-M2.5-highspeed": _priced(200_000, (0.60, 0.03, 2.40)),
    # Z.ai.
    "glm-5": _priced(200_000, (1.0, 0.2, 3.2)),
    "glm-5.3": _priced(1_000_000, (1.4, 0.26, 4.4)),
    "glm-5.3-flash": _priced(1_000_000, (0.15, 0.03, 0.5)),
    # DeepSeek.
    "deepseek-v4-flash": _priced(1_000_000, (0.30, 0.006, 1.20)),
    "deepseek-v4-pro": _priced(1_000_000, (1.32, 0.044, 3.96)),
    # Mistral.
    "mistral-large-4": _priced(1_000_000, (0.70, 0.07, 2.10)),
    "codestral-latest": _priced(128_000, (0.30, None, 0.90)),
}


def reads_images(name: str) -> bool:
    """Say whether a model is known to read images, ignoring prefixes of its name."""
    return _READS_IMAGES.match(name.rpartition("/")[2]) is not None


def known_model(name: str) -> KnownModel | None:
    """Look up a model by its name at the provider, ignoring prefixes like `openai/`."""
    return KNOWN_MODELS.get(name) or KNOWN_MODELS.get(name.rpartition("/")[2])
