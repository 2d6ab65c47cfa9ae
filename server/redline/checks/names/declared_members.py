"""`phantom-member` in Kotlin, Swift and Dart: `Type.member` of a type of the file.

An enumeration, a sealed or another type that the file declares, whose bases add nothing
by its name. The member's name must be nowhere else in the file and the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.code_text import in_brackets, without_text
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.word_set import word_set

_SUFFIXES = {
    "kotlin": (".kt", ".kts", ".java"),
    "swift": (".swift",),
    "dart": (".dart",),
}
_DECLARED = re.compile(
    r"\b(?:class|struct|enum|interface|object|actor)\s+(?P<name>[A-Z]\w*+)"
)
_USE = re.compile(r"(?<![\w.])(?P<owner>[A-Z]\w*+)\.(?P<name>[A-Za-z_]\w*+)")
_GIVEN = word_set(
    # Kotlin
    "values valueOf entries Companion serializer INSTANCE class java"
    # Swift
    " allCases self Type Protocol init CodingKeys AllCases RawValue ID shared"
    # Dart
    " new hashCode runtimeType toString"
)
"""Members that types have without declaring them."""
_PLAIN_BASES = word_set(
    "Error Codable Encodable Decodable Equatable Hashable Identifiable CaseIterable"
    " Comparable Sendable String Int CustomStringConvertible LocalizedError CodingKey"
    " Exception Serializable"
)
_OPEN = re.compile(
    r"@\w+|\btypealias\b|\bextension\b|\bcompanion\s++object\s*+\w*+\s*+:"
)


def check_declared_members(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first member that the edit takes of a type that lacks it."""
    suffixes = _SUFFIXES.get(candidate.language_id)
    if suffixes is None or project is None or not any(project.folders_above):
        return
    code = without_text(candidate.text_after, candidate.language_id)
    declared = {found["name"] for found in _DECLARED.finditer(code)}
    if not declared or _OPEN.search(code):
        return
    lines = code.split("\n")
    for number, _ in candidate.introduced:
        for found in _USE.finditer(lines[candidate.region_after.start + number]):
            owner, name = found["owner"], found["name"]
            if owner not in declared or name in _GIVEN:
                continue
            word = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
            is_declared = any(
                not code[: one.start()].endswith(f"{owner}.")
                for one in re.finditer(word, code)
            )
            if is_declared or re.search(word, candidate.text_before):
                continue
            if has_plain_bases(owner, code, declared) and not project.is_found(
                word, suffixes
            ):
                yield Problem(
                    rule="phantom-member",
                    message=f"`{owner}` has no `{name}`.",
                    line=number,
                )
                return


def has_plain_bases(name: str, code: str, declared: set[str]) -> bool:
    """Whether the bases of a type add no members by its name."""
    found = re.search(
        rf"\b(?:class|struct|enum|interface|object|actor)\s+{name}\b", code
    )
    rest = code[found.end() :][:2_000] if found else ""
    if rest.lstrip().startswith("("):
        at = rest.index("(")
        inside = in_brackets(rest, at)
        rest = "" if inside is None else rest[at + len(inside) + 2 :]
    head = re.split(r"[{\n]", rest, maxsplit=1)[0]
    bases = set(re.findall(r"[A-Z]\w*", head))
    return bool(found) and bases <= declared | _PLAIN_BASES
