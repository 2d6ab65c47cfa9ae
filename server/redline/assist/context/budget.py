"""How much of what is around a range its prompt shows, and what of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from redline.assist.context.gatherer import ContextGatherer
from redline.assist.site import Site
from redline.models.interface import ModelDescription
from redline.prompts.context import NO_CONTEXT, FittedContext, fit_context
from redline.prompts.surroundings import (
    BEFORE_SHARE,
    Surroundings,
    gather_surroundings,
)
from redline.prompts.tokens import TokenCounter
from redline.prompts.window import context_budget
from redline.routing.route import Tier

_TIMES: dict[Tier, int] = {"fast": 1, "standard": 4, "deep": 8}
"""How many times the fast tier's context the others get: time matters less there."""

_AROUND_SHARE = 0.65
"""What the code around the range may take of it before anything else had its turn."""

_N_SAMPLED = 50
"""Lines on each side by whose length it is guessed how many will be shown."""

_CHARS_PER_TOKEN = 3

_N_RULES_TOKENS = 3_400
"""For the rules engine, which costs nothing and has no window: about 10 kB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a prompt shows besides the range."""

    around: Surroundings
    context: FittedContext


class ContextBudget:
    """Decides what is shown, within a tier's budget and a model's window."""

    def __init__(
        self,
        *,
        gatherer: ContextGatherer,
        counter: TokenCounter,
        n_tokens: Callable[[], int],
    ) -> None:
        """Prepare.

        Args:
            gatherer: Knows what there is.
            counter: Counts it.
            n_tokens: Returns the fast tier's budget.
        """
        self._gatherer = gatherer
        self._count = counter.about
        self._counter = counter
        self._n_tokens = n_tokens

    def choose(
        self, site: Site, *, told: str, tier: Tier, model: ModelDescription
    ) -> Shown:
        """Choose what is shown of what is known now.

        Args:
            site: Where the range is.
            told: What the prompt holds anyway: instructions, range, drafts.
            tier: Whose budget counts.
            model: Whose window it has to fit.
        """
        if not model.is_model:
            around = self._around(site, _N_RULES_TOKENS)
            return Shown(around=around, context=NO_CONTEXT)
        budget = context_budget(
            context_tokens=model.context_tokens,
            # A reply is about as long as the range: half of the window is plenty.
            max_output_tokens=model.context_tokens // 2,
            n_prompt_tokens=self._count(told),
            limit=self._n_tokens() * _TIMES[tier],
        )
        first = site.first_line
        items = self._gatherer.items(
            site.document,
            target=range(first, first + len(site.region.lines)),
            shown=self._likely(site, int(budget * _AROUND_SHARE)),
        )
        room = budget - int(budget * _AROUND_SHARE)
        context = fit_context(items, budget=room, count=self._count)
        # What the context leaves is for the code around, all of it.
        around = self._around(site, budget - context.n_tokens)
        return Shown(around=around, context=context)

    def _likely(self, site: Site, budget: int) -> range:
        """The lines that will be shown around a range, at a guess by their length."""
        lines = site.document.snapshot().lines
        first, end = site.first_line, site.first_line + len(site.region.lines)
        near = lines[max(0, first - _N_SAMPLED) : end + _N_SAMPLED]
        n_chars = sum(map(len, near)) / max(1, len(near))
        n_lines = int(budget * _CHARS_PER_TOKEN / max(1.0, n_chars))
        n_above = int(n_lines * BEFORE_SHARE)
        return range(max(0, first - n_above), min(len(lines), end + n_lines - n_above))

    def _around(self, site: Site, budget: int) -> Surroundings:
        first = site.first_line
        return gather_surroundings(
            site.document.snapshot().lines,
            first,
            first + len(site.region.lines),
            budget=budget,
            count=self._counter.about_line,
        )
