"""The imports that new code needs for names of its language's standard library.

Other names have no certain home. A name counts only if it is used as one of the
library is, and if nothing in the file may define it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.import_changes.c_headers import FAMILY, needed_headers
from redline.checks.import_changes.standard_homes import HOMES as STANDARD_HOMES
from redline.checks.import_changes.standard_homes import SHARED, USED_AS
from redline.checks.project_files import ProjectFiles
from redline.checks.python.undefined import undefined_names
from redline.syntax.language import Language
from redline.syntax.word_set import word_set
from redline.text.python_standard import HOMES, MODULES

_USE = {
    Language.GO: r"\.[A-Z]",
    Language.RUST: r"\s*(?:::|[<>,);&\s{]|$)",
    Language.JAVA: r"\s*(?:[.<>,)\s\[]|::|$)",
    Language.PHP: r"\s*(?:[|,;){$&]|::|$)",
    Language.CSHARP: r"\s*(?:[.<>,)\s\[?\]]|$)",
}
"""What stands behind a name where it is used and not defined."""

_OWN_FILES = {Language.JAVA: ".java", Language.PHP: ".php", Language.CSHARP: ".cs"}
"""The suffixes of the files in which a package has the class of their name."""

_NAMESPACE = re.compile(r"^namespace\s++[\w\\]++\s*+;", re.MULTILINE)
"""Without one, PHP needs no `use` for its own classes."""

_MODULE = re.compile(r"(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*\{")
_TYPED = re.compile(r"((?<!\w)\w++|(?<!=)>|\?|\[[\s,]*\])\s+$")
_NO_TYPES = word_set(
    "abstract and as async await case const else event in internal is new not or out"
    " override params private protected public readonly ref required return sealed"
    " static throw virtual when"
)
"""Words of C# before a name that is not declared there; others are its type."""

_CREATED = re.compile(r"(?:\bnew\s+|\[)$")
"""What stands before a name that is created, or before an attribute of C#."""

_MAX_N_FILES = 100
"""Most files of a package that are read."""

_DEFINITION = re.compile(r"\b(?:class|enum|interface|record|struct|trait|type|mod)\s+$")


def needed_imports(edit: CheckedEdit, project: ProjectFiles | None) -> Iterator[str]:
    """Yield the statements that new code needs."""
    if edit.grammar is Language.PYTHON:
        yield from _python(edit)
    elif edit.grammar in FAMILY:
        yield from needed_headers(edit)
    elif edit.grammar is not None and edit.grammar in STANDARD_HOMES:
        new = "".join(edit.new_lines)
        for name in sorted(set(re.findall(r"\w+", new))):
            statement = _home(edit.grammar, name, new)
            if (
                statement is not None
                and _is_free(edit, name)
                and not _is_other(edit, name, project)
                and not _has_wildcard(edit, statement)
            ):
                yield statement


def _home(language: Language, name: str, new: str) -> str | None:
    """Return the statement that imports a name; None if it is not known."""
    homes = USED_AS.get(language, {}).get(name, {})
    found = [
        statement
        for behind, statement in homes.items()
        if re.search(rf"\b{name}{behind}", new)
    ]
    return found[0] if len(found) == 1 else STANDARD_HOMES[language].get(name)


def _is_other(edit: CheckedEdit, name: str, project: ProjectFiles | None) -> bool:
    """Whether a name may be that of another library, or of the own package."""
    assert edit.grammar is not None
    shared, others = SHARED.get(edit.grammar, (frozenset(), ""))
    if name in shared and re.search(others, edit.text_before):
        return True
    if edit.grammar is Language.PHP and not _NAMESPACE.search(edit.text_before):
        return True
    if edit.grammar is Language.GO and project is not None:
        return _is_in_package(name, project)
    suffix = _OWN_FILES.get(edit.grammar)
    if suffix is not None and project is not None and project.file is not None:
        return name + suffix in project.names(project.file.parent)
    return edit.grammar is Language.RUST and _is_in_module(edit)


def _is_in_package(name: str, project: ProjectFiles) -> bool:
    """Whether another file of a package of Go declares a name at its top."""
    if project.file is None:
        return False
    declared = re.compile(
        rf"^(?:(?:var|const|func|type)[ \t]+{name}\b|\t{name}(?:,|[ \t]+[=\w*\[]))",
        re.MULTILINE,
    )
    folder = project.file.parent
    others = sorted(one for one in project.names(folder) if one.endswith(".go"))
    return any(
        declared.search(project.text(folder / one) or "")
        for one in others[:_MAX_N_FILES]
    )


def _is_in_module(edit: CheckedEdit) -> bool:
    """Whether a range of Rust is in a module within the file, which has imports of its
    own and does not take all names of the file.
    """
    around = -1
    for at, line in enumerate(edit.before[: edit.region_before.start]):
        if _MODULE.match(line):
            around = at
        elif line.startswith("}"):
            around = -1
    inner = edit.before[max(around, 0) : edit.region_before.start]
    return around >= 0 and not any("super::*" in line for line in inner)


def _python(edit: CheckedEdit) -> Iterator[str]:
    new = "".join(edit.new_lines)
    names = {name for name, line in undefined_names(edit) if line in edit.region_after}
    for module in sorted({HOMES[name] for name in names if name in HOMES}):
        members = sorted(name for name in names if HOMES.get(name) == module)
        yield f"from {module} import {', '.join(members)}"
    for name in sorted(names):
        if (
            name not in HOMES
            and name in MODULES
            and not re.search(rf"(?<![\w.]){name}\b(?!\.[A-Za-z_])", new)
        ):
            yield f"import {name}"


def _has_wildcard(edit: CheckedEdit, statement: str) -> bool:
    """Whether the file imports all names of the package of a statement."""
    tree = edit.tree_after
    texts = ["".join(each.text.split()) for each in tree.imports] if tree else []
    if edit.grammar is Language.JAVA:
        package = "".join(statement.split()).rpartition(".")[0]
        return any(text.startswith(f"{package}.*") for text in texts)
    if edit.grammar is Language.RUST:
        package = statement.split("::")[-2]
        return any("*" in text and package in text for text in texts)
    return False


def _is_free(edit: CheckedEdit, name: str) -> bool:
    """Whether every use of a name is new and has the form of a use of the library's."""
    tree = edit.tree_after
    if tree is None or tree.errors:
        return False
    if any(re.search(rf"\b{name}\b", one.text) for one in tree.imports):
        return False
    is_module = edit.grammar is Language.RUST and name.islower()
    # Functions and variables of Rust may have the name of a module.
    behind = r"(?=\s*::)" if is_module else ""
    word = re.compile(rf"(?<![\w.:@$\\]){name}\b{behind}")
    n_used = 0
    for number, line in enumerate(edit.after):
        for found in word.finditer(line):
            if tree.in_comment_or_string(number, found.start()):
                continue
            if number not in edit.region_after or not _is_use(edit, line, found):
                return False
            n_used += 1
    return n_used > 0


def _is_use(edit: CheckedEdit, line: str, found: re.Match[str]) -> bool:
    assert edit.grammar is not None
    before = line[: found.start()]
    if _DEFINITION.search(before):
        return False
    typed = _TYPED.search(before) if edit.grammar is Language.CSHARP else None
    if typed is not None and typed[1] not in _NO_TYPES:
        return False
    if _CREATED.search(before) and line.startswith("(", found.end()):
        return True
    return re.compile(_USE[edit.grammar]).match(line, found.end()) is not None
