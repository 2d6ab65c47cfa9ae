"""`phantom-member` in PHP: methods of `$this` that the class does not have.

Only classes without a base, a trait or methods that answer to any name, in files whose
classes all are such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import without_text
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language

_OPEN = re.compile(
    r"\bextends\b|\btrait\b|\babstract\s++class\b|\b__call(?:Static)?\b"
    r"|^[ \t]*+use\s++[\w\\,][\w\\, ]*+[;{]"
    r"|\bbind(?:To)?\(|->call\(",
    re.MULTILINE | re.IGNORECASE,
)
_CALL = re.compile(r"(?:\$this\s*+->|\b(?:self|static)::)\s*+(?P<name>[a-zA-Z_]\w*+)\(")
_CLASS = re.compile(r"\b(?:class|enum)\s+\w+", re.IGNORECASE)


def check_own_methods(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first method that the edit calls and nothing declares."""
    if candidate.grammar is not Language.PHP or project is None:
        return
    code = without_text(candidate.text_after, "php")
    # An import of a name has no indentation, and the trait of a class has some.
    inside = code[found.start() :] if (found := _CLASS.search(code)) else ""
    if not inside or _OPEN.search(inside):
        return
    lines = code.split("\n")
    for number, _ in candidate.introduced:
        line = lines[candidate.region_after.start + number]
        for found in _CALL.finditer(line):
            name = found["name"]
            word = rf"\bfunction\s+&?\s*{re.escape(name)}\b"
            if re.search(word, code, re.IGNORECASE):
                continue
            if name in candidate.text_before or project.is_found(word, (".php",)):
                continue
            owner = "This class" if line[found.start()] == "$" else "The class"
            yield Problem(
                rule="phantom-member",
                message=f"{owner} has no method `{name}`.",
                line=number,
            )
            return
