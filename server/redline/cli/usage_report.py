"""What `redline stats` finds out, as values: `docs/reference/cli.md` has the fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

from redline.store.database import in_line
from redline.store.reading import ReadFile, read_file
from redline.store.stored_task import StoredTask
from redline.store.totals import Dimension, Totals, totals_of

SCHEMA = 1
"""Version of the report's fields; a field that is only added does not change it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """One group of tasks; shares and prices are null where nothing was accepted."""

    tier: str | None
    day: str | None
    tasks: int
    accepted: int
    rejected: int
    reworked: int
    undone: int
    failed_checks: int
    repaired: int
    escalated: int
    task_p50_s: float | None
    task_p90_s: float | None
    rework_share: float | None
    cost_per_accepted: float | None
    cost: float | None
    unpriced: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    wasted_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReport:
    """All that is said."""

    schema: int
    file: str
    """The file that was read, or that will be begun."""
    since: str
    """The first day that counts, ISO."""
    days: int
    notes: tuple[str, ...]
    """Sentences on files that were left alone."""
    overall: Measures | None
    """None: there is nothing yet."""
    tiers: tuple[Measures, ...]
    tiers_by_day: tuple[Measures, ...]
    """The newest day first."""


def report_usage(
    path: Path, *, days: int, today: date, must_exist: bool
) -> UsageReport:
    """Read a file and measure what is in it.

    Args:
        path: The file; those that are used in its place count too.
        days: How many days count, today being the last.
        today: The local date.
        must_exist: Whether a file that is not there is an error; else it is empty.

    Raises:
        StoreError: If the file cannot be read.
    """
    first = today - timedelta(days=days - 1)
    since = datetime.combine(first, time()).timestamp()
    if must_exist or any(candidate.exists() for candidate in in_line(path)):
        read = read_file(path, since=since)
    else:
        read = ReadFile(path=path, tasks=())
    return UsageReport(
        schema=SCHEMA,
        file=str(read.path),
        since=first.isoformat(),
        days=days,
        notes=tuple(f"{why} It was left alone." for why in read.skipped),
        overall=next(iter(_measures(read.tasks, ())), None),
        tiers=_measures(read.tasks, ("tier",)),
        tiers_by_day=_newest_first(_measures(read.tasks, ("day", "tier"))),
    )


def _measures(
    tasks: Sequence[StoredTask], by: Sequence[Dimension]
) -> tuple[Measures, ...]:
    return tuple(map(_as_measures, totals_of(tasks, by=by)))


def _newest_first(measures: Sequence[Measures]) -> tuple[Measures, ...]:
    # Stable: the tiers of a day keep their order.
    return tuple(sorted(measures, key=lambda m: m.day or "", reverse=True))


def _as_measures(totals: Totals) -> Measures:
    return Measures(
        tier=totals.tier,
        day=totals.day,
        tasks=totals.n_tasks,
        accepted=totals.n_accepted,
        rejected=totals.n_rejected,
        reworked=totals.n_reworked,
        undone=totals.n_undone,
        failed_checks=totals.n_failed_checks,
        repaired=totals.n_repaired,
        escalated=totals.n_escalated,
        task_p50_s=totals.task_p50_s,
        task_p90_s=totals.task_p90_s,
        rework_share=totals.rework_share,
        cost_per_accepted=totals.cost_per_accepted,
        cost=totals.cost,
        unpriced=totals.n_unpriced,
        input_tokens=totals.input_n_tokens,
        cached_tokens=totals.cached_n_tokens,
        output_tokens=totals.output_n_tokens,
        wasted_tokens=totals.wasted_n_tokens,
    )
