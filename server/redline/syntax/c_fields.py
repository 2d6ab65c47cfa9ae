"""The structs of a file in C, and the uses of their fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from redline.syntax.children import nth_child
from redline.syntax.links import field_of
from redline.syntax.tree import Tree
from redline.syntax.type_names import name_of

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_DEPTH = 200
"""Of nodes: nobody writes deeper code."""

_DECLARING = frozenset({"parameter_declaration", "declaration"})
_STRUCTS = frozenset({"struct_specifier", "union_specifier"})


class FieldUse(NamedTuple):
    """One use of a field, `variable.name` or `variable->name`."""

    owner: str
    """The tag of the variable's struct, or the name of its type."""
    name: str
    line: int


def struct_fields(tree: Tree) -> Mapping[str, frozenset[str]]:
    """Return the fields of the structs that a file declares with names for all."""
    return dict(_structs(tree.root))


def field_uses(tree: Tree, lines: range) -> Iterator[FieldUse]:
    """Yield the fields of variables in some lines."""
    bound: dict[int, Mapping[str, str]] = {}
    for node, function in _nodes(tree.root):
        if node.type != "field_expression" or node.start_point.row not in lines:
            continue
        argument, field = (
            node.child_by_field_name(name) for name in ("argument", "field")
        )
        if function is None or argument is None or field is None:
            continue
        if function.id not in bound:
            bound[function.id] = _variables(function)
        owner = bound[function.id].get(name_of(argument), "")
        if owner:
            yield FieldUse(owner, name_of(field), field.start_point.row)


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
