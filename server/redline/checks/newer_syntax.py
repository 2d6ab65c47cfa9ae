"""`syntax`: grammar that is newer than the version that the project declares.

The grammars are of today, and read what an older compiler refuses. Each form has the
version that brought it, from the release notes of its language.
"""

from __future__ import annotations

from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.project_versions import grammar_version
from redline.checks.newer_forms import FORMS
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles

_MAX_N_CHARS = 1_000
"""Longer lines are data."""


def check_newer_syntax(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first form that the project's version does not have."""
    language = candidate.grammar or candidate.language_id
    forms = FORMS.get(language)
    if forms is None or project is None or project.file is None:
        return
    code = candidate.code_after.split("\n")
    new = [
        (number, _with_marks(text, code[at]))
        for number, text in candidate.introduced
        if (at := candidate.region_after.start + number) < len(code)
        and len(text) < _MAX_N_CHARS
    ]
    used = [
        (version, what, form, number)
        for version, what, form in forms
        for number, text in new
        if form.search(text)
    ]
    if not used:
        return
    allowed = grammar_version(language, project)
    old = candidate.code_before.split("\n")
    lines = [*map(_with_marks, candidate.text_before.split("\n"), old)]
    for version, what, form, number in used:
        if allowed is None or version <= allowed:
            continue
        # A file that has newer forms is not for the declared version.
        if not any(map(form.search, lines)):
            name = ".".join(map(str, version))
            yield Problem(
                rule="syntax",
                message=f"This is newer than the project's version: {what} came with"
                f" version {name} of the language.",
                line=number,
            )
            return


def _with_marks(text: str, code: str) -> str:
    """Return code in which three quotation marks that begin a string are seen."""
    at = text.find('"""')
    return f'{code[:at]}"""' if at >= 0 and code[at : at + 1] == '"' else code
