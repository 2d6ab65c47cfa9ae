"""Adds up what completions and next edits do, and hands the sums to the usage log.

Each key may count something, so the sums wait in memory: writing them to a file with
each key would cost more than answering it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeAlias

from redline.assist.tiers.cost import Cost
from redline.assist.tiers.tier_choice import TIERS, Tiers
from redline.models.interface import Model
from redline.settings.tree import TierName
from redline.store.automatic_usage import AutomaticCounts, AutomaticKind, AutomaticUsage

FLUSH_S = 30.0
"""How long counts wait; what a killed server loses."""

NoteAutomatic: TypeAlias = Callable[[Model | None, AutomaticCounts], None]
"""Takes the model that something was counted of (None: no model), and the counts."""


def ignore_counts(model: Model | None, counts: AutomaticCounts) -> None:
    """Count nothing."""


class AutomaticCounter:
    """Counts for the status, and passes the counts on for the usage log."""

    def __init__(
        self,
        note: NoteAutomatic = ignore_counts,
        *,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.total = AutomaticCounts()
        """The sums since the start."""
        self._note = note
        self._on_change = on_change

    def add(self, model: Model | None, counts: AutomaticCounts) -> None:
        """Count what a model did; None: it was done without a model."""
        self.total += counts
        self._note(model, counts)
        self._on_change()


def counts_of(cost: Cost) -> AutomaticCounts:
    """Return the cost of one reply as counts."""
    return AutomaticCounts(
        input_tokens=cost.tokens.input_n_tokens,
        cached_tokens=cost.tokens.cached_n_tokens,
        output_tokens=cost.tokens.output_n_tokens,
        cost=cost.cost or 0.0,
        unpriced=int(cost.cost is None),
    )


class AutomaticTally:
    """The counts that are not in the usage log yet."""

    def __init__(self, record: Callable[[AutomaticUsage], None], tiers: Tiers) -> None:
        self._record = record
        self._tiers = tiers
        self._counts: dict[
            tuple[AutomaticKind, TierName | None, str | None], AutomaticCounts
        ] = {}
        self._due: asyncio.TimerHandle | None = None

    def add(
        self, kind: AutomaticKind, model: Model | None, counts: AutomaticCounts
    ) -> None:
        label = None if model is None else model.describe().label
        key = kind, self._tier_of(label), label
        before = self._counts.get(key)
        self._counts[key] = counts if before is None else before + counts
        if self._due is None:
            loop = asyncio.get_running_loop()
            self._due = loop.call_later(FLUSH_S, self.flush)

    async def aclose(self) -> None:
        """Hand over what is left; idempotent."""
        self.flush()

    def flush(self) -> None:
        """Hand over what was counted."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        counted, self._counts = self._counts, {}
        for (kind, tier, label), counts in counted.items():
            self._record(
                AutomaticUsage(
                    at=time.time(), kind=kind, tier=tier, model=label, counts=counts
                )
            )

    def _tier_of(self, label: str | None) -> TierName | None:
        """Return the lowest tier that a model fills."""
        if label is None:
            return None
        return next(
            (
                tier
                for tier in TIERS
                if self._tiers.choose(tier).model.describe().label == label
            ),
            None,
        )
