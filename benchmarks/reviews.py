"""`python -m benchmarks.reviews`: verify the claims of scripted reviews.

The files of the corpus have seeded faults, or none. The answers about them are
scripted, so this measures Redline and not a model. It prints the findings kept, the
claims dropped by reason, the findings that are anchored at the right lines, and the
fixes that apply and pass. A case with another result than its file says is listed, and
the command fails.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import get_args

from rich.console import Console
from rich.table import Table

from benchmarks.review_cases import Outcome, run_case
from benchmarks.review_corpus import load_cases
from redline.findings.finding import DropReason

_WIDTH = 100


def main() -> int:
    """Run the corpus and print the results; return 1 if one is not as expected."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reviews")
    parser.add_argument("--cases", action="store_true", help="show each case as well")
    arguments = parser.parse_args()
    outcomes: list[Outcome] = []
    times: list[float] = []
    for case in load_cases():
        began = time.perf_counter()
        outcomes.append(run_case(case))
        times.append((time.perf_counter() - began) * 1_000)
    console = Console(width=_WIDTH)
    if arguments.cases:
        console.print(_by_case(outcomes))
    console.print(_totals(outcomes, times))
    wrong = [one for one in outcomes if not one.is_right]
    for one in wrong:
        print(f"Not as expected: {one.case.code}")
    return 1 if wrong else 0


def _totals(outcomes: Sequence[Outcome], times: Sequence[float]) -> Table:
    table = Table("of the corpus", "number", show_edge=True)
    clean = [one for one in outcomes if not one.case.defects]
    reported = [(one, defect) for one in outcomes for defect in one.reported]
    findings = [finding for one in outcomes for finding in one.findings]
    right = [one for one, defect in reported if one.found(defect) is not None]
    n_fixes = sum(one.n_fixes for one in outcomes)
    n_passed = sum(finding.fix is not None for finding in findings)
    reasons: Counter[DropReason] = Counter()
    for one in outcomes:
        reasons += one.reasons
    rows: list[tuple[str, object]] = [
        ("files with faults", len(outcomes) - len(clean)),
        ("clean files", len(clean)),
        ("claims", len(findings) + reasons.total()),
        ("findings kept", len(findings)),
        ("  of them in clean files", sum(len(one.findings) for one in clean)),
        (
            "  anchored at the right lines",
            f"{len(right)} of {len(reported)} faults reported",
        ),
        ("fixes that apply and pass", f"{n_passed} of {n_fixes} proposed"),
        ("claims dropped", reasons.total()),
    ]
    rows += [(f"  {one}", reasons[one]) for one in get_args(DropReason) if reasons[one]]
    rows.append(("milliseconds a case, median", f"{statistics.median(times):.1f}"))
    for what, number in rows:
        table.add_row(what, str(number))
    return table


def _by_case(outcomes: Sequence[Outcome]) -> Table:
    table = Table("file", "answer", "kept", "dropped", "fixes", "right")
    for one in outcomes:
        dropped = ", ".join(f"{n} {reason}" for reason, n in one.reasons.items())
        n_passed = sum(finding.fix is not None for finding in one.findings)
        table.add_row(
            one.case.code,
            one.case.shape,
            str(len(one.findings)),
            dropped,
            f"{n_passed}/{one.n_fixes}",
            "yes" if one.is_right else "NO",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
