"""`phantom-member` in C: fields that a struct does not have.

The struct must be declared in the file, or in a header next to it that it includes,
with names for all its fields, and the variable by its name. A word of the file before
the edit, or of another source, is not reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import SUFFIXES
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.c_fields import field_uses, struct_fields
from redline.syntax.language import Language
from redline.syntax.tree import Tree, parse

_INCLUDE = re.compile(r"^[ \t]*+#[ \t]*+include[ \t]*+\"([\w.-]++)\"", re.MULTILINE)
_MAX_HEADERS = 8
_MAX_CHARS = 50_000
"""Of one header."""


def check_c_fields(
    candidate: CheckedEdit, project: ProjectFiles | None
) -> Iterator[Problem]:
    """Report the first field that is not declared."""
    tree = candidate.tree_after
    if tree is None or tree.language is not Language.C or tree.errors:
        return
    if project is None or not any(project.folders_above):
        return
    if not any("->" in line or "." in line for line in candidate.new_lines):
        return
    structs = _structs(candidate, tree, project)
    for use in field_uses(tree, candidate.region_after) if structs else ():
        word = rf"\b{re.escape(use.name)}\b"
        fields = structs.get(use.owner)
        if fields is None or use.name in fields:
            continue
        if re.search(word, candidate.text_before):
            continue
        if not project.is_found(word, SUFFIXES[Language.C]):
            yield Problem(
                rule="phantom-member",
                message=f"`{use.owner}` has no `{use.name}`.",
                line=candidate.line_in_region(use.line),
            )
            return


def _structs(
    candidate: CheckedEdit, tree: Tree, project: ProjectFiles
) -> Mapping[str, frozenset[str]]:
    """Return the fields of the structs of a file and of its headers, by name."""
    found = dict(struct_fields(tree))
    folder = None if project.file is None else project.file.parent
    for name in _INCLUDE.findall(candidate.text_after)[:_MAX_HEADERS]:
        text = None if folder is None else project.text(folder / name)
        if text is None or len(text) > _MAX_CHARS:
            continue
        header = parse(text, Language.C)
        if header.errors:
            continue
        for owner, fields in struct_fields(header).items():
            # One of several declarations holds, by a condition.
            found[owner] = found.get(owner, frozenset()) | fields
    return found
