"""Replies as models write them get the right verdict, and are repaired if possible."""

from __future__ import annotations

import pytest
from benchmarks.reply_cases import ReplyCase, environment, judge, reply_cases

from redline.checks.all_checks import RULES

CASES = reply_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdicts(case: ReplyCase) -> None:
    """Through the parser and all checks, as an edit goes."""
    verdict = judge(case, environment())
    assert verdict.rules == case.rules - case.missed, verdict.problems
    assert (verdict.reply.declined is not None) == case.is_declined
    if case.becomes is not None:
        assert verdict.text == case.becomes
    for problem in verdict.problems:
        assert problem.message.endswith((".", "!", "?")) or ": " in problem.message


def test_there_are_enough_of_each_kind() -> None:
    """A third of them are right, and each rule that replies can break has some."""
    n_right = sum(not case.rules for case in CASES)
    assert len(CASES) >= 120
    assert n_right >= len(CASES) / 3
    # The parser restores line ends, indentation and the borders of the range; none of
    # these edits writes tests, and none of these files has a secret.
    restored = {"line-ends", "indentation", "outside-range"}
    for rule in {"reply", *RULES} - restored - {"lost-test", "lost-secret"}:
        assert sum(rule in case.rules for case in CASES) >= 4, rule
