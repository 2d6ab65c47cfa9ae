"""`redline.stats`: the measures of `redline stats`, for a client."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from datetime import time as time_of_day

from msgspec.structs import asdict

from redline.assist.usage.usage_log import UsageLog
from redline.lsp import extensions

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
        return extensions.Stats(
            since=since,
            totals=tuple(extensions.UsageTotals(**asdict(each)) for each in totals),
        )
