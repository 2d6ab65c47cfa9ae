"""The report of `redline stats` as values; `docs/reference/cli.md` lists the fields."""

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
"""Version of the report's fields; adding a field does not change it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """A group of tasks; shares and prices are null without accepted edits."""

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
    """The whole report."""

    schema: int
    file: str
    """The file that was read, or that will be created."""
    since: str
    """The first day of the report, in ISO format."""
    days: int
    notes: tuple[str, ...]
    """Sentences about files that were not used."""
    overall: Measures | None
    """The totals; None: there is no usage yet."""
    tiers: tuple[Measures, ...]
    tiers_by_day: tuple[Measures, ...]
    """The newest day first."""


def report_usage(
    path: Path, *, days: int, today: date, must_exist: bool
) -> UsageReport:
    """Read a usage file and compute its measures.

    Args:
        path: The file; files used in its place are included.
        days: The number of days, with today as the last.
        today: The local date.
        must_exist: Whether a missing file is an error; if not, it counts as empty.

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
    # Sorting is stable, so the tiers of a day keep their order.
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
