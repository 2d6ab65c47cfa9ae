"""Adds up what completions and next edits do, and hands the sums to the usage log.

Each key may count something, so the sums wait in memory: writing them to a file with
each key would cost more than answering it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeAlias

from redline.assist.edit.cost import Cost
from redline.assist.tiers.tier_choice import TIERS, Tiers
from redline.models.interface import Model
from redline.settings.tree import TierName
from redline.store.unasked import UnaskedCounts, UnaskedKind, UnaskedUsage

FLUSH_S = 30.0
"""How long counts wait; what a killed server loses."""

NoteUnasked: TypeAlias = Callable[[Model | None, UnaskedCounts], None]
"""Takes the model that something was counted of (None: no model), and the counts."""


def ignore_counts(model: Model | None, counts: UnaskedCounts) -> None:
    """Count nothing."""


class UnaskedCounter:
    """Counts for the status, and passes the counts on for the usage log."""

    def __init__(
        self,
        note: NoteUnasked = ignore_counts,
        *,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """Begin.

        Args:
            note: Receives the counts.
            on_change: Called when they change.
        """
        self.total = UnaskedCounts()
        """The sums since the start."""
        self._note = note
        self._on_change = on_change

    def add(self, model: Model | None, counts: UnaskedCounts) -> None:
        """Count what a model did; None: it was done without a model."""
        self.total += counts
        self._note(model, counts)
        self._on_change()


def counts_of(cost: Cost) -> UnaskedCounts:
    """Return the cost of one reply as counts."""
    return UnaskedCounts(
        input_tokens=cost.tokens.input_n_tokens,
        cached_tokens=cost.tokens.cached_n_tokens,
        output_tokens=cost.tokens.output_n_tokens,
        cost=cost.cost or 0.0,
        unpriced=int(cost.cost is None),
    )


class UnaskedTally:
    """The counts that are not in the usage log yet."""

    def __init__(self, record: Callable[[UnaskedUsage], None], tiers: Tiers) -> None:
        """Begin.

        Args:
            record: Adds counts to the usage log.
            tiers: Whose models they are.
        """
        self._record = record
        self._tiers = tiers
        self._counts: dict[
            tuple[UnaskedKind, TierName | None, str | None], UnaskedCounts
        ] = {}
        self._due: asyncio.TimerHandle | None = None

    def add(
        self, kind: UnaskedKind, model: Model | None, counts: UnaskedCounts
    ) -> None:
        """Add to the counts of a kind and a model."""
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
                UnaskedUsage(
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
