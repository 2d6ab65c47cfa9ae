"""`phantom-member` in C: fields that a struct of the file does not have.

The struct must be declared in the file, with names for all its fields, and the variable
by its name. A word of the file before the edit, or of another source, is not reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import SUFFIXES
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.c_fields import field_uses, struct_fields
from redline.syntax.language import Language


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
    structs = struct_fields(tree)
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
