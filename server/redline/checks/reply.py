"""Problems of the reply parser as problems of a candidate."""

from __future__ import annotations

import re
from collections.abc import Iterable

from redline.checks.problem import Problem
from redline.text.reply import ReplyProblem

_DELETION = re.compile(
    r"(?:^|[.;:!?]\s|\n|\b(?:please|just|simply|so|then|now|you can)\b,?"
    r"|\b(?:can|could|would|will) you\b|\b(?:you|want|like|need) to\b"
    r"|,(?=[^\S\n]{1,4}\w{1,9} (?:it|this|that|them)\b))[^\S\n]*+"
    r"(?:delete|remove|drop|erase|clear|cut|get rid of)\b(?![(_.])",
    re.IGNORECASE,
)
"""An instruction to delete, at the start of a clause. It is strict, since a match lets
an empty range pass unseen: "don't remove" and "a delete button" do not match."""


def check_reply(
    problems: Iterable[ReplyProblem], *, instruction: str
) -> tuple[Problem, ...]:
    """Convert the parser's faults into problems.

    Args:
        problems: The parser's report; what it repaired itself is not a problem.
        instruction: An empty reply is right if this asks for a deletion.
    """
    wants_deletion = _DELETION.search(instruction) is not None
    return tuple(
        Problem(
            rule="reply",
            message=problem.message,
            line=problem.line,
        )
        for problem in problems
        if problem.is_fault and not (problem.kind == "empty" and wants_deletion)
    )
