"""`phantom-member` for names that are newer than the project's version.

A name is reported if the edit introduces it, the library's version that added it is
newer than the one that the project's manifest names, and no source of the workspace
uses it. Members of a type that is not known count only if all types got them so late,
and in files that use nothing but the standard library and the workspace.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from redline.checks.candidate import CheckedEdit
from redline.checks.names.added_names import Version, added_names
from redline.checks.names.calls import SUFFIXES
from redline.checks.names.imported import imported_modules
from redline.checks.names.project_versions import project_version
from redline.checks.names.workspace_types import WorkspaceTypes
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.accesses import accesses
from redline.syntax.file_types import FileTypes
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS

RULE = "phantom-member"

_SECTIONS = {
    Language.CPP: "cpp",
    Language.CSHARP: "csharp",
    Language.GO: "go",
    Language.JAVA: "java",
    Language.PHP: "php",
    Language.RUBY: "ruby",
    Language.RUST: "rust",
    **dict.fromkeys(SCRIPTS, "script"),
}
_TITLES = {
    Language.CPP: "C++",
    Language.CSHARP: ".NET",
    Language.GO: "Go",
    Language.JAVA: "Java",
    Language.PHP: "PHP",
    Language.RUBY: "Ruby",
    Language.RUST: "Rust",
    **dict.fromkeys(SCRIPTS, "ECMAScript"),
}
_MEMBER = re.compile(
    r"(?<!\.)(?:\?\.|\.|->|&\.)\s*+(?P<name>[A-Za-z]\w*+[?!]?)"
    r"(?P<call>\s*+(?:::)?(?:<[^<>()\n]*+>)?+\()?"
)
_LETTERS = string.ascii_letters + string.digits + "_$"
_MAX_OWNER = 60
_GO_BUILTINS = {"min": (1, 21), "max": (1, 21), "clear": (1, 21)}
_OWN_OF_RUST = frozenset({"std", "core", "alloc", "crate", "super", "self"})
_OF_JDK = ("java.", "javax.")
_CHOOSING = re.compile(
    r"^//go:build|^// \+build|#\[cfg\(|#\s*if(?:def)?\b.*(?:__cplusplus|__has_include)"
    r"|#if NET|function_exists\(|method_exists\(|respond_to\?|RUBY_VERSION",
    re.MULTILINE,
)
"""Signs of a file that is for several versions."""


class _Use(NamedTuple):
    line: int
    key: str
    """As the table of the language has it."""
    name: str


def check_newer_names(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report names that the project's version does not have."""
    tree = candidate.tree_after
    if tree is None or project is None or project.file is None:
        return
    section = _SECTIONS.get(tree.language)
    if section is None or _CHOOSING.search(candidate.text_after):
        return
    version = project_version(tree.language, project)
    if version is None:
        return
    added = added_names(section)
    reported: set[str] = set()
    for use in _uses(candidate, project, tree, added):
        of = _GO_BUILTINS.get(use.key) or added.get(use.key)
        if of is None or of <= version or use.name in reported:
            continue
        reported.add(use.name)
        if not _is_explained(use, candidate, project, tree.language):
            yield Problem(
                rule=RULE,
                message=f"`{use.key.lstrip('.')}` is new in"
                f" {_written(of, tree.language)}, and the project allows"
                f" {_written(version, tree.language)}.",
                line=candidate.line_in_region(use.line),
            )


def _written(version: Version, language: Language) -> str:
    number = ".".join(map(str, version))
    if language is Language.CSHARP and version < (5,):
        return "older ones"
    blank = "" if language is Language.CPP else " "
    return f"{_TITLES[language]}{blank}{number}"


def _is_explained(
    use: _Use, candidate: CheckedEdit, project: ProjectFiles, language: Language
) -> bool:
    """Whether the project uses or defines the name already."""
    name = re.escape(use.name)
    word = rf"(?<![\w$]){name}(?![\w$])"
    if language is Language.CPP and "." in use.key[1:]:
        return re.search(rf"(?:\.|->)\s*{word}\s*\(", candidate.text_before) is not None
    if language is Language.JAVA and use.key.startswith("."):
        # `Collectors.toList()` says nothing of a value's `toList()`.
        word = rf"(?:(?<![\w$.])|(?<![\w$])[a-z_]\w{{0,60}}\.|[)\]>]\.|\n\s*\.){name}\b"
    if re.search(word, candidate.text_before):
        return True
    return project.is_found(word, SUFFIXES[language])


def _uses(
    candidate: CheckedEdit,
    project: ProjectFiles,
    tree: Tree,
    added: Mapping[str, Version],
) -> Iterator[_Use]:
    lines = candidate.code_after.split("\n")
    first = candidate.region_after.start
    numbers = sorted(
        {first + number for number, _ in candidate.introduced} | candidate.import_lines
    )
    new = [(number, lines[number]) for number in numbers if number < len(lines)]
    match tree.language:
        case Language.GO:
            yield from (
                *_of_go(candidate, tree, new),
                *_typed(candidate, tree, FileTypes(tree)),
            )
        case Language.CPP:
            types = WorkspaceTypes(candidate, tree, project).own
            yield from (*_of_cpp(new, added), *_typed(candidate, tree, types))
        case Language.PHP:
            yield from _called(new)
        case Language.RUBY:
            yield from _members(new, needs_brackets=False)
        case Language.RUST:
            yield from _of_rust(candidate, new)
        case Language.JAVA:
            typed = _typed(candidate, tree, FileTypes(tree))
            yield from (*_of_java(candidate, tree, new), *typed)
        case Language.CSHARP:
            yield from (*_members(new), *_types(new))
        case _:
            yield from _members(new)


