"""Constants that get another value.

A name is judged only if one place of its scope binds it, so shadows never count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from itertools import islice
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
from redline.syntax.language import Language
from redline.syntax.type_names import SCRIPTS
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree

_ASSIGNING = {
    "assignment_expression": "left",
    "augmented_assignment_expression": "left",
    "compound_assignment_expr": "left",
    "assignment_statement": "left",
    "update_expression": "argument",
    "inc_statement": "",
    "dec_statement": "",
    "postfix_unary_expression": "",
    "prefix_unary_expression": "",
}
"""The field of what gets the value; empty: the only child."""

_SCOPES = word_set(
    "program source_file translation_unit compilation_unit statement_block block"
    " compound_statement switch_case switch_body switch_block for_statement"
    " for_in_statement enhanced_for_statement for_range_loop function_declaration"
    " function_definition function_item method_definition method_declaration"
    " constructor_declaration arrow_function function_expression lambda_expression"
    " closure_expression func_literal local_function_statement switch_section"
    " namespace_definition declaration_list"
)
_BINDING = word_set(
    "variable_declarator formal_parameters formal_parameter required_parameter"
    " optional_parameter catch_clause catch_formal_parameter parameter"
    " parameter_declaration optional_parameter_declaration let_declaration"
    " for_expression let_condition match_pattern init_declarator short_var_declaration"
    " var_spec const_spec range_clause closure_parameters foreach_statement"
    " enhanced_for_statement implicit_parameter declaration_expression"
    " declaration_pattern inferred_parameters resource lambda_capture_initializer"
    " structured_binding_declarator for_range_loop declaration static_item"
    " function_declaration class_declaration import_specifier namespace_import"
    " import_clause type_pattern record_pattern_component field_declaration"
    " lambda_capture_specifier preproc_def preproc_function_def"
)
_BOUND_FIELDS = ("name", "pattern", "left", "parameter", "declarator", "alias")
_FUNCTIONS = word_set(
    "arrow_function lambda_expression for_in_statement type_switch_statement"
)
"""Nodes that bind a bare name: a single parameter, or what a loop declares."""

_NAMES = word_set("identifier shorthand_property_identifier_pattern variable_name name")
_LANGUAGES = frozenset(
    {Language.CPP, Language.C, Language.CSHARP, Language.GO, Language.JAVA}
    | {Language.RUST, *SCRIPTS}
)


def reassigned(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield assignments to constants near some place."""
    if tree.language not in _LANGUAGES:
        return
    names = {
        text_of(one)
        for node in nodes_of(tree.root, is_near)
        if (one := _assigned(node)) is not None or (one := _constant(node, tree))
    }
    source = tree.source.decode(errors="replace")
    for name in sorted(names):
        if _may_change(name, source):
            yield from _of_name(tree, name, is_near)


def _may_change(name: str, source: str) -> bool:
    """Whether a text sets a name more often than where it is declared."""
    word = re.escape(name)
    if re.search(rf"(?:\+\+|--)\s?{word}\b|\b{word}\s?(?:\+\+|--|{_SIGNS}=)", source):
        return True
    setting = re.finditer(rf"\b{word}\s?(?::[^=\n]{{1,80}})?=(?![=>])", source)
    return len(list(islice(setting, 2))) == 2


_SIGNS = r"(?:[-+*/%&|^]|<<|>>|\*\*|\?\?|&&|\|\|)"


def _of_name(tree: Tree, name: str, is_near: Near) -> Iterator[CompileFault]:
    places = list(_places_of(tree, name, _NAMES))
    assigned = [(at, one) for at in places if (one := _assignment_of(at))]
    constants = [one for one in places if assigned and _is_constant(one, tree)]
    for constant in constants:
        scope = ancestor(constant.parent or constant, _SCOPES)
        if scope is None:
            continue
        targets = [
            target
            for place, target in assigned
            if place.start_byte >= constant.start_byte and _holds(scope, place)
            if is_near(target) or is_near(constant)
        ]
        if targets and _is_bound_once(places, scope):
            line = constant.start_point.row + 1
            yield CompileFault(
                line=line_of(targets[0]),
                key=f"reassigned {name}",
                message=f"`{name}` is constant (line {line} of the file), and gets"
                f" another value: `{_first_line(targets[0])}`.",
            )
            return


def _is_bound_once(places: list[Node], scope: Node) -> bool:
    return sum(_is_bound(one) for one in places if _holds(scope, one)) == 1


def _holds(scope: Node, node: Node) -> bool:
    return scope.start_byte <= node.start_byte and node.end_byte <= scope.end_byte


