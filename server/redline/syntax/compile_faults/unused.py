"""Variables of Go that are declared and not used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from redline.syntax.compile_faults.fault import (
    CompileFault,
    Near,
    ancestor,
    line_of,
    nodes_of,
    text_of,
)
from redline.syntax.language import Language
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree

_SCOPES = word_set(
    "block if_statement for_statement expression_switch_statement type_switch_statement"
    " select_statement expression_case default_case type_case communication_case"
    " function_declaration method_declaration func_literal"
)
_LOCAL = word_set("function_declaration method_declaration func_literal")


def unused(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield the variables in functions that nothing reads."""
    if tree.language is not Language.GO:
        return
    for node in nodes_of(tree.root, is_near):
        for name in _declared(node):
            word = text_of(name)
            scope = ancestor(node, _SCOPES)
            if word == "_" or scope is None or ancestor(node, _LOCAL) is None:
                continue
            if _is_known(name, node, scope) or _is_read(name, scope):
                continue
            yield CompileFault(
                line=line_of(name),
                key=f"unused {word}",
                message=f"`{word}` is declared and not used, which Go does not allow.",
            )


def _declared(node: Node) -> list[Node]:
    if node.type == "var_spec":
        return node.children_by_field_name("name")
    is_range = node.type == "range_clause" and any(
        one.type == ":=" for one in node.children
    )
    if node.type != "short_var_declaration" and not is_range:
        return []
    left = node.child_by_field_name("left")
    names = left.named_children if left is not None else []
    return [one for one in names if one.type == "identifier"]


def _is_known(name: Node, node: Node, scope: Node) -> bool:
    """Whether the statement may only assign a name that its scope has already."""
    if node.type != "short_var_declaration":
        return False
    word, end = name.text, name.start_byte
    outer = scope.parent
    first = outer if outer is not None and outer.type in _LOCAL else scope
    return any(
        one.type == "identifier" and one.text == word and one.start_byte < end
        for one in nodes_of(first)
    )


def _is_read(name: Node, scope: Node) -> bool:
    word = name.text
    for node in nodes_of(scope):
        if node.type != "identifier" or node.text != word:
            continue
        if node.start_byte > name.start_byte and not _is_target(node):
            return True
    return False


def _is_target(node: Node) -> bool:
    """Whether a name only gets a value."""
    outer = node.parent
    if outer is None or outer.type != "expression_list":
        return False
    statement = outer.parent
    if statement is None or statement.child_by_field_name("left") != outer:
        return False
    if statement.type == "assignment_statement":
        return text_of(statement.child_by_field_name("operator")) == "="
    return statement.type in ("short_var_declaration", "range_clause")
