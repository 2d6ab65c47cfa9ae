"""Problems of the reply parser as problems of a candidate."""

from __future__ import annotations

from collections.abc import Iterable

from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_nothing
from redline.text.reply import ReplyProblem


def check_reply(
    problems: Iterable[ReplyProblem], *, instruction: str
) -> tuple[Problem, ...]:
    """Convert the parser's faults into problems.

    Args:
        problems: The parser's report; what it repaired itself is not a problem.
        instruction: An empty reply is right if this asks for a deletion.
    """
    may_be_empty = wants_nothing(instruction)
    return tuple(
        Problem(
            rule="reply",
            message=problem.message,
            line=problem.line,
        )
        for problem in problems
        if problem.is_fault and not (problem.kind == "empty" and may_be_empty)
    )
