"""A server that only records, run as a separate process.

    python recording.py FILE RUN N

Records N tasks and prints, after each flush, how many of them are certain to be stored.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from redline.store.task import TaskRoute, TaskTimes, TaskUsage
from redline.store.usage_store import FLUSH_LIMIT_S, UsageStore

N_BETWEEN_FLUSHES = 7


def _task(n: int) -> TaskUsage:
    return TaskUsage(
        id=f"t{n}",
        kind="edit",
        tier="fast",
        model="spark",
        route=TaskRoute(tier="fast"),
        times=TaskTimes(queued_at=1_800_000_000.0 + n, applied_s=0.5),
        outcome="applied",
        cost=0.5,
    )


async def main(file: Path, run: str, n_tasks: int) -> None:
    """Record, flush now and then, close."""
    store = UsageStore.open(file, run=run, notify=lambda m: print(m, file=sys.stderr))  # noqa: T201  # For the test to read.
    for n in range(1, n_tasks + 1):
        store.record(_task(n))
        if n % N_BETWEEN_FLUSHES == 0:
            store._writer.flush(limit_s=FLUSH_LIMIT_S)
            print(n, flush=True)  # noqa: T201  # For the test to read.
    await store.aclose()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
