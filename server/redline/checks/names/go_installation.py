"""The packages of the user's own Go, read from its sources.

Nothing is run: the folder is the one of the `go` program on the search path.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

from redline.checks.project_files import ProjectFiles
from redline.errors import UnreadableFileError
from redline.files import entries_of, read_file
from redline.programs import find_program

_MAX_BYTES = 1_000_000
_MAX_ENTRIES = 5_000
"""Of one file and of one folder."""


@cache
def standard_sources() -> Path | None:
    """Return the folder with the standard library's packages; None without Go."""
    root = os.environ.get("GOROOT")
    program = find_program("go")
    places = [Path(root)] if root else []
    if program is not None:
        places.append(Path(os.path.realpath(program)).parents[1])
    places += [Path("/usr/local/go"), Path("/usr/lib/go")]
    for place in places:
        if (place / "src" / "fmt").is_dir():
            return place / "src"
    return None


def has_package(path: str) -> bool | None:
    """Whether the standard library has a package; None without Go."""
    sources = standard_sources()
    return None if sources is None else (sources / path).is_dir()


@cache
def package_text(folder: Path) -> str:
    """Return the sources of a package without its tests; empty if there are none."""
    texts = []
    try:
        entries = entries_of(folder, max_entries=_MAX_ENTRIES)
        for path in sorted(entry.path for entry in entries):
            if path.endswith(".go") and not path.endswith("_test.go"):
                content = read_file(path, max_bytes=_MAX_BYTES, roots=())
                texts.append(content.decode("utf-8", "replace"))
    except UnreadableFileError:
        return ""
    return "\n".join(texts)


def imported_text(path: str, project: ProjectFiles | None) -> str:
    """Return the sources of a package that is imported; empty if they are not known.

    It is of the standard library, or of a module of the workspace.
    """
    sources = standard_sources()
    if "." not in path.partition("/")[0] and sources is not None:
        if path in ("C", "unsafe"):
            return ""
        if (sources / path).is_dir():
            return package_text(sources / path)
    if project is None:
        return ""
    for folder, text in project.placed_manifests(r"go\.mod"):
        name = re.search(r"^module\s+\"?([^\s\"]+)", text, re.MULTILINE)
        if name and path.startswith(name[1] + "/"):
            inner = folder / path.removeprefix(name[1] + "/")
            return "\n".join(
                project.text(inner / file) or ""
                for file in sorted(project.names(inner))
                if file.endswith(".go")
            )
    return ""


def returned_type(text: str, function: str) -> str:
    """Return the type of the package that a function gives first; empty: none."""
    name = re.escape(function)
    found = re.search(
        rf"^func {name}\((?:[^()]|\([^()]*\))*\) \(?(?:\w+ )?\*?(?P<kind>[A-Z]\w*)"
        r"(?:, (?:\w+ )?error\))? \{",
        text,
        re.MULTILINE,
    )
    if found is None:
        return ""
    kind = found["kind"]
    is_alias = re.search(rf"^type {kind}\b(?:\[[^\]]*\])? =", text, re.MULTILINE)
    is_own = re.search(rf"^type {kind} |^\t{kind} (?:struct|interface)", text, re.M)
    return kind if is_own and not is_alias else ""


def exports(text: str, name: str) -> bool:
    """Whether sources of a package may define a name at their top level."""
    word = re.escape(name)
    defined = rf"^(?:func|type|var|const) {word}\b|^\t{word}\b(?:, \w+)*(?:\s|$)"
    return re.search(defined, text, re.MULTILINE) is not None


def has_member(text: str, type_name: str, name: str) -> bool:
    """Whether sources of a package may define a method or a field."""
    word = re.escape(name)
    method = rf"^func \((?:\w+ )?\*?{re.escape(type_name)}(?:\[[^\]]*\])?\) {word}\("
    field = rf"^\t+(?:\w+, )*{word}\b"
    # An embedded type has further members.
    embeds = re.search(
        rf"^type {re.escape(type_name)} (?:struct|interface) \{{"
        r"(?:[^{}]*\n)?\t\*?[\w.]+\n",
        text,
        re.MULTILINE,
    )
    found = re.search(f"{method}|{field}", text, re.MULTILINE)
    return found is not None or embeds is not None
