"""`phantom-parameter` in C#, PHP and Ruby: named arguments without a parameter.

The called function must be in the file. Another source of the workspace with a function
of that name and such a parameter excuses it, and so does a class whose other parts or
bases may have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import SUFFIXES
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.named_arguments import named_arguments, parameters

RULE = "phantom-parameter"

_LANGUAGES = frozenset({Language.CSHARP, Language.PHP, Language.RUBY})
_MAY_OVERLOAD = {
    Language.CSHARP: re.compile(
        r"\bpartial\b|\b(?:class|record|struct) \w++(?:<[^<>]*+>)?(?:\([^()]*+\))?\s*+:"
    ),
    Language.PHP: re.compile(r"\b__call\w*\b"),
    Language.RUBY: re.compile(r"\b(?:method_missing|define_method|class_eval)\b"),
}


def check_arguments(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report named arguments that the called function does not have."""
    tree = candidate.tree_after
    if tree is None or tree.language not in _LANGUAGES or tree.errors:
        return
    if not any(":" in line for line in candidate.new_lines):
        return
    given = list(named_arguments(tree, candidate.region_after))
    if not given or _MAY_OVERLOAD[tree.language].search(candidate.text_after):
        return
    known = parameters(tree)
    seen: set[tuple[str, str]] = set()
    for one in given:
        names = known.get(one.callee)
        if names is None or one.name in names or (one.callee, one.name) in seen:
            continue
        seen.add((one.callee, one.name))
        if one.line not in candidate.region_after:
            continue
        if not _is_elsewhere(one.callee, one.name, candidate, project):
            listed = ", ".join(f"`{name}`" for name in sorted(names)) or "none"
            yield Problem(
                rule=RULE,
                message=(
                    f"`{one.callee}` has no parameter `{one.name}`; it has {listed}."
                ),
                line=candidate.line_in_region(one.line),
            )


def _is_elsewhere(
    callee: str, name: str, candidate: CheckedEdit, project: ProjectFiles | None
) -> bool:
    function = re.escape(callee.removeprefix("new "))
    used = rf"\b{function}\s*\([^()]*\b{re.escape(name)}\b"
    if re.search(used, candidate.text_before):
        return True
    assert candidate.grammar is not None
    return project is not None and project.is_found(used, SUFFIXES[candidate.grammar])
