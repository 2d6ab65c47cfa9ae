"""`undefined-name` in CSS: custom properties that are used and that nothing sets.

Reported if the edit brings the use or takes away what set it, and the file sets others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles

_LANGUAGES = frozenset({"css", "scss", "less"})
_SET = re.compile(
    r"(?<![\w-])(?P<name>--[\w-]++)\s*+:|@property\s++(?P<other>--[\w-]++)"
)
_USE = re.compile(r"\bvar\(\s*+(?P<name>--[\w-]++)\s*+\)")
_STYLES = (".css", ".scss", ".less", ".html", ".vue", ".svelte", ".js", ".ts", ".tsx")


def check_css_variables(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first use that nothing of the workspace answers."""
    if candidate.language_id not in _LANGUAGES or project is None:
        return
    known = {name for name, _ in _unset(candidate.text_before)}
    for name, line in _unset(candidate.text_after):
        if name not in known and not project.is_found(re.escape(name), _STYLES):
            yield Problem(
                rule="undefined-name",
                message=f"Nothing sets `{name}`.",
                line=candidate.line_in_region(line),
            )
            return


def _unset(text: str) -> Iterator[tuple[str, int]]:
    """Yield the custom properties that a file uses and does not set, and their lines.

    None of a file that sets none: another one sets those that it uses.
    """
    given = {found["name"] or found["other"] for found in _SET.finditer(text)}
    for found in _USE.finditer(text) if given else ():
        if found["name"] not in given:
            yield found["name"], text.count("\n", 0, found.start())
