"""Computes totals from the rows: waiting times, rework and cost."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Literal, NamedTuple

import msgspec

from redline.routing.experience import Experience
from redline.store.task import NAMED_TIER

Dimension = Literal["tier", "day", "kind"]

REWORK_WINDOW_S = 60.0
"""An edit that is undone or edited this soon after it was applied counts as rework."""

_WITH_RESULT = frozenset(
    {"applied", "offered", "held", "shown", "accepted", "rejected"}
)
"""Outcomes with a result for the developer; only their times count."""


class StoredTask(NamedTuple):
    """The columns of a row, named as in the table; see `task.py` for their meaning."""

    queued_at: float
    kind: str
    route_tier: str
    route_reasons: str
    """Ids, separated by blanks."""
    outcome: str
    ended_s: float | None
    checked_s: float | None
    applied_s: float | None
    input_n_tokens: int
    cached_n_tokens: int
    output_n_tokens: int
    wasted_n_tokens: int
    cost: float | None
    failed_checks: str
    n_repairs: int
    n_escalations: int
    accepted_at: float | None
    rejected_at: float | None
    undone_at: float | None
    edited_at: float | None
    draft_model: str
    """Empty: nothing was drafted."""
    draft_result: str
    opinion: str
    """Empty: no second opinion was asked for."""


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """The measures of one group of tasks; `redline stats --json` has these names."""

    tier: str | None
    """The tier that the tasks were sent to first; None: not grouped by it."""
    day: str | None
    """The local day of the requests, ISO; None: not grouped by it."""
    kind: str | None
    """The kind of the tasks, such as `plan`; None: not grouped by it."""
    tasks: int
    accepted: int
    """Edits that the user accepted, or that were applied without an offer."""
    rejected: int
    reworked: int
    """Accepted, and undone or edited within a minute."""
    undone: int
    """Accepted, and undone within a minute."""
    failed_checks: int
    """Tasks in which any candidate failed a check."""
    repaired: int
    escalated: int
    task_p50_s: float | None
    """Seconds from the request to the result; None: no task has a result."""
    task_p90_s: float | None
    rework_share: float | None
    """Share of accepted work that needed rework, in [0, 1]; None: none was accepted."""
    cost_per_accepted: float | None
    """US dollars of all tasks, failed ones included, per accepted task; tasks without a
    known cost are left out of both."""
    cost: float | None
    """US dollars of the tasks with a known cost; None: no cost is known."""
    unpriced: int
    """Tasks whose cost is not known."""
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    wasted_tokens: int


def totals_of(
    tasks: Iterable[StoredTask], *, by: Sequence[Dimension]
) -> tuple[Totals, ...]:
    """Group the tasks and measure each group.

    Args:
        tasks: The rows.
        by: The dimensions to group by; none: all tasks are one group.

    Returns:
        The groups that have tasks, in the order of the dimensions named.
    """
    groups: dict[tuple[str, ...], list[StoredTask]] = {}
    for task in tasks:
        key = tuple(_KEYS[dimension](task) for dimension in by)
        groups.setdefault(key, []).append(task)
    return tuple(
        _measure(groups[key], dict(zip(by, key, strict=True)))
        for key in sorted(groups, key=lambda key: _order(by, key))
    )


def day_of(moment: float) -> str:
    """Return the local ISO date of a moment in Unix seconds.

    A moment beyond all dates, as of a wrong clock or a damaged row, is on the last one.
    """
    try:
        return datetime.fromtimestamp(moment).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return date.max.isoformat()


_KEYS: Mapping[Dimension, Callable[[StoredTask], str]] = {
    "tier": lambda task: task.route_tier,
    "day": lambda task: day_of(task.queued_at),
    "kind": lambda task: task.kind,
}

_TIERS = ("fast", "standard", "deep", "draft")


def _order(by: Sequence[Dimension], key: tuple[str, ...]) -> tuple[object, ...]:
    return tuple(
        (_TIERS.index(part) if part in _TIERS else len(_TIERS), part)
        if dimension == "tier"
        else (0, part)
        for dimension, part in zip(by, key, strict=True)
    )


def _measure(tasks: Sequence[StoredTask], key: Mapping[Dimension, str]) -> Totals:
    accepted = [task for task in tasks if _landed_at(task) is not None]
    times = sorted(t for task in tasks if (t := _task_s(task)) is not None)
    costs = [task.cost for task in tasks if task.cost is not None]
    cost = math.fsum(costs) if costs else None
    n_priced = sum(task.cost is not None for task in accepted)
    n_reworked = sum(_is_soon(t, t.undone_at, t.edited_at) for t in accepted)
    return Totals(
        tier=key.get("tier"),
        day=key.get("day"),
        kind=key.get("kind"),
        tasks=len(tasks),
        accepted=len(accepted),
        rejected=sum(
            task.rejected_at is not None and task.accepted_at is None for task in tasks
        ),
        reworked=n_reworked,
        undone=sum(_is_soon(t, t.undone_at) for t in accepted),
        failed_checks=sum(bool(task.failed_checks) for task in tasks),
        repaired=sum(task.n_repairs > 0 for task in tasks),
        escalated=sum(task.n_escalations > 0 for task in tasks),
        task_p50_s=_percentile(times, 0.5),
        task_p90_s=_percentile(times, 0.9),
        rework_share=n_reworked / len(accepted) if accepted else None,
        cost_per_accepted=None if cost is None or not n_priced else cost / n_priced,
        cost=cost,
        unpriced=len(tasks) - len(costs),
        input_tokens=sum(task.input_n_tokens for task in tasks),
        cached_tokens=sum(task.cached_n_tokens for task in tasks),
        output_tokens=sum(task.output_n_tokens for task in tasks),
        wasted_tokens=sum(task.wasted_n_tokens for task in tasks),
    )


def _landed_at(task: StoredTask) -> float | None:
    """Return when the edit was accepted; None: it was not."""
    if task.accepted_at is not None:
        return task.accepted_at
    if task.outcome not in {"applied", "accepted"}:
        return None
    return task.queued_at + (task.applied_s or task.checked_s or task.ended_s or 0.0)


def _task_s(task: StoredTask) -> float | None:
    """Return how long the developer waited, without the time to decide on an offer."""
    if task.outcome not in _WITH_RESULT:
        return None
    for moment in (task.applied_s, task.checked_s, task.ended_s):
        if moment is not None:
            return moment
    return None


def _is_soon(task: StoredTask, *moments: float | None) -> bool:
    landed = _landed_at(task)
    return landed is not None and any(
        moment is not None and moment - landed <= REWORK_WINDOW_S for moment in moments
    )


def _percentile(ascending: Sequence[float], share: float) -> float | None:
    """Return the nearest-rank percentile, which is one of the measured times."""
    if not ascending:
        return None
    return ascending[math.ceil(share * len(ascending)) - 1]


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
    return tuple(_measure_drafts(model, by_model[model]) for model in sorted(by_model))


def _measure_drafts(model: str, tasks: Sequence[StoredTask]) -> DraftTotals:
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


class OpinionTotals(msgspec.Struct, frozen=True, kw_only=True):
    """The second opinions; `redline stats --json` has these names."""

    opinions: int
    agreed: int
    """They named the tier that wrote the edit."""
    agreed_rework_share: float | None
    """Share of the accepted edits among those that needed rework, in [0, 1]; None: none
    was accepted."""
    overruled: int
    """They named another tier, and the edit was left to its own."""
    kept: int
    """A higher tier went over the edit, and kept it as it was."""
    changed: int
    """A higher tier went over the edit, and changed it."""
    lowered: int
    """A lower tier wrote the edit."""
    late: int
    unread: int


def opinion_totals_of(tasks: Iterable[StoredTask]) -> OpinionTotals | None:
    """Measure the second opinions; None: there are none."""
    asked = [task for task in tasks if task.opinion]
    if not asked:
        return None
    results = Counter(task.opinion for task in asked)
    agreed = [task for task in asked if task.opinion == "agreed"]
    return OpinionTotals(
        opinions=len(asked),
        agreed=len(agreed),
        agreed_rework_share=_measure(agreed, {}).rework_share,
        overruled=results["overruled"],
        kept=results["kept"],
        changed=results["changed"],
        lowered=results["lowered"],
        late=results["late"],
        unread=results["unread"],
    )


def experience_of(tasks: Iterable[StoredTask]) -> Experience:
    """Count how edits turned out, as routing learns from them."""
    edits = [task for task in tasks if task.kind == "edit"]
    fast = [task for task in edits if _is_of_score(task) and _is_decided(task)]
    verdicts = [right for task in edits if (right := _was_right(task)) is not None]
    return Experience(
        n_fast=len(fast),
        n_fast_failed=sum(_has_failed(task) for task in fast),
        n_opinions=len(verdicts),
        n_opinions_wrong=verdicts.count(False),
    )


def _is_of_score(task: StoredTask) -> bool:
    """Whether the score alone sent a task to the fast tier."""
    is_named = NAMED_TIER in task.route_reasons.split()
    return task.route_tier == "fast" and task.opinion != "lowered" and not is_named


def _is_decided(task: StoredTask) -> bool:
    return _landed_at(task) is not None or task.rejected_at is not None


def _has_failed(task: StoredTask) -> bool:
    if task.n_escalations or task.opinion == "changed":
        return True
    return _landed_at(task) is None or _is_soon(task, task.undone_at, task.edited_at)


def _was_right(task: StoredTask) -> bool | None:
    """Return whether a second opinion was right; None: it does not show."""
    if task.opinion in ("kept", "changed"):
        return task.opinion == "changed"
    if task.opinion in ("agreed", "lowered") and _is_decided(task):
        return not _has_failed(task)
    return None