def _assigned(node: Node) -> Node | None:
    """Return the name that a node gives another value; None: it gives none."""
    field = _ASSIGNING.get(node.type)
    if field is None or _is_plain_operator(node):
        return None
    target = node.child_by_field_name(field) if field else None
    target = target or (node.named_children[0] if node.named_child_count else None)
    if target is not None and target.type == "expression_list":
        target = target.named_children[0] if target.named_child_count == 1 else None
    return target if target is not None and target.type == "identifier" else None


def _is_plain_operator(node: Node) -> bool:
    """Whether it is an operator that changes nothing, such as a minus sign."""
    if not node.type.endswith("fix_unary_expression"):
        return False
    signs = {one.type for one in node.children if not one.is_named}
    return not signs & {"++", "--"}


def _assignment_of(place: Node) -> Node | None:
    """Return the assignment that gives a name another value."""
    outer = place.parent
    if outer is not None and outer.type == "expression_list":
        outer = outer.parent
    found = _assigned(outer) if outer is not None else None
    return outer if found is not None and found == place else None


def _is_bound(place: Node) -> bool:
    """Whether a place of a name binds it, or may."""
    node, outer = place, place.parent
    while outer is not None:
        kind = outer.type
        if kind in _BINDING:
            return _is_bound_by(node, outer)
        if kind in _FUNCTIONS:
            fields = [outer.child_by_field_name(one) for one in ("left", "parameter")]
            is_loop = kind == "for_in_statement"
            declares = outer.child_by_field_name("kind") is not None
            return node in fields and (declares or not is_loop)
        if not kind.endswith(("pattern", "declarator", "list")) and (
            kind != "modifiers" and kind != "mutable_specifier"
        ):
            return False
        node, outer = outer, outer.parent
    return False


def _is_bound_by(node: Node, outer: Node) -> bool:
    fields = [
        one for field in _BOUND_FIELDS for one in outer.children_by_field_name(field)
    ]
    return not fields or node in fields


def _constant(node: Node, tree: Tree) -> Node | None:
    """Return the name that a node declares as a constant with a value."""
    language = tree.language
    if language in SCRIPTS:
        return _of_script(node)
    if language is Language.RUST:
        return _of_rust(node)
    if language is Language.GO:
        return node.child_by_field_name("name") if node.type == "const_spec" else None
    if language in (Language.C, Language.CPP):
        return _of_c(node)
    return _of_java(node)


def _is_constant(place: Node, tree: Tree) -> bool:
    outer = place.parent
    if outer is None:
        return False
    if outer.type == "reference_declarator":
        outer = outer.parent
    return outer is not None and _constant(outer, tree) == place


def _of_script(node: Node) -> Node | None:
    outer = node.parent
    if node.type != "variable_declarator" or outer is None:
        return None
    kind = outer.child_by_field_name("kind")
    is_constant = outer.type == "lexical_declaration" and text_of(kind) == "const"
    name = node.child_by_field_name("name")
    return name if is_constant and name and name.type == "identifier" else None


def _of_rust(node: Node) -> Node | None:
    if node.type == "let_declaration" and node.child_by_field_name("value") is None:
        return None
    if node.type not in ("let_declaration", "parameter"):
        return None
    if any(one.type == "mutable_specifier" for one in node.children):
        return None
    name = node.child_by_field_name("pattern")
    return name if name is not None and name.type == "identifier" else None


def _of_c(node: Node) -> Node | None:
    """Return what is constant itself, not what it points to."""
    outer = node.parent
    if node.type == "init_declarator" and outer is not None:
        name = node.child_by_field_name("declarator")
        if name is not None and name.type == "reference_declarator":
            name = name.named_children[0] if name.named_child_count else None
        is_constant = "const" in modifiers(outer)
        return name if is_constant and name and name.type == "identifier" else None
    return None


def _of_java(node: Node) -> Node | None:
    """Return a constant variable of a function in Java or C#."""
    outer = node.parent
    if node.type != "variable_declarator" or outer is None:
        return None
    if outer.type == "variable_declaration":
        outer = outer.parent
    local = ("local_variable_declaration", "local_declaration_statement")
    if outer is None or outer.type not in local:
        return None
    has_value = node.named_child_count > 1
    is_constant = modifiers(outer) & {"final", "const"}
    return node.child_by_field_name("name") if is_constant and has_value else None


def _first_line(node: Node) -> str:
    return text_of(node).partition("\n")[0][:60]


def _places_of(tree: Tree, name: str, types: Set[str]) -> Iterator[Node]:
    """Yield the nodes of some types whose whole text is a name, in order."""
    for match in re.finditer(re.escape(name.encode()), tree.source):
        node = tree.root.descendant_for_byte_range(*match.span())
        if node is None or node.type not in types:
            continue
        if (node.start_byte, node.end_byte) == match.span():
            yield node
