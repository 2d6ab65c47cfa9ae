"""The checks of one edit as work for a parser process.

The process keeps the Python environment between calls, with the files that it has read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from redline.checks.all_checks import RULES, check, score
from redline.checks.candidate import CheckedEdit
from redline.checks.edit_question import CheckedFolders, EditCheck, EditVerdict
from redline.checks.import_changes.import_changes import import_changes
from redline.checks.python.environment import PythonEnvironment
from redline.checks.python.folders import OpenFiles
from redline.text.line_diff import LineHunk, apply_hunks
from redline.text.uri import is_file, uri_path


def check_edit(question: EditCheck) -> EditVerdict:
    rules = RULES.keys() - question.off
    edit = _edit(question)
    imports: tuple[LineHunk, ...] = ()
    environment = environment_of(question.environment)
    if question.adds_imports:
        with environment.files_around(edit.path) as project:
            changes = import_changes(edit, question.lead, project)
        if changes is None:
            return EditVerdict(problems=(), score=0.0, imports=None)
        imports, edit = changes, _with_imports(edit, changes)
    found = check(edit, environment=environment, rules=rules)
    problems = tuple(dict.fromkeys((*question.reply_problems, *found)))
    failed = {problem.rule for problem in found}
    return EditVerdict(
        problems=problems,
        score=score(problems),
        imports=imports,
        passed=tuple(rule for rule in RULES if rule in rules - failed),
    )


def _edit(question: EditCheck) -> CheckedEdit:
    first, end = question.first, question.first + question.n_old
    after = question.after
    if after is None:
        after = (*question.before[:first], *question.new, *question.before[end:])
    return CheckedEdit(
        before=question.before,
        after=after,
        region_before=range(first, end),
        region_after=range(first, first + len(question.new)),
        language=question.language,
        path=question.path,
        instruction=question.instruction,
        kind=question.kind,
        secrets=question.secrets,
    )


def _with_imports(edit: CheckedEdit, imports: Sequence[LineHunk]) -> CheckedEdit:
    shift = sum(hunk.shift for hunk in imports)
    start, stop = edit.region_after.start, edit.region_after.stop
    return replace(
        edit,
        after=apply_hunks(edit.after, imports),
        region_after=range(start + shift, stop + shift),
        imports=imports,
    )


class _Environments:
    """The environment of the last check, and what is open in the editor now."""

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._environment: PythonEnvironment | None = None
        self._open_files = OpenFiles()

    def get(self, given: CheckedFolders) -> PythonEnvironment:
        self._open_files = OpenFiles(
            {
                Path(uri_path(uri)): lines
                for uri, lines in given.open_texts.items()
                if is_file(uri)
            }
        )
        key = (given.roots, given.python)
        if self._environment is None or key != self._key:
            self._key = key
            self._environment = PythonEnvironment(
                [Path(uri_path(uri)) for uri in given.roots],
                configured=None if given.python is None else Path(given.python),
                variables=os.environ,
                open_files=lambda: self._open_files,
            )
        return self._environment


environment_of = _Environments().get
"""Returns the Python environment of some folders, with what it has read before."""
