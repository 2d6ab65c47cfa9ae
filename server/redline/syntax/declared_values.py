"""The functions and variables that a file declares at its top level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import TYPE_CHECKING

from redline.syntax.declared_members import (
    Member,
    add_members,
    member_of,
    members_of_cpp,
    names_of,
    overloaded,
)
from redline.syntax.language import Language
from redline.syntax.read_on_demand import ReadOnDemand
from redline.syntax.tree import Tree
from redline.syntax.type_names import name_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


_OUTER = word_set(
    "export_statement lexical_declaration variable_declaration namespace_definition"
    " declaration_list var_declaration const_declaration var_spec_list"
    " template_declaration linkage_specification"
)
_VALUES = word_set(
    "function_declaration function_signature function_item function_definition"
    " variable_declarator generator_function_declaration static_item const_item"
    " var_spec const_spec declaration"
)


def declared_values(tree: Tree) -> Mapping[str, Member]:
    """Return what a file declares by name; each is read when it is looked up."""
    if tree.language is Language.CPP:
        found: dict[str, Member] = {}
        for node in _value_nodes(tree.root):
            add_members(found, dict(members_of_cpp(node)))
        return found
    nodes: dict[str, list[Node]] = {}
    for node in _value_nodes(tree.root):
        for name in names_of(node):
            nodes.setdefault(name_of(name), []).append(node)
    return ReadOnDemand(
        nodes,
        lambda found: reduce(
            overloaded, (member_of(one, tree.language) for one in found)
        ),
    )


def _value_nodes(root: Node) -> Iterator[Node]:
    waiting = list(reversed(root.named_children))
    while waiting:
        node = waiting.pop()
        if node.type in _OUTER:
            waiting.extend(reversed(node.named_children))
        elif node.type in _VALUES:
            yield node
