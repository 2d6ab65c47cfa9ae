"""Computes for each drafting model how often its drafts were used."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from redline.store.stored_task import StoredTask


class DraftTotals(msgspec.Struct, frozen=True, kw_only=True):
    """The drafts of one model; `redline stats --json` has these names."""

    model: str
    """Its label in the settings."""
    drafts: int
    unchanged: int
    """The result is the draft as it was."""
    repaired: int
    """The standard tier changed the draft."""
    escalated: int
    """A higher tier than the standard one wrote the result."""
    unfinished: int
    """There was no readable draft, or no result."""
    unchanged_share: float | None
    """This and the following shares are of the drafts with a result, in [0, 1]; None:
    there are none."""
    repaired_share: float | None
    escalated_share: float | None
    cost: float | None
    """US dollars of the tasks with a known cost; None: no cost is known."""


def draft_totals_of(tasks: Iterable[StoredTask]) -> tuple[DraftTotals, ...]:
    """Measure the drafts of each model, in the order of the models' labels."""
    by_model: defaultdict[str, list[StoredTask]] = defaultdict(list)
    for task in tasks:
        if task.draft_model:
            by_model[task.draft_model].append(task)
    return tuple(_measure(model, by_model[model]) for model in sorted(by_model))


def _measure(model: str, tasks: Sequence[StoredTask]) -> DraftTotals:
    results = Counter(task.draft_result for task in tasks)
    n_done = results["unchanged"] + results["repaired"] + results["escalated"]
    costs = [task.cost for task in tasks if task.cost is not None]

    def share(result: str) -> float | None:
        return results[result] / n_done if n_done else None

    return DraftTotals(
        model=model,
        drafts=len(tasks),
        unchanged=results["unchanged"],
        repaired=results["repaired"],
        escalated=results["escalated"],
        unfinished=len(tasks) - n_done,
        unchanged_share=share("unchanged"),
        repaired_share=share("repaired"),
        escalated_share=share("escalated"),
        cost=math.fsum(costs) if costs else None,
    )
