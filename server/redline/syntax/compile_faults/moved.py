"""Parameters of Rust that are used after they were given away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from redline.syntax.compile_faults.fault import (
    CompileFault,
    Near,
    line_of,
    nodes_of,
    text_of,
)
from redline.syntax.language import Language
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree

_OWNED = re.compile(r"(?:String|Vec|Box|HashMap|BTreeMap|HashSet|VecDeque)\b")
"""Types of the standard library that are moved."""
_TYPES = word_set("struct_item enum_item")


def used_after_move(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield uses of a parameter behind a statement that passes it on by its value.

    Both must be statements of the function's own block, and the type one that is
    certainly moved: a type of the file without `Copy`, or one of the standard library.
    """
    if tree.language is not Language.RUST:
        return
    source = tree.source.decode(errors="replace")
    for node in nodes_of(tree.root, is_near):
        body = node.child_by_field_name("body")
        parameters = node.child_by_field_name("parameters")
        if node.type != "function_item" or body is None or parameters is None:
            continue
        for one in parameters.named_children:
            name = text_of(one.child_by_field_name("pattern"))
            type_ = text_of(one.child_by_field_name("type"))
            is_moved = _OWNED.match(type_) or _is_moved(type_, tree, source)
            if name.isidentifier() and is_moved:
                yield from _uses(body, name)


def _is_moved(name: str, tree: Tree, source: str) -> bool:
    """Whether a type is one of the file, and no copy of it is made."""
    if not name.isidentifier() or re.search(rf"\bCopy for {name}\b", source):
        return False
    for node in tree.root.named_children:
        if node.type in _TYPES and text_of(node.child_by_field_name("name")) == name:
            above = node.prev_named_sibling
            derived = ""
            while above is not None and above.type in (
                "attribute_item",
                "line_comment",
            ):
                derived += text_of(above)
                above = above.prev_named_sibling
            return "Copy" not in derived
    return False


def _uses(body: Node, name: str) -> Iterator[CompileFault]:
    moved_to = ""
    for statement in body.named_children:
        names = [
            one
            for one in nodes_of(statement)
            if one.type == "identifier" and text_of(one) == name
        ]
        if moved_to and names:
            if _binds(statement, name):
                return
            yield CompileFault(
                line=line_of(names[0]),
                key=f"moved {name} {moved_to}",
                message=f"`{name}` was moved by `{moved_to}`.",
            )
            return
        moved_to = moved_to or _moving(statement, name)


def _moving(statement: Node, name: str) -> str:
    """Return the call that a statement is, if it passes a name on by its value."""
    call = statement.named_children[0] if statement.named_children else None
    if statement.type != "expression_statement" or call is None:
        return ""
    arguments = call.child_by_field_name("arguments")
    if call.type != "call_expression" or arguments is None:
        return ""
    given = [text_of(one) for one in arguments.named_children]
    return text_of(call)[:60] if name in given else ""


def _binds(statement: Node, name: str) -> bool:
    return (
        re.match(
            rf"(?:let\s+(?:mut\s+)?)?{name}\s*(?::[^=]+)?=(?!=)", text_of(statement)
        )
        is not None
    )
