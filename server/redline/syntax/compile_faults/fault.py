"""One fault, and how the modules of this package walk a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from tree_sitter import Node


class CompileFault(Struct, frozen=True, kw_only=True):
    """Something that a compiler refuses."""

    line: int
    key: str
    """What is the same before and after an edit that does not touch the fault."""
    message: str
    """A sentence."""


Near = Callable[["Node"], bool]

MAX_DEPTH = 200
"""Deeper nodes are not read: people do not write them."""


def everywhere(_node: Node) -> bool:
    """Accept every node."""
    return True


def in_lines(lines: range) -> Near:
    """Return a filter for nodes that touch some lines."""
    first, last = lines.start, max(lines.stop - 1, lines.start)

    def is_near(node: Node) -> bool:
        return node.start_point.row <= last and first <= node.end_point.row

    return is_near


def text_of(node: Node | None) -> str:
    return (node.text or b"").decode(errors="replace") if node is not None else ""


def nodes_of(
    root: Node, is_near: Near = everywhere, *, closed: Set[str] = frozenset()
) -> Iterator[Node]:
    """Yield a node and the named nodes in it, in order.

    Args:
        root: Where to begin.
        is_near: Skips nodes and what is in them.
        closed: Types of nodes that are yielded, but not what is in them.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not is_near(node):
            continue
        yield node
        if node is root or node.type not in closed:
            waiting.extend(reversed(node.named_children))


def ancestor(node: Node, types: Set[str]) -> Node | None:
    """Return the innermost node of some types around a node, without itself."""
    outer = node.parent
    for _ in range(MAX_DEPTH):
        if outer is None or outer.type in types:
            return outer
        outer = outer.parent
    return None


def line_of(node: Node) -> int:
    return node.start_point.row


def modifiers(node: Node) -> set[str]:
    """Return the words in front of a declaration."""
    found: set[str] = set()
    for child in node.children:
        if "modifier" in child.type or child.type in ("type_qualifier", "const"):
            found.update(text_of(child).split())
    return found
