"""`redline.stats`: the measures of `redline stats`, for a client."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from typing import TYPE_CHECKING

from redline.assist.usage.usage_log import UsageLog
from redline.lsp import extensions

if TYPE_CHECKING:
    from redline.store.totals import Totals

N_DAYS = 30
"""Number of days to include if the client names no first day."""


class UsageStats:
    """Answers `redline.stats`."""

    def __init__(self, usage: UsageLog) -> None:
        self._usage = usage

    async def tell(self, arguments: extensions.StatsArguments) -> extensions.Stats:
        """Aggregate the usage log.

        Raises:
            StoreError: If usage is not recorded, or the file cannot be read.
        """
        since = arguments.since or date.today() - timedelta(days=N_DAYS - 1)
        first = datetime.combine(since, time_of_day()).timestamp()
        totals = await self._usage.totals(since=first, by=arguments.by)
        return extensions.Stats(since=since, totals=tuple(map(_as_wire, totals)))


def _as_wire(totals: Totals) -> extensions.UsageTotals:
    return extensions.UsageTotals(
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
