"""Objects of TypeScript that lack a property of their type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from redline.syntax.children import nth_child
from redline.syntax.compile_faults.fault import (
    CompileFault,
    Near,
    line_of,
    nodes_of,
    text_of,
)
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree

_PLAIN = word_set("pair shorthand_property_identifier method_definition comment")


def lacking_objects(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield the objects whose written type is an interface of the file."""
    near = [
        one for one in nodes_of(tree.root, is_near) if one.type == "variable_declarator"
    ]
    for node in near:
        value, name = node.child_by_field_name("value"), _type_of(node)
        if value is None or value.type != "object" or not name:
            continue
        given = {_key(one) for one in value.named_children}
        if not all(one.type in _PLAIN for one in value.named_children) or "" in given:
            continue
        left = [one for one in _wanted(tree, name) if one not in given]
        if left:
            listed = ", ".join(f"`{one}`" for one in left)
            yield CompileFault(
                line=line_of(node),
                key=f"lacking {name} {listed} {text_of(value)[:80]}",
                message=f"A literal of `{name}` lacks {listed}.",
            )


def _type_of(declarator: Node) -> str:
    written = declarator.child_by_field_name("type")
    kind = nth_child(written, 0) if written is not None else None
    return text_of(kind) if kind is not None and kind.type == "type_identifier" else ""


def _key(member: Node) -> str:
    """Return the name of a property; empty if it is computed."""
    if member.type == "shorthand_property_identifier":
        return text_of(member)
    name = member.child_by_field_name("key") or member.child_by_field_name("name")
    if member.type == "comment":
        return "//"
    is_plain = name is not None and name.type in ("property_identifier", "string")
    return text_of(name).strip("\"'") if is_plain else ""


def _wanted(tree: Tree, name: str) -> list[str]:
    """Return what an interface without bases demands, if the file has only one."""
    found = [one for one in _interfaces(tree) if _name(one) == name]
    if len(found) != 1 or any(
        one.type.startswith("extends") for one in found[0].children
    ):
        return []
    body = found[0].child_by_field_name("body")
    members = body.named_children if body is not None else []
    return [
        _name(one).strip("\"'")
        for one in members
        if one.type in ("property_signature", "method_signature")
        and not any(part.type == "?" for part in one.children)
        and not _name(one).startswith("[")
    ]


def _interfaces(tree: Tree) -> Iterator[Node]:
    for one in tree.root.named_children:
        inner = one.child_by_field_name("declaration") or one
        if inner.type in ("interface_declaration", "class_declaration"):
            yield inner


def _name(node: Node) -> str:
    return text_of(node.child_by_field_name("name"))
