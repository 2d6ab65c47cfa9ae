"""What the candidates of a session cost.

Each is counted once, when it ends or is given up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from redline.assist.edit.attempts.candidate import Candidate, CandidateProgress
from redline.assist.tiers.cost import CHARS_PER_TOKEN, Cost, cost_with, estimated_usage
from redline.models.interface import GenerationRequest, Model, Usage
from redline.store.task import TaskTokens


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
    return estimated_usage(request, candidate.n_chars)
