"""Chooses how much of the text around a range, and of the context, its prompt shows.

Choosing takes the longest part of the time between a request and its first byte on the
wire. It depends on the range, not on the instruction, so the last choice is kept and
can be made before a request arrives.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from redline.assist.context.gatherer import ContextGatherer, Gathered
from redline.models.interface import ModelDescription
from redline.prompts.context import NO_CONTEXT, FittedContext, fit_context
from redline.prompts.surrounding_lines import (
    BEFORE_SHARE,
    SurroundingLines,
    gather_surrounding_lines,
)
from redline.prompts.tokens import TokenCounter, n_bytes_of
from redline.prompts.window import context_budget
from redline.routing.route import Tier
from redline.text.document import Document, Snapshot

_TIMES: dict[Tier, int] = {"fast": 1, "standard": 4, "deep": 8}
"""Factors of the fast tier's budget: time matters less on the other tiers."""

_AROUND_SHARE = 0.65
"""Share of the budget that the surrounding code may take before the context."""

_N_SAMPLED = 50
"""Lines on each side whose length is used to estimate how many will be shown."""

_CHARS_PER_TOKEN = 3

_N_BITS = 5
"""Significant bits of a budget limited by the window: at most 1/16 is unused."""

_MOST_RULES_CHARS = 400_000
"""The rules engine is shown whole files, since a part of one cannot be parsed as a
file. It does not parse longer ones and is shown about as much of them as a model."""

_N_RULES_CHARS = 10_000


class Shown(Struct, frozen=True, kw_only=True):
    """What a prompt shows besides the range."""

    around: SurroundingLines
    context: FittedContext


class _Choice(Struct, frozen=True, kw_only=True):
    snapshot: Snapshot
    target: range
    budget: int
    gathered: Gathered
    shown: Shown


class ContextBudget:
    """Chooses what is shown, within a tier's budget and a model's window."""

    def __init__(
        self,
        *,
        gatherer: ContextGatherer,
        counter: TokenCounter,
        n_tokens: Callable[[], int],
    ) -> None:
        self._gatherer = gatherer
        self._count = counter.about
        self._counter = counter
        self._n_tokens = n_tokens
        self._last: _Choice | None = None

    @property
    def uris(self) -> frozenset[str]:
        """The other files that the last choice for a model may show parts of."""
        return frozenset() if self._last is None else self._last.gathered.uris

    def choose(
        self,
        document: Document,
        target: range,
        *,
        fixed: str,
        tier: Tier,
        model: ModelDescription,
    ) -> Shown:
        """Choose what to show of the currently known context.

        Args:
            document: The document of the range.
            target: The lines of the range.
            fixed: The fixed parts of the prompt: instructions, range, drafts.
            tier: The tier whose budget applies.
            model: The model whose window must hold the prompt.
        """
        snapshot = document.snapshot()
        if not model.is_model:
            return Shown(around=_for_rules(snapshot, target), context=NO_CONTEXT)
        budget = self._budget(fixed, tier, model)
        if (kept := self._kept(snapshot, target, budget)) is not None:
            return kept
        gathered = self._gatherer.gather(
            document,
            target=target,
            shown=self._likely(snapshot, target, int(budget * _AROUND_SHARE)),
        )
        room = budget - int(budget * _AROUND_SHARE)
        context = fit_context(gathered.items, budget=room, count=self._count)
        # The surrounding code gets everything that the context leaves.
        around = self._around(snapshot, target, budget - context.n_tokens)
        shown = Shown(around=around, context=context)
        self._last = _Choice(
            snapshot=snapshot,
            target=target,
            budget=budget,
            gathered=gathered,
            shown=shown,
        )
        return shown

    def _budget(self, fixed: str, tier: Tier, model: ModelDescription) -> int:
        limit = self._n_tokens() * _TIMES[tier]
        # A reply is about as long as the range: half of the window is plenty.
        for_reply = model.context_tokens // 2
        if n_bytes_of(fixed) + limit <= model.context_tokens - for_reply:
            # The usual case: no line has to be counted.
            return limit
        budget = context_budget(
            context_tokens=model.context_tokens,
            max_output_tokens=for_reply,
            n_prompt_tokens=self._count(fixed),
            limit=limit,
        )
        if budget < limit:
            # Rounded, so that a few more words in the instruction do not change the
            # choice.
            budget -= budget % (1 << max(0, budget.bit_length() - _N_BITS))
        return budget

    def _kept(self, snapshot: Snapshot, target: range, budget: int) -> Shown | None:
        """Return the last choice if none of its inputs has changed."""
        last = self._last
        if (
            last is None
            or last.snapshot is not snapshot
            or last.target != target
            or last.budget != budget
            or not self._gatherer.still_holds(last.gathered)
        ):
            return None
        return last.shown

    def _likely(self, snapshot: Snapshot, target: range, budget: int) -> range:
        """Estimate which lines around a range will be shown, by their length."""
        lines = snapshot.lines
        near = lines[max(0, target.start - _N_SAMPLED) : target.stop + _N_SAMPLED]
        n_chars = sum(map(len, near)) / max(1, len(near))
        n_lines = int(budget * _CHARS_PER_TOKEN / max(1.0, n_chars))
        n_above = int(n_lines * BEFORE_SHARE)
        return range(
            max(0, target.start - n_above),
            min(len(lines), target.stop + n_lines - n_above),
        )

    def _around(
        self, snapshot: Snapshot, target: range, budget: int
    ) -> SurroundingLines:
        return gather_surrounding_lines(
            snapshot.lines,
            target.start,
            target.stop,
            budget=budget,
            count=self._counter.about_line,
        )


def _for_rules(snapshot: Snapshot, target: range) -> SurroundingLines:
    """Show the whole file, unless it is too long to parse."""
    n_chars = sum(map(len, snapshot.lines))
    return gather_surrounding_lines(
        snapshot.lines,
        target.start,
        target.stop,
        budget=n_chars if n_chars <= _MOST_RULES_CHARS else _N_RULES_CHARS,
        count=len,
    )
