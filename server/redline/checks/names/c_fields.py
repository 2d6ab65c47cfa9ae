"""`phantom-member` in C: fields that a struct of the file does not have.

The struct must be declared in the file, with names for all its fields, and the variable
by its name. A word of the file before the edit, or of another source, is not reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from redline.checks.candidate import CheckedEdit
from redline.checks.names.calls import SUFFIXES
from redline.checks.problem import Problem
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.links import field_of, nth_child
from redline.syntax.type_names import name_of

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_DEPTH = 200
"""Of nodes: nobody writes deeper code."""

_DECLARING = frozenset({"parameter_declaration", "declaration"})
_STRUCTS = frozenset({"struct_specifier", "union_specifier"})


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
    structs = dict(_structs(tree.root))
    for owner, field, line in _accesses(tree.root, candidate.region_after, structs):
        word = rf"\b{re.escape(field)}\b"
        if field in structs[owner] or re.search(word, candidate.text_before):
            continue
        if not project.is_found(word, SUFFIXES[Language.C]):
            yield Problem(
                rule="phantom-member",
                message=f"`{owner}` has no `{field}`.",
                line=candidate.line_in_region(line),
            )
            return


def _structs(root: Node) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the structs that are declared, by tag and by type name."""
    for node, _ in _nodes(root):
        if node.type not in _STRUCTS:
            continue
        body, outer = node.child_by_field_name("body"), node.parent
        fields = None if body is None else _fields(body)
        if fields is None:
            continue
        if tag := field_of(node, "name"):
            yield tag, fields
        if outer is not None and outer.type == "type_definition":
            for one in outer.children_by_field_name("declarator"):
                if one.type == "type_identifier":
                    yield name_of(one), fields


def _fields(body: Node) -> frozenset[str] | None:
    """Return the names of fields; None if some of them have none."""
    found: set[str] = set()
    for one in body.named_children:
        if one.type == "comment":
            continue
        names = [_declared(each) for each in one.children_by_field_name("declarator")]
        if one.type != "field_declaration" or not all(names) or not names:
            return None
        found.update(names)
    return frozenset(found)


def _declared(node: Node | None) -> str:
    """Return the name in a declarator, such as `*name[8]`."""
    while node is not None and not node.type.endswith("identifier"):
        node = node.child_by_field_name("declarator") or nth_child(node, 0)
    return name_of(node)


def _accesses(
    root: Node, lines: range, structs: Mapping[str, frozenset[str]]
) -> Iterator[tuple[str, str, int]]:
    """Yield the fields that are used in some lines, each with its struct's name."""
    bound: dict[int, Mapping[str, str]] = {}
    for node, function in _nodes(root):
        line = node.start_point.row
        if node.type != "field_expression" or line not in lines or function is None:
            continue
        argument, field = (
            node.child_by_field_name(name) for name in ("argument", "field")
        )
        if argument is None or field is None or argument.type != "identifier":
            continue
        names = bound.setdefault(function.id, _variables(function))
        owner = names.get(name_of(argument), "")
        if owner in structs:
            yield owner, name_of(field), field.start_point.row


def _variables(function: Node) -> Mapping[str, str]:
    """Return the struct of each variable of a function; empty if it has several."""
    found: dict[str, str] = {}
    for node, _ in _nodes(function):
        if node.type not in _DECLARING:
            continue
        written = node.child_by_field_name("type")
        is_struct = written is not None and written.type in _STRUCTS
        kind = field_of(written, "name") if is_struct and written else name_of(written)
        for one in node.children_by_field_name("declarator"):
            name = _declared(one.child_by_field_name("declarator") or one)
            found[name] = kind if found.get(name, kind) == kind else ""
    return found


def _nodes(root: Node) -> Iterator[tuple[Node, Node | None]]:
    """Yield the nodes, each with the function around it."""
    waiting: list[tuple[Node, Node | None, int]] = [(root, None, 0)]
    while waiting:
        node, function, depth = waiting.pop()
        yield node, function
        if depth < _MAX_DEPTH:
            inner = node if node.type == "function_definition" else function
            waiting.extend((one, inner, depth + 1) for one in node.named_children)
