"""Cases of C whose name is no constant of the enumeration that the others are of."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree


def unknown_labels(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield the names that nothing else in the file has."""
    if tree.language not in (Language.C, Language.CPP):
        return
    for node in nodes_of(tree.root, is_near):
        name = _label(node)
        if name is None or tree.source.count(name.text or b"") > 1:
            continue
        block = node.parent
        others = block.named_children if block is not None else []
        labels = {text_of(one) for each in others if (one := _label(each))}
        known = set(_constants(tree.root))
        if len(labels) > 1 and labels - {text_of(name)} <= known:
            yield CompileFault(
                line=line_of(name),
                key=f"label {text_of(name)}",
                message=f"No enumeration of the file has `{text_of(name)}`.",
            )


def _label(node: Node) -> Node | None:
    """Return the name of a case."""
    value = node.child_by_field_name("value") if node.type == "case_statement" else None
    return value if value is not None and value.type == "identifier" else None


def _constants(root: Node) -> Iterator[str]:
    for node in nodes_of(root, closed=frozenset({"function_definition"})):
        if node.type == "enumerator":
            yield text_of(node.child_by_field_name("name"))
