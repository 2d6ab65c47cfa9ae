"""The rule `phantom-import`: imports of modules or names that do not exist.

Only imports that the candidate adds are checked, and only those without an excuse: a
fallback for a failed import, a project file that declares the package, an instruction
that speaks of what the project declares.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from difflib import get_close_matches

from msgspec import Struct

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.python.additions import added_in
from redline.checks.python.definition import Imported
from redline.checks.python.environment import ImportableModules, PythonEnvironment
from redline.checks.python.import_statements import ImportedHere, imports_of
from redline.checks.python.module_files import Absence, Module
from redline.checks.python.resolve import Resolver
from redline.checks.python.source import parse
from redline.checks.python.standard_types import standard_names
from redline.checks.requested_changes import will_declare

RULE = "phantom-import"

_CLOSE = 0.8
"""Similarity of two names, from 0 to 1, from which one is suggested for the other."""

_IMPORT = re.compile(r"\bimport\b")


def check_imports(
    candidate: CheckedEdit, environment: PythonEnvironment | None
) -> Iterator[Problem]:
    """Report imports of modules and names that do not exist.

    Args:
        candidate: The candidate to check.
        environment: What can be imported; None: unknown, so that no import is
            reported.
    """
    if environment is None or not candidate.is_python:
        return
    is_written = any(_IMPORT.search(line) for line in candidate.new_lines)
    if not is_written and not candidate.import_lines:
        return
    tree = parse(candidate.text_after)
    if tree is None:
        return
    here = [
        one
        for one in imports_of(tree)
        if one.line in candidate.region_after or one.line in candidate.import_lines
    ]
    here.sort(key=lambda one: one.line)
    with environment.seen_from(candidate.path) as surroundings:
        judge = ImportJudge(candidate, surroundings)
        for one in here:
            message = None if one.is_guarded else judge.message(one.imported)
            if message is not None:
                line = candidate.line_in_region(one.line)
                yield Problem(rule=RULE, message=message, line=line)


class _Before(Struct, frozen=True, kw_only=True):
    """The imports of the file before the edit."""

    imports: frozenset[Imported]
    top_names: frozenset[str]
    unguarded_top_names: frozenset[str]


class ImportJudge:
    """Checks the imports of one candidate."""

    def __init__(self, candidate: CheckedEdit, surroundings: ImportableModules) -> None:
        self._candidate = candidate
        self._surroundings = surroundings
        self._resolver = Resolver(surroundings)
        self._read_before: _Before | None = None

    def message(self, imported: Imported) -> str | None:
        """Return what is wrong with an import; None if nothing is known to be."""
        module = self._surroundings.find_imported(imported, self._surroundings.file)
        if module is Absence.UNKNOWN:
            message = self._undeclared(imported)
        elif isinstance(module, Absence):
            message = self._no_module(imported)
        else:
            message = self._too_new(imported) or self._no_name(imported, module)
        if message is None or imported in self._before.imports:
            return None
        return message

    def missing_name(self, imported: Imported) -> str | None:
        """Return a message if a module that may exist does not have a name."""
        module = self._surroundings.find_imported(imported, self._surroundings.file)
        if module is Absence.MISSING:
            return None
        if isinstance(module, Absence):
            module = Module(is_opaque=True)
        return self._too_new(imported) or self._no_name(imported, module)

    def _undeclared(self, imported: Imported) -> str | None:
        """Judge a package by what the project declares, without an environment."""
        top = imported.module.partition(".")[0]
        if imported.level or not self._surroundings.declares_packages():
            return None
        if self._is_excused(top) or self._is_own_or_declared(top):
            return None
        # If the file already needs an unlisted package, the list is not complete.
        if not all(map(self._is_own_or_declared, self._before.unguarded_top_names)):
            return None
        return f"the project does not declare the package `{top}`."

    def _is_own_or_declared(self, top: str) -> bool:
        around = self._surroundings
        return around.is_declared(top) or around.may_be_own(top)

    def _too_new(self, imported: Imported) -> str | None:
        """Return a message if the project's Python does not have a standard name."""
        added = added_in(imported.module, imported.name) or added_in(
            imported.module, None
        )
        oldest = self._surroundings.oldest_version()
        if added is None or oldest is None or imported.level or added <= oldest:
            return None
        name = imported.name if added_in(imported.module, imported.name) else None
        dotted = f"{imported.module}.{name}" if name else imported.module
        return (
            f"`{dotted}` is new in Python {added[0]}.{added[1]}, and the project allows"
            f" {oldest[0]}.{oldest[1]}."
        )

    def _no_module(self, imported: Imported) -> str | None:
        top, *rest = imported.module.split(".")
        if imported.level:
            dotted = "." * imported.level + imported.module
            return f"there is no module `{dotted}` here."
        if self._surroundings.find(top) is Absence.MISSING:
            return None if self._is_excused(top) else self._no_top_module(top)
        known = top
        while isinstance(self._surroundings.find(f"{known}.{rest[0]}"), Module):
            known = f"{known}.{rest.pop(0)}"
        return self._no_submodule(known, rest[0])

    def _no_top_module(self, name: str) -> str:
        guess = _guess(name, self._surroundings.top_level_names())
        return (
            f"no module `{name}` is in the workspace, the standard library or the"
            f" workspace's environment{guess}"
        )

    def _no_submodule(self, package: str, name: str) -> str:
        found = self._surroundings.find(package)
        names: set[str] = set()
        if isinstance(found, Module):
            names = self._surroundings.submodule_names(found)
        return f"`{package}` has no module `{name}`{_guess(name, names)}"

    def _no_name(self, imported: Imported, module: Module) -> str | None:
        name = imported.name
        if name is None or name == "*" or name.startswith("__"):
            return None
        is_newer = added_in(imported.module, name) is not None
        if is_newer and not self._surroundings.has_environment():
            return None
        dotted = f"{imported.module}.{name}".lstrip(".")
        inner = Imported(module=dotted, level=imported.level)
        found = self._surroundings.find_imported(inner, self._surroundings.file)
        if isinstance(found, Module):
            return None
        names: Set[str] | None = self._resolver.names_of(module)
        if names is None or found is Absence.UNKNOWN:
            # The table has the public names of the standard library.
            is_other = imported.level or module.own_sources or name[0] == "_"
            names = None if is_other else standard_names(imported.module)
        if names is None or name in names:
            return None
        dotted = "." * imported.level + imported.module
        return f"`{dotted}` defines no `{name}`{_guess(name, names)}"

    def _is_excused(self, top: str) -> bool:
        """Whether a missing package is not the candidate's invention."""
        if will_declare(self._candidate.instruction):
            return True
        before = self._before
        return (
            top in before.top_names
            or self._surroundings.is_declared(top)
            or any(self._is_unlisted(name) for name in before.unguarded_top_names)
        )

    def _is_unlisted(self, top: str) -> bool:
        """Whether the file already imported a missing package.

        If so, the environment that was found is not the one that the file runs in.
        """
        is_missing = self._surroundings.find(top) is Absence.MISSING
        return is_missing and not self._surroundings.is_declared(top)

    @property
    def _before(self) -> _Before:
        if self._read_before is None:
            tree = parse(self._candidate.text_before)
            self._read_before = _summed_up(list(imports_of(tree or ast.Module([], []))))
        return self._read_before


def _summed_up(imports: list[ImportedHere]) -> _Before:
    absolute = [one for one in imports if not one.imported.level]
    return _Before(
        imports=frozenset(one.imported for one in imports),
        top_names=frozenset(_top(one) for one in absolute),
        unguarded_top_names=frozenset(
            _top(one) for one in absolute if not one.is_guarded
        ),
    )


def _top(one: ImportedHere) -> str:
    return one.imported.module.partition(".")[0]


def _guess(name: str, names: Set[str]) -> str:
    close = get_close_matches(name, sorted(names), n=1, cutoff=_CLOSE)
    return f"; did you mean `{close[0]}`?" if close else "."
