"""All checks of a candidate, and its score.

A rule reports only what the candidate introduced, not what was wrong before. Rules are
functions from a candidate and the workspace's environment to problems, each in a module
of its own, and listed in one table here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from math import prod

from msgspec import Struct

from redline.checks.accessors import check_accessors
from redline.checks.callers import check_callers
from redline.checks.candidate import CheckedEdit
from redline.checks.changed_results import check_changed_results
from redline.checks.compile_errors import check_compile_errors
from redline.checks.constructors import check_constructors
from redline.checks.data_files.css_variables import check_css_variables
from redline.checks.data_files.docker_stages import check_docker_stages
from redline.checks.data_files.workflow_jobs import check_workflow_jobs
from redline.checks.elision import check_elision
from redline.checks.flow import check_flow
from redline.checks.hidden import check_hidden
from redline.checks.import_changes.double_imports import check_double_imports
from redline.checks.indentation import check_indentation
from redline.checks.kept_lines import check_kept_lines
from redline.checks.kept_tests import check_kept_tests
from redline.checks.left_behind import check_left_behind
from redline.checks.leftover import check_leftovers
from redline.checks.line_ends import check_line_ends
from redline.checks.lost import check_lost
from redline.checks.lost_effects import check_lost_effects
from redline.checks.lost_names import check_lost_names
from redline.checks.lost_parts import check_lost_parts
from redline.checks.lost_return import check_lost_return
from redline.checks.lost_secret import check_lost_secrets
from redline.checks.moved_parameters import check_moved_parameters
from redline.checks.names.arguments import check_arguments
from redline.checks.names.c_fields import check_c_fields
from redline.checks.names.calls import check_calls
from redline.checks.names.declared_members import check_declared_members
from redline.checks.names.go_values import check_go_values
from redline.checks.names.java_types import check_java_types
from redline.checks.names.kotlin_members import check_kotlin_members
from redline.checks.names.lost_imports import check_lost_imports
from redline.checks.names.lua_members import check_lua_members
from redline.checks.names.members import check_members
from redline.checks.names.newer_names import check_newer_names
from redline.checks.names.newer_node import check_newer_node
from redline.checks.names.packages import check_packages
from redline.checks.names.php_members import check_php_members
from redline.checks.names.php_variables import check_php_variables
from redline.checks.names.sql_columns import check_sql_columns
from redline.checks.names.sql_plain_columns import check_plain_columns
from redline.checks.names.std_names import check_std_names
from redline.checks.names.swift_members import check_swift_members
from redline.checks.names.unknown import check_unknown
from redline.checks.names.variables import check_variables
from redline.checks.newer_syntax import check_newer_syntax
from redline.checks.outside import check_outside
from redline.checks.parallel_parts import check_parallel_parts
from redline.checks.placeholder import check_placeholders
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles, SearchTimeoutError
from redline.checks.protections.check import check_protections
from redline.checks.python.dataclass_fields import check_dataclass_fields
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.imports import check_imports
from redline.checks.python.newer import check_newer_grammar, check_newer_uses
from redline.checks.python.parameters import check_parameters
from redline.checks.python.slots import check_slots
from redline.checks.python.typed_uses import check_typed_uses
from redline.checks.python.undefined import check_names
from redline.checks.python.unknown_members import check_unknown_members
from redline.checks.structure import check_structure
from redline.checks.stub import check_stubs
from redline.checks.syntax import check_syntax
from redline.checks.text_cases import check_text_cases
from redline.checks.text_constants import check_text_constants
from redline.checks.unfinished import check_unfinished
from redline.checks.unrelated import check_unrelated

Check = Callable[[CheckedEdit, PythonEnvironment | None], Iterable[Problem]]
"""A rule; without an environment it skips what needs one."""


class CheckRule(Struct, frozen=True, kw_only=True):
    """One row of the table."""

    check: Check
    weight: float
    """How much one problem takes from a candidate's score, in [0, 1]: near one if the
    code cannot be used, small if it only looks wrong."""


def _in_project(
    check: Callable[[CheckedEdit, ProjectFiles | None], Iterable[Problem]],
) -> Check:
    """Return a rule that reads the files around the edited one.

    It reports nothing if its searches take too long.
    """

    def run(
        candidate: CheckedEdit, environment: PythonEnvironment | None
    ) -> Iterable[Problem]:
        if environment is None:
            return list(check(candidate, None))
        with environment.files_around(candidate.path) as project:
            try:
                return list(check(candidate, project))
            except SearchTimeoutError:
                return []

    return run


def _alone(
    check: Callable[[CheckedEdit], Iterable[Problem]], weight: float
) -> CheckRule:
    """Return a rule that needs only the candidate."""
    return CheckRule(check=lambda candidate, _: check(candidate), weight=weight)


def _check_all_names(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterable[Problem]:
    if candidate.is_python:
        columns = _in_project(check_plain_columns)(candidate, environment)
        return (*check_names(candidate, environment), *columns)
    return _in_project(_check_undefined)(candidate, environment)


def _check_undefined(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterable[Problem]:
    yield from check_calls(candidate, project)
    yield from check_variables(candidate, project)
    yield from check_lost_imports(candidate)
    yield from check_java_types(candidate, project)
    yield from check_php_variables(candidate, project)
    yield from check_css_variables(candidate, project)
    yield from check_workflow_jobs(candidate)
    yield from check_sql_columns(candidate)
    yield from check_plain_columns(candidate, project)


def _check_all_syntax(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterable[Problem]:
    return (
        *check_syntax(candidate),
        *check_structure(candidate),
        *_in_project(check_newer_syntax)(candidate, environment),
        *check_newer_grammar(candidate, environment),
    )


def _check_all_lost(candidate: CheckedEdit) -> Iterable[Problem]:
    found = (
        *check_lost_parts(candidate),
        *check_lost_names(candidate),
        *check_parallel_parts(candidate),
        *check_lost_effects(candidate),
    )
    # Most lines that are gone are a statement or an entry, too.
    return found or check_kept_lines(candidate)


def _check_all_compile_errors(candidate: CheckedEdit) -> Iterable[Problem]:
    found = (*check_compile_errors(candidate), *check_double_imports(candidate))
    if candidate.is_python:
        return (*found, *check_dataclass_fields(candidate))
    return (
        *found,
        *check_text_cases(candidate),
        *check_text_constants(candidate),
    )


def _check_all_callers(candidate: CheckedEdit) -> Iterable[Problem]:
    return (
        *check_callers(candidate),
        *check_constructors(candidate),
        *check_changed_results(candidate),
        *check_moved_parameters(candidate),
        *check_accessors(candidate),
    )


def _check_all_elision(candidate: CheckedEdit) -> Iterable[Problem]:
    return (*check_elision(candidate), *check_unfinished(candidate))


def _check_all_stubs(candidate: CheckedEdit) -> Iterable[Problem]:
    return (*check_stubs(candidate), *check_placeholders(candidate))


def _check_lost_values(candidate: CheckedEdit) -> Iterable[Problem]:
    return (*check_lost_return(candidate), *check_flow(candidate))


def _check_all_imports(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterable[Problem]:
    if candidate.is_python:
        return check_imports(candidate, environment)
    return _in_project(check_packages)(candidate, environment)


def _check_all_members(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterable[Problem]:
    found = [*_in_project(_check_members)(candidate, environment)]
    if not candidate.is_python:
        return found
    found += check_typed_uses(candidate, environment)
    found += check_newer_uses(candidate, environment)
    found += check_slots(candidate)
    lines = {problem.line for problem in found}
    unknown = _in_project(check_unknown_members)(candidate, environment)
    return [*found, *(one for one in unknown if one.line not in lines)]


def _check_all_parameters(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterable[Problem]:
    if candidate.is_python:
        return check_parameters(candidate, environment)
    return _in_project(check_arguments)(candidate, environment)


def _check_members(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterable[Problem]:
    found = list(check_members(candidate, project))
    lines = {problem.line for problem in found}
    found += (one for one in check_unknown(candidate, project) if one.line not in lines)
    found += check_newer_names(candidate, project)
    found += check_newer_node(candidate, project)
    found += check_std_names(candidate)
    found += check_docker_stages(candidate)
    found += check_c_fields(candidate, project)
    found += check_declared_members(candidate, project)
    found += check_kotlin_members(candidate, project)
    found += check_go_values(candidate)
    found += check_php_members(candidate, project)
    found += check_swift_members(candidate, project)
    found += check_lua_members(candidate, project)
    return found


RULES = {
    "elision": _alone(_check_all_elision, 0.7),
    "stub": _alone(_check_all_stubs, 0.7),
    "leftover-marker": _alone(check_leftovers, 0.7),
    "hidden-character": _alone(check_hidden, 0.7),
    "lost-secret": _alone(check_lost_secrets, 0.7),
    "syntax": CheckRule(check=_check_all_syntax, weight=0.6),
    "compile-error": _alone(_check_all_compile_errors, 0.6),
    "unrelated": _alone(check_unrelated, 0.7),
    "outside-range": _alone(check_outside, 0.5),
    "undefined-name": CheckRule(check=_check_all_names, weight=0.5),
    "phantom-import": CheckRule(check=_check_all_imports, weight=0.5),
    "phantom-member": CheckRule(check=_check_all_members, weight=0.5),
    "phantom-parameter": CheckRule(check=_check_all_parameters, weight=0.5),
    "lost-definition": _alone(check_lost, 0.4),
    "lost-test": _alone(check_kept_tests, 0.4),
    "indentation": _alone(check_indentation, 0.2),
    "line-ends": _alone(check_line_ends, 0.1),
    # Its check is below.
    "lost-protection": _alone(lambda _: (), 0.5),
}
"""Every rule of candidates, by id."""

BY_TEXT = {
    "lost-definition": _check_all_lost,
    "stub": _check_lost_values,
    "phantom-parameter": _check_all_callers,
    "undefined-name": check_left_behind,
    "lost-protection": check_protections,
}
"""Further checks, by the rule that they report. They compare texts in any language, and
run only if the table has no problem: most other faults also look like these."""

_REPLY_WEIGHT = 0.5
"""The weight of problems of the reply parser, which are not in the table."""


def check(
    candidate: CheckedEdit,
    *,
    environment: PythonEnvironment | None = None,
    rules: Collection[str] | None = None,
) -> tuple[Problem, ...]:
    """Run the checks on a candidate.

    Args:
        candidate: The candidate to check.
        environment: What the workspace can import, for the Python rules.
        rules: Ids of the rules to run; None: all.

    Returns:
        Problems in the order of their lines, those of the whole candidate first.
    """
    environment = environment.for_one_check() if environment else None
    found: list[Problem] = []
    for name, rule in RULES.items():
        if rules is None or name in rules:
            found += rule.check(candidate, environment)
    for name, by_text in BY_TEXT.items():
        if not found and (rules is None or name in rules):
            found += by_text(candidate)
    # A rule may report one place twice.
    return tuple(sorted(dict.fromkeys(found), key=_place))


def score(problems: Iterable[Problem]) -> float:
    """Return the score for some problems: 1 for none, towards 0 with each.

    The same problem twice is worse than once, and one grave problem is worse than a few
    cosmetic ones.
    """
    return prod(1 - _weight(problem.rule) for problem in problems)


def _weight(rule: str) -> float:
    return RULES[rule].weight if rule in RULES else _REPLY_WEIGHT


def _place(problem: Problem) -> int:
    return -1 if problem.line is None else problem.line
