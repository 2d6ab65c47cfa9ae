"""Estimates what a run of a plan costs, before it begins."""

from __future__ import annotations

from collections.abc import Mapping

from redline.assist.tiers.cost import CHARS_PER_TOKEN, cost_with
from redline.assist.tiers.tier_choice import Tiers
from redline.models.interface import Model
from redline.plans.places import place_of
from redline.plans.plan import Plan
from redline.plans.refusals import NO_FILE, PlannedFile
from redline.prompts.message import Prompt
from redline.store.task import TaskTokens

_N_CREATED_TOKENS = 1_500
"""Assumed size of a new file."""

_N_PLAN_TOKENS = 1_500
"""Assumed length of the answer of the planner."""

_N_REVIEW_TOKENS = 1_500
"""Assumed length of the answer of the review."""


def estimated_cost(
    plan: Plan, files: Mapping[str, PlannedFile], tiers: Tiers
) -> float | None:
    """Return US dollars for writing the chosen steps once and reviewing them.

    None: the price of a model is not known.
    """
    fast, deep = tiers.choose("fast").model, tiers.choose("deep").model
    n_written = 0
    total = 0.0
    for step in plan.chosen:
        if step.kind not in ("edit", "create"):
            continue
        file = files.get(step.file, NO_FILE)
        texts = [
            file.text or "",
            *(files.get(p, NO_FILE).text or "" for p in step.reads),
        ]
        n_input = sum(map(len, texts)) // CHARS_PER_TOKEN
        n_output = _N_CREATED_TOKENS
        if file.text is not None:
            place = place_of(step, file.text, file.definitions) or range(1)
            lines = file.text.split("\n")[place.start : place.stop]
            n_output = sum(map(len, lines)) // CHARS_PER_TOKEN + 1
        cost = _cost(fast, n_input, n_output)
        if cost is None:
            return None
        total += cost
        n_written += n_output
    review = _cost(deep, 2 * n_written, _N_REVIEW_TOKENS)
    return None if review is None else total + review


def prompt_cost(model: Model, prompt: Prompt) -> float | None:
    """Return US dollars for the answer of a planner; None: the price is not known."""
    texts = [prompt.instructions, *(one.text for one in prompt.chat_messages)]
    return _cost(model, sum(map(len, texts)) // CHARS_PER_TOKEN, _N_PLAN_TOKENS)


def _cost(model: Model, n_input: int, n_output: int) -> float | None:
    tokens = TaskTokens(input_n_tokens=n_input, output_n_tokens=n_output)
    return cost_with(model, tokens)
