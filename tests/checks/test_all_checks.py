"""All rules together: order, choice and score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from redline.checks.all_checks import RULES, check, score
from redline.checks.problem import Problem

if TYPE_CHECKING:
    from tests.checks.conftest import MakeCandidate

BEFORE = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
BROKEN = "# ... rest of the code unchanged\n\tdef f(:\n```\n"


def test_right_code_has_no_problems(make_candidate: MakeCandidate) -> None:
    """And is worth one."""
    found = check(make_candidate(BEFORE, BEFORE.replace("1", "3")))
    assert found == ()
    assert score(found) == 1


def test_problems_come_in_the_order_of_their_lines(
    make_candidate: MakeCandidate,
) -> None:
    """Those of the whole candidate first."""
    candidate = make_candidate(BEFORE, BROKEN)
    found = check(candidate)
    places = [-1 if problem.line is None else problem.line for problem in found]
    assert places == sorted(places)
    assert {"elision", "leftover-marker", "syntax"} <= {p.rule for p in found}


def test_rules_can_be_chosen(make_candidate: MakeCandidate) -> None:
    """The others are not even asked."""
    candidate = make_candidate(BEFORE, BROKEN)
    assert {problem.rule for problem in check(candidate, rules=["elision"])} == {
        "elision"
    }
    assert check(candidate, rules=[]) == ()


@pytest.mark.parametrize("rule", [*RULES, "reply"])
def test_each_problem_costs(rule: str) -> None:
    """The score falls with each and stays in [0, 1]."""
    problem = Problem(rule=rule, message="x")
    assert 0 < score([problem] * 3) < score([problem]) < 1


def test_what_cannot_be_used_is_worth_less_than_what_looks_bad() -> None:
    """Of two candidates, one with mixed line ends beats one that does not parse."""
    grave = [Problem(rule="syntax", message="x")]
    light = [
        Problem(rule="line-ends", message="x"),
        Problem(rule="indentation", message="x"),
    ]
    assert score(grave) < score(light)


def test_a_language_without_grammar_is_judged_by_its_text(
    make_candidate: MakeCandidate,
) -> None:
    """Rules that would need one say nothing."""
    candidate = make_candidate("a\n", "(((\n<|cursor|>\n", language="haskell")
    assert [problem.rule for problem in check(candidate)] == ["leftover-marker"]
