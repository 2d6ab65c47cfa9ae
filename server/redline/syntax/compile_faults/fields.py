"""Fields that must get a value, and do not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from redline.syntax.compile_faults.fault import (
    CompileFault,
    Near,
    ancestor,
    line_of,
    modifiers,
    nodes_of,
    text_of,
)
from redline.syntax.compile_faults.objects import lacking_objects
from redline.syntax.language import Language

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree


def unset_fields(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield the final fields of Java that nothing sets, and in Rust the fields that a
    literal of a struct of the file lacks."""
    if tree.language is Language.JAVA and b"lombok" not in tree.source:
        yield from _unset_finals(tree)
    near = nodes_of(tree.root, is_near) if tree.language is Language.RUST else ()
    if any(node.type in ("struct_item", "struct_expression") for node in near):
        yield from _lacking_literals(tree)
    if tree.language in (Language.TYPESCRIPT, Language.TSX):
        yield from lacking_objects(tree, is_near)


def _unset_finals(tree: Tree) -> Iterator[CompileFault]:
    if b"final" not in tree.source:
        return
    for node in nodes_of(tree.root):
        if node.type != "field_declaration" or "final" not in modifiers(node):
            continue
        body = node.parent
        for one in node.children_by_field_name("declarator"):
            name = text_of(one.child_by_field_name("name"))
            if one.child_by_field_name("value") is not None or body is None:
                continue
            if re.search(rf"\b{re.escape(name)}\s*=(?!=)", text_of(body)):
                continue
            if body.type == "class_body" and "@" not in text_of(node):
                yield CompileFault(
                    line=line_of(node),
                    key=f"unset {name}",
                    message=f"Nothing sets the final field `{name}`.",
                )


def _lacking_literals(tree: Tree) -> Iterator[CompileFault]:
    structs = _structs(tree)
    if not structs:
        return
    for node in nodes_of(tree.root):
        if node.type != "struct_expression":
            continue
        name = _struct_name(node)
        body = node.child_by_field_name("body")
        wanted = structs.get(name)
        if wanted is None or body is None or b"#[" in (body.text or b""):
            continue
        given = _given(body)
        left = [one for one in wanted if one not in given]
        if "" in given or not left or not set(given) & set(wanted):
            continue
        listed = ", ".join(f"`{one}`" for one in left)
        yield CompileFault(
            line=line_of(node),
            key=f"lacking {name} {listed} {text_of(body)[:80]}",
            message=f"A literal of `{name}` lacks {listed}, at line"
            f" {line_of(node) + 1} of the file.",
        )


def _structs(tree: Tree) -> dict[str, list[str]]:
    """Return the fields of the structs of a file that has one of the name."""
    found: dict[str, list[str]] = {}
    several: set[str] = set()
    for node in nodes_of(tree.root):
        if node.type == "macro_definition":
            return {}
        if node.type not in ("struct_item", "union_item", "enum_item"):
            continue
        name = text_of(node.child_by_field_name("name"))
        if name in found:
            several.add(name)
        body = node.child_by_field_name("body")
        fields = body.named_children if body is not None else []
        is_plain = node.type == "struct_item" and b"#[cfg" not in (node.text or b"")
        found[name] = [
            text_of(one.child_by_field_name("name"))
            for one in fields
            if is_plain and one.type == "field_declaration"
        ]
    return {name: fields for name, fields in found.items() if name not in several}


def _struct_name(node: Node) -> str:
    name = node.child_by_field_name("name")
    if name is None or name.type != "type_identifier":
        return ""
    if text_of(name) != "Self":
        return text_of(name)
    outer = ancestor(node, {"impl_item"})
    kind = outer.child_by_field_name("type") if outer is not None else None
    return text_of(kind) if kind is not None and kind.type == "type_identifier" else ""


def _given(body: Node) -> list[str]:
    """Return the fields of a literal; an empty one stands for all others."""
    given = []
    for one in body.named_children:
        if one.type == "base_field_initializer":
            given.append("")
        elif one.type == "shorthand_field_initializer":
            given.append(text_of(one))
        elif one.type == "field_initializer":
            given.append(text_of(one.child_by_field_name("field")))
    return given
