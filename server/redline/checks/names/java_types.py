"""`undefined-name` in Java: classes that are neither imported nor in the package.

A class is reported if the edit introduces it before a member (`StringUtils.trim`), or
as what is created, and neither the file, an import, the JDK nor a source of the
workspace has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import RULE, SUFFIXES
from redline.checks.names.imported import imported_modules
from redline.checks.names.standard_names import StandardType, standard_names
from redline.checks.names.standard_words import standard_words
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.tree import Tree

_USE = re.compile(
    r"(?<![\w.@$])(?:(?<=new )|(?=\w++\.[a-z]))(?P<name>[A-Z]\w*[a-z]\w*+)(?=[.(<])"
)
_BASE = re.compile(r"\b(?:extends|implements)\b")
_GENERATED = re.compile(
    r"_|^Q[A-Z]|^Dagger|^AutoValue|(?:Proto|Grpc|Pb|OuterClass|Mapper|Impl|Generated)$"
)


def check_java_types(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first class that nothing brings."""
    tree = candidate.tree_after
    if tree is None or tree.language is not Language.JAVA or tree.errors:
        return
    if project is None or not any(project.folders_above):
        return
    known = _known(candidate, tree)
    if known is None:
        return
    for number, line in candidate.introduced:
        for found in _USE.finditer(line):
            name = found["name"]
            if candidate.is_text(number, found.start("name")) or name in known:
                continue
            if not _may_be_declared(name, candidate, project):
                yield Problem(
                    rule=RULE,
                    message=f"`{name}` is neither imported nor in this package.",
                    line=number,
                )
                return


def _known(candidate: CheckedEdit, tree: Tree) -> set[str] | None:
    """Return the classes that need no declaration; None: there may be others."""
    text, types = candidate.text_after, standard_names("java")
    known = {*_in_package("java.lang", types)}
    others: set[str] = set()
    for _, one in imported_modules(tree, text):
        if one.whole == "*" and not one.module.startswith("java."):
            return None
        if one.whole == "*":
            known.update(_in_package(one.module, types))
        names = (one.whole, one.module.rpartition(".")[2])
        known.update(names)
        others.update(() if one.module.startswith("java.") else names)
    # Classes within a base have their plain name here.
    heads = (one.rpartition(";")[2].rpartition("}")[2] for one in text.split("{")[:-1])
    bases = " ".join(
        head[found.end() :] for head in heads if (found := _BASE.search(head))
    )
    is_closed = all(
        (base in known and base not in others)
        or re.search(rf"\b(?:class|interface)\s+{base}\b", text)
        for base in re.findall(r"[A-Z]\w*", bases)
    )
    return known | standard_words(Language.JAVA) if is_closed else None


def _may_be_declared(name: str, candidate: CheckedEdit, project: ProjectFiles) -> bool:
    """Whether the file or another source may declare a class."""
    word = rf"\b{name}\b"
    declared = rf"{word}(?!\s*[.(<:])|\b(?:class|interface|enum|record)\s+{word}"
    return (
        _GENERATED.search(name) is not None
        or re.search(declared, candidate.text_after) is not None
        or re.search(word, candidate.text_before) is not None
        or project.is_found(word, SUFFIXES[Language.JAVA])
    )


def _in_package(package: str, types: Mapping[str, StandardType]) -> Iterator[str]:
    start = f"{package}."
    for name in types:
        if name.startswith(start):
            yield name.removeprefix(start)
