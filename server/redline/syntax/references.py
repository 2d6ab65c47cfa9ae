"""The uses of names that no definition of their file reaches.

Only in positions that certainly read or set a variable. Every other position of an
identifier counts as a definition, visible in the block or function around it, whatever
comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from typing import TYPE_CHECKING, NamedTuple

from redline.syntax.children import nth_part
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS, name_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_N_PLACES = 3_000
_MAX_DEPTH = 150
"""Of all names, and of one: nobody writes more, and each has to be searched for."""

_READING = word_set(
    "arguments argument_list binary_expression unary_expression"
    " prefix_unary_expression postfix_unary_expression parenthesized_expression"
    " return_statement return_expression index_expression subscript_expression"
    " spread_element ternary_expression conditional_expression await_expression"
    " template_substitution interpolation reference_expression try_expression"
    " element_access_expression send_statement inc_statement dec_statement"
    " inc_statement update_expression throw_statement array_access slice_expression"
    " range_expression tuple_expression array_expression array array_initializer"
    " yield_expression arrow_expression_clause expression_statement jsx_expression"
    " compound_assignment_expr augmented_assignment_expression literal_value"
    " shorthand_field_initializer assignment_expression assignment_statement"
)
"""Nodes whose identifiers are all read or set."""

_READING_FIELDS = frozenset(
    pair.rpartition(".")[::2]
    for pair in word_set(
        "selector_expression.operand field_expression.value member_expression.object"
        " method_invocation.object field_access.object keyed_element.value"
        " member_access_expression.expression short_var_declaration.right"
        " range_clause.right type_switch_statement.value var_spec.value"
        " expression_switch_statement.value const_spec.value receive_statement.right"
        " if_statement.condition for_clause.condition for_statement.condition"
        " if_expression.condition while_expression.condition match_expression.value"
        " let_declaration.value let_condition.value for_expression.value"
        " type_cast_expression.value closure_expression.body match_arm.value"
        " field_initializer.value variable_declarator.value arrow_function.body"
        " pair.value for_in_statement.right new_expression.constructor"
        " enhanced_for_statement.value lambda_expression.body cast_expression.value"
        " foreach_statement.right is_pattern_expression.expression argument."
        " variable_declarator. block."
    )
)
"""Nodes and the fields whose identifiers are read; empty: those without a field."""

_SILENT = word_set(
    "scoped_identifier scoped_type_identifier generic_function macro_invocation"
    " annotation marker_annotation attribute qualified_name export_specifier"
    " type_query labeled_statement break_statement continue_statement goto_statement"
    " method_reference nullable_type generic_name type_argument_list"
)
"""Nodes whose identifiers are neither variables nor definitions."""

_SILENT_FIELDS = frozenset(
    pair.rpartition(".")[::2]
    for pair in word_set(
        "method_invocation.name field_access.field member_access_expression.name"
        " call_expression.function invocation_expression.function argument.name"
        " keyed_element.key"
    )
)
_TYPE_FIELDS = frozenset({"type", "returns"})

_TRANSPARENT = frozenset({"expression_list", "literal_element"})
"""Nodes whose own place decides what an identifier in them is."""

_FUNCTION_SCOPES = word_set(
    "function_declaration function_item method_declaration constructor_declaration"
    " func_literal closure_expression arrow_function function_expression"
    " generator_function_declaration method_definition lambda_expression"
    " local_function_statement"
)
_SCOPES = _FUNCTION_SCOPES | word_set(
    "block statement_block match_arm if_expression while_expression for_expression"
    " for_statement for_in_statement enhanced_for_statement catch_clause"
    " expression_switch_statement type_switch_statement communication_case"
    " expression_case type_case default_case try_with_resources_statement"
    " foreach_statement using_statement class_body declaration_list"
)
_GO_SCOPES = _SCOPES | {"if_statement"}
_IMPORTS = word_set(
    "import_statement import_declaration use_declaration using_directive import_spec"
    " extern_crate_declaration"
)
_PRINTING = word_set(
    "println eprintln print eprint format write writeln panic assert assert_eq"
    " assert_ne debug_assert debug_assert_eq dbg vec"
)
"""Macros of Rust that read their arguments."""


_OTHER_NAMES = word_set(
    "field_identifier property_identifier private_property_identifier type_identifier"
    " package_identifier statement_identifier namespace_identifier label_name"
    " predefined_type primitive_type implicit_type self this super"
)
"""Leaves that are no variables."""

_TEXT = re.compile("comment|string|content|fragment|text|regex|char")


class _Place(NamedTuple):
    """One node on the way from the file to an identifier."""

    node: Node
    field: str


def unreached_names(tree: Tree, names: Set[str]) -> Mapping[str, tuple[int, ...]]:
    """Return the lines in which names are used that no definition reaches.

    Args:
        tree: A file in Go, Rust, Java, C#, JavaScript or TypeScript.
        names: The names to look for.
    """
    uses: list[tuple[str, int, frozenset[int]]] = []
    scopes: dict[str, set[int]] = {}
    for name, path in _places(tree, names):
        kind = _kind(path)
        if kind == "use":
            around = frozenset(place.node.id for place in path)
            uses.append((name, path[-1].node.start_point.row, around))
        elif kind == "definition":
            scopes.setdefault(name, set()).add(_scope(path, tree.language))
    found: dict[str, list[int]] = {}
    for name, line, around in uses:
        if around.isdisjoint(scopes.get(name, ())):
            found.setdefault(name, []).append(line)
    return {name: tuple(lines) for name, lines in found.items()}


def _places(tree: Tree, names: Set[str]) -> Iterator[tuple[str, list[_Place]]]:
    """Yield where names are identifiers, each with the nodes around it."""
    if not names:
        return
    either = "|".join(map(re.escape, sorted(names)))
    pattern = re.compile(rf"(?<![\w$])(?:{either})(?![\w$])".encode())
    for number, found in enumerate(pattern.finditer(tree.source)):
        if number == _MAX_N_PLACES:
            return
        path = _path(tree.root, found.start(), found.end())
        if path is not None and not _TEXT.search(path[-1].node.type):
            yield found[0].decode(), path


def _path(root: Node, start: int, end: int) -> list[_Place] | None:
    """Return the nodes around a leaf of the tree; None: there is none, or too deep."""
    cursor = root.walk()
    path = [_Place(root, "")]
    while cursor.goto_first_child_for_byte(start) is not None:
        node = cursor.node
        if node is None or node.start_byte > start or len(path) == _MAX_DEPTH:
            return None
        path.append(_Place(node, cursor.field_name or ""))
    last = path[-1].node
    return path if (last.start_byte, last.end_byte) == (start, end) else None


def _kind(path: list[_Place]) -> str:
    """Return whether an identifier is a `use`, a `definition` or neither."""
    leaf = path[-1]
    if any(place.node.type in _IMPORTS for place in path):
        return "definition"
    if leaf.node.type == "shorthand_property_identifier":
        return "use"
    if any(_is_anonymous(place.node) for place in path[:-1]):
        return ""
    if leaf.node.type in _OTHER_NAMES:
        is_named = leaf.node.type == "type_identifier" and leaf.field == "name"
        return "definition" if is_named else ""
    if leaf.node.type != "identifier":
        return "definition"
    at = len(path) - 1
    while at > 1 and path[at - 1].node.type in _TRANSPARENT:
        at -= 1
    outer, field = path[at - 1].node, path[at].field
    if outer.type == "token_tree":
        return "use" if _is_printed(path) else "definition"
    if outer.type in _SILENT or field in _TYPE_FIELDS:
        return ""
    if (outer.type, field) in _SILENT_FIELDS or _is_initialized(path):
        return ""
    is_read = outer.type in _READING or (outer.type, field) in _READING_FIELDS
    return "use" if is_read and not _asks_for_type(outer) else "definition"


def _is_anonymous(node: Node) -> bool:
    """Whether it is an anonymous class of Java, which has the fields of its base."""
    return node.type == "object_creation_expression" and any(
        child.type == "class_body" for child in node.named_children
    )


def _asks_for_type(node: Node) -> bool:
    """Whether it is `typeof x` of JavaScript, which also works without an `x`."""
    first = nth_part(node, 0)
    return first is not None and first.type == "typeof"


def _is_initialized(path: list[_Place]) -> bool:
    """Whether it is a property in an initializer of C#, `new A { X = 1 }`."""
    return path[-1].field == "left" and any(
        place.node.type == "initializer_expression" for place in path[-3:]
    )


def _is_printed(path: list[_Place]) -> bool:
    """Whether an identifier is a value in an argument of a macro that reads them."""
    macro, leaf = path[-3].node, path[-1].node
    before, after = leaf.prev_sibling, leaf.next_sibling
    return (
        macro.type == "macro_invocation"
        and name_of(macro.child_by_field_name("macro")) in _PRINTING
        and before is not None
        and before.type in _BEFORE_VALUES
        and after is not None
        and after.type in _AFTER_VALUES
    )


_AFTER_VALUES = word_set(", ) ] ; && || == != < > <= >= + - * / %")
_BEFORE_VALUES = word_set(", ( [ ; && || == != < > <= >= + - * / % ! &")


def _scope(path: list[_Place], language: Language) -> int:
    """Return the id of the node in which a definition is visible."""
    kinds = _GO_SCOPES if language is Language.GO else _SCOPES
    # The name of a function is visible around it.
    around = path[: -2 if path[-1].field == "name" else -1]
    is_hoisted = language in SCRIPTS and any(
        place.node.type == "variable_declaration" for place in around[-3:]
    )
    if is_hoisted:
        kinds = _FUNCTION_SCOPES
    for place in reversed(around):
        if place.node.type in kinds:
            return place.node.id
    return path[0].node.id
