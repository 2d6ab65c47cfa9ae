"""The accuracy of the checks, rule by rule, on replies with the faults of models.

`python -m benchmarks.replies` checks every case of `tests/data/replies/`, then the
edits of `human_edits`, and prints for each rule how many cases it should report, how
many of these it reports and misses, and its false alarms. It exits with 1 if the result
of a case is not as expected, or more than 2 % of the edits cause a false alarm.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.human_edits import accusations, read_edits
from benchmarks.reply_cases import ReplyCase, Verdict, environment, judge, reply_cases
from redline.checks.all_checks import RULES
from redline.checks.python.environment import PythonEnvironment

MAX_ACCUSED_SHARE = 0.02
"""Of correct edits that people made."""


def main() -> int:
    """Print the tables."""
    console = Console()
    judged = [(case, judge(case, environment())) for case in reply_cases()]
    console.print(_table(judged))
    n_right = sum(not case.rules for case, _ in judged)
    console.print(f"{len(judged)} replies, {n_right} of them right")
    wrong = [case.name for case, verdict in judged if not is_as_expected(case, verdict)]
    for name in wrong:
        console.print(f"[red]another verdict than it should have[/red]: {name}")
    edits = read_edits()
    accused = list(accusations(edits, PythonEnvironment([])))
    for edit, problems in accused:
        rules = ", ".join(sorted({problem.rule for problem in problems}))
        console.print(f"accused: {edit.path}, {edit.name} ({rules})")
    share = len(accused) / len(edits)
    console.print(
        f"{len(accused)} of {len(edits)} edits by people wrongly accused"
        f" ({100 * share:.1f} %)"
    )
    return 1 if wrong or share > MAX_ACCUSED_SHARE else 0


def is_as_expected(case: ReplyCase, verdict: Verdict) -> bool:
    """Whether the result of a case is as expected."""
    has_text = case.becomes is None or verdict.text == case.becomes
    is_declined = verdict.reply.declined is not None
    return (
        verdict.rules == case.rules - case.missed
        and has_text
        and is_declined == case.is_declined
    )


def _table(judged: Sequence[tuple[ReplyCase, Verdict]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("rule")
    for name in ("to report", "caught", "missed", "wrongly accused"):
        table.add_column(name, justify="right")
    for rule in ("reply", *RULES):
        expected = {case.name for case, _ in judged if rule in case.rules}
        found = {case.name for case, verdict in judged if rule in verdict.rules}
        sets = (expected, expected & found, expected - found, found - expected)
        table.add_row(rule, *(str(len(names)) for names in sets))
    return table


if __name__ == "__main__":
    sys.exit(main())
