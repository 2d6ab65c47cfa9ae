"""What an edit does to the ways through a function.

Reported are functions that returned a value on every way and may now end without one,
statements behind one that always leaves, and in Go a `return` with another number of
values than the function has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.requested_changes import wants_constant, wants_loss, wants_stub
from redline.syntax.flow import FunctionFlow, function_flows, functions_in, unreached
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS

_LANGUAGES = frozenset(
    {Language.C, Language.CPP, Language.CSHARP, Language.GO, Language.JAVA}
    | {Language.PHP, Language.PYTHON, *SCRIPTS}
)
_WANTED = re.compile(
    r"\b(?:return|void|nothing|print|in.?place|mutat|write|emit|yield|callback|generator"
    r"|async|promise|property|setter|none|null|nil|undefined)",
    re.IGNORECASE,
)


def check_flow(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report what leaves a function without a value, or is never reached."""
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or after.language not in _LANGUAGES:
        return
    if before.errors or after.errors or wants_stub(candidate.instruction):
        return
    yield from _unreached(candidate, before, after)
    new = function_flows(after, functions_in(after, candidate.region_after))
    ending = {name for name, one in new.items() if one.may_end}
    old = function_flows(before, ending)
    for name, function in new.items():
        if after.language is Language.GO:
            yield from _wrong_returns(candidate, function)
        if name not in old and _lacks_value(function, name, before):
            yield Problem(
                rule="compile-error",
                message=f"`{name}` may end without the value that it is to return.",
                line=candidate.line_in_region(function.first_line),
            )
        if name in old and _lost_value(candidate, old[name], function):
            yield Problem(
                rule="stub",
                message=f"`{name}` may now end without a value, and returned one"
                " before.",
                line=candidate.line_in_region(function.first_line),
            )


def _lacks_value(function: FunctionFlow, name: str, before: Tree) -> bool:
    """Whether a new function of which a value is wanted may end without one."""
    if not function.may_end or not function.needs_value or function.is_generator:
        return False
    if before.language in (Language.PHP, Language.PYTHON):
        return False
    return not re.search(rf"\b{re.escape(name)}\b".encode(), before.source)


def _lost_value(candidate: CheckedEdit, old: FunctionFlow, new: FunctionFlow) -> bool:
    if old.may_end or not old.returns_value or not new.may_end or new.is_generator:
        return False
    if new.returns_value:
        return True
    wish = candidate.instruction
    is_wanted = _WANTED.search(wish) or wants_loss(wish) or wants_constant(wish)
    return old.head == new.head and not is_wanted


def _unreached(candidate: CheckedEdit, before: Tree, after: Tree) -> Iterator[Problem]:
    """Yield the first statement in the region that became unreachable."""
    if wants_constant(candidate.instruction):
        return
    region = candidate.region_after
    found = [one for one in unreached(after, region) if one[0] in region]
    if found and not any(True for _ in unreached(before)):
        line, text = found[0]
        yield Problem(
            rule="stub",
            message=f"This is never reached: {text}",
            line=candidate.line_in_region(line),
        )


def _wrong_returns(candidate: CheckedEdit, function: FunctionFlow) -> Iterator[Problem]:
    for one in function.wrong_returns:
        if one.line in candidate.region_after:
            yield Problem(
                rule="phantom-parameter",
                message=f"This returns {one.n_values} of {one.n_results} values:"
                f" {one.text}",
                line=candidate.line_in_region(one.line),
            )
            return
