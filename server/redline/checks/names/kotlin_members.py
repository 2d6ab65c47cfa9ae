"""`phantom-member` in Kotlin: calls of members that nothing has.

A file is judged if it can use nothing but the libraries of Kotlin and Java and the
workspace: by its imports, and by the dependencies of the build files above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.standard_words import kotlin_words
from redline.checks.names.value_origins import ValueOrigins
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles

_CALL = re.compile(
    r"(?:(?<=[\w)\]}?!])|(?m:^)[ \t]*+\??)\.(?P<name>[a-z]\w+)(?=\s*[({])"
)
_IMPORT = re.compile(r"^[ \t]*+import[ \t]++(?P<name>[\w.]++)", re.MULTILINE)
_OWN = re.compile(r"(?:kotlin|java)\.")
_DEPENDENCY = re.compile(
    r"\b(?:implementation|api|compileOnly|runtimeOnly|compile|kapt|ksp|annotationProcessor"
    r")[ \t]*+\(?(?!\s*+kotlin\(|\s*+project\()|<dependency>|com\.android|androidx"
)
_SOURCES = (".kt", ".kts", ".java")
_PACKAGE = re.compile(r"^package[ \t]++([\w.]++)", re.MULTILINE)


def check_kotlin_members(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report calls of names that neither a library nor the workspace has."""
    if candidate.language_id != "kotlin" or project is None or project.file is None:
        return
    words = kotlin_words()
    if not words or not any(project.folders_above):
        return
    lines = candidate.code_after.split("\n")
    origins: ValueOrigins | None = None
    for number, _ in candidate.introduced:
        text = lines[candidate.region_after.start + number]
        for found in _CALL.finditer(text):
            name = found["name"]
            word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
            if name in words or re.search(word, candidate.text_before):
                continue
            code = "\n".join(lines)
            others = re.sub(rf"(?<!fun )(?<=[\w)\]}}?!])\s*\.{name}\b", "", code)
            declared = rf"\bfun\b[^\n(]{{0,80}}\b{name}\b"
            if re.search(declared, code) or re.search(word, others):
                continue
            if project.is_found(word, _SOURCES):
                continue
            place = candidate.region_after.start + number, found.start("name")
            if not _is_closed(candidate, project):
                origins = origins or _origins(candidate, project)
            if origins is None or origins.is_own(*place):
                yield Problem(
                    rule="phantom-member",
                    message=(
                        f"Neither the standard library nor the workspace has `{name}`."
                    ),
                    line=number,
                )


def _origins(candidate: CheckedEdit, project: ProjectFiles) -> ValueOrigins:
    words = kotlin_words()

    def is_defined(name: str) -> bool:
        if name in words:
            return True
        word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
        others = re.sub(
            rf"(?<!fun )(?<=[\w)\]}}?!])\s*\.{name}\b", "", candidate.text_before
        )
        return re.search(word, others) is not None or project.is_found(word, _SOURCES)

    return ValueOrigins(candidate, project, is_defined, _CALL)


def _is_closed(candidate: CheckedEdit, project: ProjectFiles) -> bool:
    text = candidate.text_after
    for found in _IMPORT.finditer(text):
        name = found["name"]
        if _OWN.match(name):
            continue
        parts = [part for part in name.split(".") if part[:1].islower()]
        package = re.escape(".".join(parts))
        own = _PACKAGE.search(text)
        is_own = own is not None and re.fullmatch(package, own[1])
        if not is_own and not project.is_found(
            rf"(?m)^package {package}\b", (".kt", ".java")
        ):
            return False
    manifests = project.manifests(r"build\.gradle(?:\.kts)?|pom\.xml")
    return not any(map(_DEPENDENCY.search, manifests))
