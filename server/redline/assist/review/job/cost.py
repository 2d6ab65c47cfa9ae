"""The cost of a review's generations, failed ones included."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from redline.assist.review.job.model_client import AnswerMark
from redline.assist.tiers import cost
from redline.assist.tiers.cost import Cost
from redline.models.interface import GenerationRequest, Model, Usage

NOTHING = Cost()


def cost_of_answer(
    model: Model, request: GenerationRequest, usage: Usage | None, answer: str
) -> Cost:
    """Return the cost of an answer: by its provider's count, else an estimate."""
    if not model.describe().is_model:
        return NOTHING
    return cost.cost_of_generation(model, request, usage, n_chars=len(answer))


def wasted_cost(model: Model, request: GenerationRequest, answer: str) -> Cost:
    """Estimate the cost of an answer that was given up before its end."""
    spent = cost_of_answer(model, request, None, answer)
    n_wasted = spent.tokens.output_n_tokens
    return replace(spent, tokens=replace(spent.tokens, wasted_n_tokens=n_wasted))


def wasted_cost_of_all(
    model: Model, request: GenerationRequest, given_up: Iterable[AnswerMark]
) -> Cost:
    """Estimate the cost of answers that were given up, all to one question."""
    # An answer without an id and without text never began, for example because the
    # provider could not be reached. One that its provider restarted is counted once,
    # by the last text received.
    begun = {
        mark.response_id or n: mark
        for n, mark in enumerate(given_up)
        if mark.response_id is not None or mark.text
    }
    wasted = (wasted_cost(model, request, mark.text) for mark in begun.values())
    return sum(wasted, NOTHING)
