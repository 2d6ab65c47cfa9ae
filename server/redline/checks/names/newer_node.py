"""`phantom-member` for names that are newer than the project's version of Node.

A file is Node's if it imports one of Node's modules; others may run in a browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.imported import imported_modules
from redline.checks.names.project_versions import node_version
from redline.checks.names.standard_names import standard_names
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.type_names import SCRIPTS

_ADDED = """
15 AbortController timers/promises stream/promises crypto.webcrypto
16 fs.cp fs.cpSync util.stripVTControlCharacters util.toUSVString
17 structuredClone readline/promises
18 fetch FormData Headers Request Response AbortSignal.timeout node:test
18 util.parseArgs os.availableParallelism
19 CustomEvent
20 process.loadEnvFile util.styleText crypto.hash AbortSignal.any import.meta.dirname
20 import.meta.filename
22 WebSocket fs.globSync fs.glob path.matchesGlob node:sqlite process.getBuiltinModule
"""
# https://nodejs.org/api, by the first version that has a name without an option.

_SINCE = {
    name: int(line.split(" ")[0])
    for line in _ADDED.strip().split("\n")
    for name in line.split(" ")[1:]
}
_GLOBAL = re.compile(r"(?<![\w$.'\"/])(?:new\s++)?(?P<name>[A-Za-z]\w*+)\s*+\(")
_MEMBER = re.compile(r"(?<![\w$.])(?P<name>(?:import\.meta|[A-Za-z]\w*+)\.\w++)")


def check_newer_node(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first name that the project's version of Node does not have."""
    tree = candidate.tree_after
    if tree is None or tree.language not in SCRIPTS or project is None:
        return
    version = node_version(project) if project.file else None
    if version is None or re.search(r"\btypeof\b", candidate.text_after):
        return
    imported = {
        line: one.module for line, one in imported_modules(tree, candidate.text_after)
    }
    modules = {one.removeprefix("node:") for one in imported.values()}
    if modules.isdisjoint(standard_names("node")):
        return
    lines = candidate.code_after.split("\n")
    for number, _ in candidate.introduced:
        at = candidate.region_after.start + number
        for name in _names(lines[at], imported.get(at, "")):
            since = _SINCE.get(name, 0)
            if since <= version[0] or _is_explained(name, candidate):
                continue
            message = f"`{name}` is new in Node {since}, and the project allows"
            yield Problem(
                rule="phantom-member", message=f"{message} {version[0]}.", line=number
            )
            return


def _names(code: str, module: str) -> Iterator[str]:
    yield module if module in _SINCE else module.removeprefix("node:")
    for pattern in (_GLOBAL, _MEMBER):
        for found in pattern.finditer(code):
            yield found["name"]


def _is_explained(name: str, candidate: CheckedEdit) -> bool:
    """Whether the file used the name before, or defines another of that name."""
    word = re.escape(name)
    if re.search(rf"(?<![\w$.]){word}(?![\w$])", candidate.text_before):
        return True
    declared = rf"\b(?:function|class|const|let|var|import)\b[^;=\n]{{0,200}}\b{word}\b"
    return "." not in name and re.search(declared, candidate.text_after) is not None
