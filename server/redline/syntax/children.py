"""Children of a node by number: tree-sitter raises IndexError if there are fewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


def nth_child(node: Node, n: int) -> Node | None:
    """Return a named child by its number; None: it has fewer."""
    children = node.named_children
    return children[n] if n < len(children) else None


def nth_part(node: Node, n: int) -> Node | None:
    """Return a child by its number, also a keyword or a sign; None: it has fewer."""
    return node.child(n) if n < node.child_count else None
