"""The report of `redline stats` as values; `docs/reference/cli.md` lists the fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import get_args

from msgspec import Struct

from redline.plans.record import PlanKind
from redline.routing.experience import Experience
from redline.store.automatic_usage import AutomaticTotals
from redline.store.database import in_line
from redline.store.task_rows import ReadFile, read_file
from redline.store.totals import (
    DraftTotals,
    OpinionTotals,
    Totals,
    draft_totals_of,
    experience_of,
    opinion_totals_of,
    totals_of,
)

SCHEMA = 1
"""Version of the report's fields; adding a field does not change it."""


class UsageReport(Struct, frozen=True, kw_only=True):
    schema: int
    file: str
    """The file that was read, or that will be created."""
    since: str
    """The first day of the report, in ISO format."""
    days: int
    notes: tuple[str, ...]
    """Sentences about files and rows that were not used."""
    overall: Totals | None
    """The totals; None: there is no usage yet."""
    tiers: tuple[Totals, ...]
    tiers_by_day: tuple[Totals, ...]
    """The newest day first."""
    plans: tuple[Totals, ...]
    """What plans and debugs took in each tier."""
    unasked: tuple[AutomaticTotals, ...]
    """What completions and next edits did, by tier and model."""
    drafts: tuple[DraftTotals, ...]
    """The drafts of each model that drafted."""
    opinions: OpinionTotals | None
    """The second opinions; None: there are none."""
    experience: Experience
    """What routing learns from these edits."""


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
        notes=tuple(_notes(read)),
        overall=next(iter(totals_of(read.tasks, by=())), None),
        tiers=totals_of(read.tasks, by=("tier",)),
        tiers_by_day=_newest_first(totals_of(read.tasks, by=("day", "tier"))),
        plans=totals_of(
            [task for task in read.tasks if task.kind in get_args(PlanKind)],
            by=("kind", "tier"),
        ),
        unasked=read.automatic,
        drafts=draft_totals_of(read.tasks),
        opinions=opinion_totals_of(read.tasks),
        experience=experience_of(read.tasks),
    )


def _notes(read: ReadFile) -> Iterator[str]:
    for why in read.skipped:
        yield f"{why} It was left alone."
    if read.n_unreadable:
        n = read.n_unreadable
        yield f"Rows of {read.path} that cannot be read are not counted: {n}."


def _newest_first(totals: Sequence[Totals]) -> tuple[Totals, ...]:
    # Sorting is stable, so the tiers of a day keep their order.
    return tuple(sorted(totals, key=lambda each: each.day or "", reverse=True))
