"""The places of a name in a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree


def places_of(tree: Tree, name: str, types: Set[str]) -> Iterator[Node]:
    """Yield the nodes of some types whose whole text is a name, in order."""
    for match in re.finditer(re.escape(name.encode()), tree.source):
        node = tree.root.descendant_for_byte_range(*match.span())
        if node is None or node.type not in types:
            continue
        if (node.start_byte, node.end_byte) == match.span():
            yield node
