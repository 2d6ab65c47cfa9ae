"""What an edit takes out of the statements that it leaves: a wait, a check, a call.

The rules compare texts, in any language, and judge only what the instruction does not
name: an `await` in front of the same call, the call of the base's method, an assertion
that has become constant, and code that changed where only comments were asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_loss
from redline.syntax.language import Language

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
_CONSTANT = re.compile(
    r"\bassert\s+(?:True|1)\s*(?:$|#)|\bassert(?:True|_true|That)?\(\s*true\s*[,)]"
    r"|\bexpect\(\s*true\s*\)\.(?:to(?:Be|Equal)|to\.be)|\bassert!\(\s*true\s*[,)]"
    r"|\bXCTAssert(?:True)?\(\s*true\s*[,)]|\bassert_equal\(?\s*true,\s*true",
    re.MULTILINE,
)
_ASSERTION = re.compile(r"\b(?:assert|expect|XCTAssert|should)\w*")
_COMMENTS_ONLY = re.compile(
    r"(?:please |just |only )*(?:add|write|give|improve|fix|extend|translate|update)"
    r" (?:it |this |here |us )?(?:an? |the |some |missing |short |proper )*"
    r"(?:doc(?:umentation)?[ -]?(?:comment|string|block)s?|docs?|javadoc|jsdoc|kdoc"
    r"|phpdoc|rustdoc|comments?)"
    r"(?: (?:for|to|on|above) (?:it|this|that|the \w+|each \w+"
    r"|every \w+|all \w+))?[.!]?",
    re.IGNORECASE,
)
_CODE = re.compile(r"[\s;,]+")


def check_lost_effects(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report the first effect that an edit loses without a wish."""
    if not candidate.instruction:
        return
    for rule in (_lost_wait, _lost_base, _constant_check, _changed_code):
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


def _constant_check(candidate: CheckedEdit) -> Problem | None:
    old, new = _codes(candidate)
    if len(_CONSTANT.findall(new)) <= len(_CONSTANT.findall(old)):
        return None
    n_old = len(_ASSERTION.findall(old)) - len(_CONSTANT.findall(old))
    n_new = len(_ASSERTION.findall(new)) - len(_CONSTANT.findall(new))
    if n_new >= n_old:
        return None
    return Problem(rule="stub", message="An assertion is now always true.")


def _changed_code(candidate: CheckedEdit) -> Problem | None:
    """Judge an edit that is to add comments only; docstrings are code in Python."""
    if _COMMENTS_ONLY.fullmatch(candidate.instruction.strip()) is None:
        return None
    if candidate.grammar in (None, Language.PYTHON):
        return None
    old, new = (_CODE.sub("", code) for code in _codes(candidate))
    if not old or old == new:
        return None
    return Problem(
        rule="unrelated",
        message="Only comments were asked for, and the code has changed.",
    )
