"""`lost-definition`: an `await` in front of the same call, or the call of the base.

The rules compare texts, in any language, and judge only what the instruction does not
name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_loss

_AWAITED = re.compile(r"\bawait\s+(?P<name>[\w.$?!]+)\s*\(")
_WAITING = re.compile(
    r"\b(?:Promise|gather|WhenAll|WhenAny|allSettled|TaskGroup|create_task|join|wait"
    r"|then|coroutine|async let)\b"
)
_ASYNC_WISH = re.compile(
    r"\b(?:a?sync|await|promise|parallel|concurren|background|wait|block|fire|at once"
    r"|race|then\()",
    re.IGNORECASE,
)
_BASE = re.compile(r"\bsuper(?:\.|::)(?P<name>\w+)\s*\(")
_BASE_WISH = re.compile(r"\b(?:super|base|parent|overrid|inherit)", re.IGNORECASE)


def check_lost_effects(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first effect that an edit loses without a wish."""
    if not candidate.instruction:
        return
    for rule in (_lost_wait, _lost_base):
        if (problem := rule(candidate)) is not None:
            yield problem
            return


def _codes(candidate: CheckedEdit) -> tuple[str, str]:
    language = candidate.language_id
    old, new = (
        without_text("".join(lines), language)
        for lines in (candidate.old_lines, candidate.new_lines)
    )
    return old, new


def _lost_wait(candidate: CheckedEdit) -> Problem | None:
    old, new = _codes(candidate)
    if _ASYNC_WISH.search(candidate.instruction) or _WAITING.search(new):
        return None
    for found in _AWAITED.finditer(old):
        call = rf"(?<![\w.$]){re.escape(found['name'])}\s*\("
        uses = list(re.finditer(call, new))
        heads = [new[: use.start()].rpartition("\n")[2] for use in uses]
        is_bare = [re.search(r"\b(?:await|return|yield)\b|=>", one) for one in heads]
        if (
            uses
            and not any(is_bare)
            and len(_AWAITED.findall(old)) > len(_AWAITED.findall(new))
        ):
            return Problem(
                rule="lost-definition",
                message=f"`{found['name']}` is no longer awaited.",
            )
    return None


def _lost_base(candidate: CheckedEdit) -> Problem | None:
    old, new = _codes(candidate)
    wish = candidate.instruction
    if _BASE_WISH.search(wish) or wants_loss(wish):
        return None
    for found in _BASE.finditer(old):
        name = re.escape(found["name"])
        if not re.search(rf"\bsuper(?:\.|::){name}\b", new):
            return Problem(
                rule="lost-definition",
                message=f"`super.{found['name']}()` is no longer called.",
            )
    return None