def _types(new: list[tuple[int, str]]) -> Iterator[_Use]:
    for number, line in new:
        for found in re.finditer(r"(?<![\w.])[A-Z]\w+", line):
            yield _Use(number, found[0], found[0])


def _members(
    new: list[tuple[int, str]], *, needs_brackets: bool = True
) -> Iterator[_Use]:
    """Yield members: of a type or module by both names, else by their own."""
    for number, line in new:
        for found in _MEMBER.finditer(line):
            head = line[max(0, found.start() - _MAX_OWNER) : found.start()].rstrip()
            owner, name = _word_at_end(head), found["name"]
            if owner[:1].isupper():
                yield _Use(number, f"{owner}.{name}", name)
            elif found["call"] or not needs_brackets:
                yield _Use(number, f".{name}", name)


def _word_at_end(text: str) -> str:
    return text[len(text.rstrip(_LETTERS)) :]


def _called(new: list[tuple[int, str]]) -> Iterator[_Use]:
    for number, line in new:
        for found in re.finditer(r"(?<![\w>:$])([a-z]\w+)\s*\(", line):
            if not line[: found.start()].rstrip().endswith("function"):
                yield _Use(number, found[1], found[1])


def _of_cpp(new: list[tuple[int, str]], added: Mapping[str, Version]) -> Iterator[_Use]:
    for number, line in new:
        for found in re.finditer(r"(?<![\w:])std::(\w+)", line):
            yield _Use(number, found[1], found[1])
        for found in re.finditer(r"(?:\.|->)(\w+)\(", line):
            if f".{found[1]}" in added:
                yield _Use(number, f".{found[1]}", found[1])


def _of_go(
    candidate: CheckedEdit, tree: Tree, new: list[tuple[int, str]]
) -> Iterator[_Use]:
    packages = {}
    for at, one in imported_modules(tree, candidate.text_after):
        packages[one.whole] = one.module
        if any(at == number for number, _ in new):
            yield _Use(at, one.module, one.module)
    for number, line in new:
        for found in re.finditer(r"(?<![\w.])(?:(\w+)\.)?(\w+)", line):
            package = packages.get(found[1])
            if package is not None:
                yield _Use(number, f"{package}.{found[2]}", f"{found[1]}.{found[2]}")
            elif (
                not found[1]
                and re.match(r"(?:min|max|clear)\(", line[found.start() :])
                and not line[: found.start()].endswith("func ")
            ):
                yield _Use(number, found[2], f"{found[2]}(")


def _of_rust(candidate: CheckedEdit, new: list[tuple[int, str]]) -> Iterator[_Use]:
    for number, line in new:
        for found in re.finditer(r"(?<![:\w])std::(?:\w+::)*(\w+)::(\w+)\s*\(", line):
            yield _Use(number, f"{found[1]}::{found[2]}", found[2])
        if re.search(r"\b(?:std|core)::", line):
            for name in re.findall(r"\b[A-Z]\w+", line):
                yield _Use(number, name, name)
    # A trait of another crate may add members to any type.
    roots = re.findall(r"\buse (?:::)?(\w+)", candidate.text_after)
    if _OWN_OF_RUST.issuperset(roots):
        yield from (use for use in _members(new) if use.key.startswith("."))


def _of_java(
    candidate: CheckedEdit, tree: Tree, new: list[tuple[int, str]]
) -> Iterator[_Use]:
    imported = list(imported_modules(tree, candidate.text_after))
    for line, one in imported:
        if any(line == number for number, _ in new):
            yield _Use(line, one.module, one.module.rpartition(".")[2])
    others = {one.whole for _, one in imported if not one.module.startswith(_OF_JDK)}
    package = re.search(r"\bpackage\s+([\w.]+)", candidate.text_after)
    own = package[1].split(".")[:2] if package else []
    is_closed = all(
        one.module.startswith(_OF_JDK) or one.module.split(".")[:2] == own
        for _, one in imported
    )
    for use in _members(new):
        owner = use.key.partition(".")[0]
        if owner not in others and (owner or is_closed):
            yield use


def _typed(candidate: CheckedEdit, tree: Tree, types: FileTypes) -> Iterator[_Use]:
    """Yield members of values whose type is written."""
    if tree.errors and tree.language is not Language.CPP:
        return
    packages = {
        one.whole: one.module for _, one in imported_modules(tree, candidate.text_after)
    }
    for access in accesses(types, candidate.region_after):
        if access.is_direct or types.find(access.kind) is not None:
            continue
        owner = access.owner
        if tree.language is Language.GO:
            package, _, kind = owner.partition(".")
            owner = f"{packages.get(package, '')}.{kind}"
        yield _Use(access.line, f"{owner}.{access.name}", access.name)
