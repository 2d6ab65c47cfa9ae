"""What the generations of a model cost: tokens and money.

Numbers of the provider are used where there are any. For a stopped generation no
provider reports any, so the tokens sent and received are estimated.
"""

from __future__ import annotations

from msgspec import Struct

from redline.models.interface import GenerationRequest, Model, Usage
from redline.store.task import Price, TaskTokens, cost_of

CHARS_PER_TOKEN = 4
"""Rough value for source code; only for counts that no provider reports."""

_NONE = TaskTokens()


class Cost(Struct, frozen=True, kw_only=True):
    """The tokens and the money of one or more generations."""

    tokens: TaskTokens = _NONE
    cost: float | None = 0.0
    """US dollars; None: the price of one of the models is unknown."""

    def __add__(self, other: Cost) -> Cost:
        """Add two costs; an unknown one makes the sum unknown."""
        a, b = self.tokens, other.tokens
        is_known = self.cost is not None and other.cost is not None
        return Cost(
            tokens=TaskTokens(
                input_n_tokens=a.input_n_tokens + b.input_n_tokens,
                cached_n_tokens=a.cached_n_tokens + b.cached_n_tokens,
                output_n_tokens=a.output_n_tokens + b.output_n_tokens,
                wasted_n_tokens=a.wasted_n_tokens + b.wasted_n_tokens,
            ),
            cost=(self.cost or 0.0) + (other.cost or 0.0) if is_known else None,
        )


def estimated_usage(request: GenerationRequest, n_chars: int) -> Usage:
    prompt = request.prompt
    n_sent_chars = len(prompt.instructions) + sum(
        len(message.text) for message in prompt.chat_messages
    )
    if prompt.raw is not None:
        n_sent_chars += len(prompt.raw.text)
    return Usage(
        input_n_tokens=n_sent_chars // CHARS_PER_TOKEN,
        output_n_tokens=n_chars // CHARS_PER_TOKEN,
    )


def cost_of_generation(
    model: Model, request: GenerationRequest, usage: Usage | None, *, n_chars: int
) -> Cost:
    """Return the cost of an answer that is not a candidate's.

    Args:
        model: The model that answered.
        request: What was sent to it.
        usage: What the provider counted; None: estimate it.
        n_chars: Characters of the answer that were received.
    """
    if usage is None:
        usage = estimated_usage(request, n_chars)
    tokens = TaskTokens(
        input_n_tokens=usage.input_n_tokens,
        cached_n_tokens=usage.cached_n_tokens,
        output_n_tokens=usage.output_n_tokens,
    )
    return Cost(tokens=tokens, cost=cost_with(model, tokens))


def cost_with(model: Model, tokens: TaskTokens) -> float | None:
    """Return the price of tokens in US dollars; None: it is unknown."""
    described = model.describe()
    if described.input_price is None or described.output_price is None:
        return None
    return cost_of(
        tokens,
        Price(
            input=described.input_price,
            output=described.output_price,
            cached=described.cached_price,
        ),
    )
