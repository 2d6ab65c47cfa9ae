"""The imports that new code needs for names of its language's standard library.

Other names have no certain home. A name counts only if it is used as one of the
library is, and if nothing in the file may define it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.python.undefined import undefined_names
from redline.syntax.language import Language
from redline.text.python_standard import HOMES, MODULES

_GO_PACKAGES = """
    bufio bytes cmp context errors fmt io maps math os reflect regexp slices sort
    strconv strings sync time unicode encoding/base64 encoding/hex encoding/json
    log/slog net/http net/url os/exec os/signal path/filepath sync/atomic unicode/utf8
"""
_RUST_TYPES = """
    collections::BTreeMap collections::BTreeSet collections::HashMap rc::Rc sync::Arc
    collections::HashSet collections::VecDeque cell::RefCell path::PathBuf
"""
_GO = {path.rpartition("/")[2]: f'import "{path}"' for path in _GO_PACKAGES.split()}
_RUST = {path.rpartition("::")[2]: f"use std::{path};" for path in _RUST_TYPES.split()}
_JAVA = {
    name: f"import java.{package}.{name};"
    for package, names in {
        "util": "ArrayDeque ArrayList Arrays Collections Deque HashMap HashSet"
        " LinkedHashMap LinkedHashSet List Map Objects Optional Set TreeMap TreeSet",
        "util.stream": "Collectors",
    }.items()
    for name in names.split()
}
_TABLES = {Language.GO: _GO, Language.RUST: _RUST, Language.JAVA: _JAVA}
_USE = {
    Language.GO: r"\.[A-Z]",
    Language.RUST: r"\s*(?:::|[<>,);&\s{]|$)",
    Language.JAVA: r"\s*(?:[.<>,)\s\[]|::|$)",
}
"""What stands behind a name where it is used and not defined."""

_DEFINITION = re.compile(r"\b(?:class|enum|interface|record|struct|trait|type|mod)\s+$")


def needed_imports(edit: CheckedEdit) -> Iterator[str]:
    """Yield the statements that new code needs."""
    if edit.grammar is Language.PYTHON:
        yield from _python(edit)
    elif edit.grammar in _TABLES:
        new = set(re.findall(r"\w+", "".join(edit.new_lines)))
        for name in sorted(new & _TABLES[edit.grammar].keys()):
            statement = _TABLES[edit.grammar][name]
            if _is_free(edit, name) and not _has_wildcard(edit, statement):
                yield statement


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
    assert edit.grammar is not None
    used = re.compile(_USE[edit.grammar])
    tree = edit.tree_after
    if tree is None or tree.errors:
        return False
    n_used = 0
    for number, line in enumerate(edit.after):
        for found in re.finditer(rf"(?<![\w.:]){name}\b", line):
            if tree.in_comment_or_string(number, found.start()):
                continue
            is_use = used.match(line, found.end())
            is_new = number in edit.region_after
            if not is_use or not is_new or _DEFINITION.search(line[: found.start()]):
                return False
            n_used += 1
    return n_used > 0
