"""`python -m benchmarks.routing`: the time to choose a tier.

The budget is 1 ms for a range of 300 lines. Ranges are windows of Python's own library,
each used once, so that no name is in a cache. Ranges of 30 and 3,000 lines, and a range
that crosses every boundary, are measured too.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from redline.routing.route import route
from redline.routing.task import Task
from redline.settings.tree import RoutingSettings

BUDGET_MS = 1.0
N_LINES = 300
_WIDTH = 100
_HARD = """\
user = authenticate(password); session_id = encrypt(cookie, iv, nonce, sha256(salt))
cursor.execute("SELECT a FROM t WHERE b = '" + request.args["b"] + "'")
ALTER TABLE t DROP COLUMN c; UPDATE t SET a = 1 WHERE b = 2; DELETE FROM t WHERE a = 2
with self._lock: await self.pool.submit(upload, permission, role, admin, tenant)
"""


def main() -> int:
    """Measure and print; return 1 if the median of a case exceeds the budget."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.routing")
    parser.add_argument("--ranges", type=int, default=1_000, help="how many to route")
    n_ranges = parser.parse_args().ranges
    cases = {
        f"{n} lines of the library, each seen once": list(_windows(n, n_ranges))
        for n in (30, N_LINES, 3_000)
    }
    cases[f"{N_LINES} lines over every boundary"] = [
        _HARD * (N_LINES // _HARD.count("\n"))
    ] * n_ranges
    table = Table("range", "ranges", "p50 ms", "p99 ms", "most ms")
    is_within = True
    for case, codes in cases.items():
        times = list(_times(codes))
        cuts = statistics.quantiles(times, n=100)
        is_within &= cuts[49] <= BUDGET_MS or case.startswith("3000")
        numbers = (f"{ms:.3f}" for ms in (cuts[49], cuts[98], max(times)))
        table.add_row(case, str(len(times)), *numbers)
    Console(width=_WIDTH).print(table)
    print(f"Budget: {BUDGET_MS} ms at {N_LINES} lines.")
    return 0 if is_within else 1


def _windows(n_lines: int, most: int) -> Iterator[str]:
    """Yield stretches of the standard library, from different files first."""
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    texts = [file.read_text(encoding="utf-8").splitlines(True) for file in files]
    n_found = 0
    for begin in range(0, max(map(len, texts)), n_lines):
        for lines in texts:
            window = lines[begin : begin + n_lines]
            if len(window) == n_lines:
                yield "".join(window)
                n_found += 1
            if n_found == most:
                return


def _times(codes: Iterable[str]) -> Iterator[float]:
    """Route each range once; yield milliseconds."""
    settings = RoutingSettings()
    for code in codes:
        task = Task(
            instruction="simplify this and keep the behaviour",
            path="package/module.py",
            language="python",
            code=code,
        )
        began = time.perf_counter()
        route(task, settings=settings, asked=None)
        yield (time.perf_counter() - began) * 1_000


if __name__ == "__main__":
    sys.exit(main())
