"""What the generations of a session cost: tokens and money.

Each candidate is counted once, when it ends or is given up. Numbers of the provider are
used where there are any; for a stopped generation no provider reports any, so the
tokens sent and received are estimated.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from redline.assist.edit.candidate import CHARS_PER_TOKEN, Candidate, CandidateProgress
from redline.models.interface import GenerationRequest, Model, Usage
from redline.store.task import Price, TaskTokens, cost_of

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


class CostTally:
    """Sums the cost of a session's candidates."""

    def __init__(self) -> None:
        self._counted: set[Candidate] = set()
        self._since = Cost()

    def add(
        self, candidates: Collection[Candidate], *, kept: Candidate | None = None
    ) -> None:
        """Count candidates, each only once.

        Args:
            candidates: Those that have stopped writing.
            kept: The one that is used; the tokens of the others are wasted.
        """
        for candidate in candidates:
            if candidate not in self._counted:
                self._counted.add(candidate)
                self._since += _spent(candidate, is_kept=candidate is kept)

    def add_cost(self, cost: Cost) -> None:
        """Count a generation that is not a candidate's."""
        self._since += cost

    def take(self) -> Cost:
        """Return the cost since the last call."""
        since, self._since = self._since, Cost()
        return since


def model_of(candidates: Iterable[Candidate | None]) -> Model | None:
    """Return the model of the first candidate that has one."""
    return next((c.model for c in candidates if c is not None and c.model), None)


def _spent(candidate: Candidate, *, is_kept: bool) -> Cost:
    if candidate.model is None or candidate.request is None:
        return Cost()
    tokens = _tokens(candidate, candidate.request, is_kept=is_kept)
    return Cost(tokens=tokens, cost=cost_with(candidate.model, tokens))


def _tokens(
    candidate: Candidate, request: GenerationRequest, *, is_kept: bool
) -> TaskTokens:
    void = candidate.n_void_chars // CHARS_PER_TOKEN
    usage = candidate.usage
    if usage is None:
        usage = _estimate(candidate, request)
    else:
        # The provider counts only from the last restart on.
        usage = Usage(
            input_n_tokens=usage.input_n_tokens,
            cached_n_tokens=usage.cached_n_tokens,
            output_n_tokens=usage.output_n_tokens + void,
        )
    return TaskTokens(
        input_n_tokens=usage.input_n_tokens,
        cached_n_tokens=usage.cached_n_tokens,
        output_n_tokens=usage.output_n_tokens,
        wasted_n_tokens=void if is_kept else usage.output_n_tokens,
    )


def _estimate(candidate: Candidate, request: GenerationRequest) -> Usage:
    is_stopped = candidate.progress is CandidateProgress.STOPPED
    was_sent = candidate.timing is not None and candidate.timing.sent is not None
    if not candidate.n_chars and not (is_stopped and was_sent):
        # Never sent, or refused: free of charge.
        return Usage()
    return _estimated(request, candidate.n_chars)


def _estimated(request: GenerationRequest, n_chars: int) -> Usage:
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
        usage = _estimated(request, n_chars)
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
