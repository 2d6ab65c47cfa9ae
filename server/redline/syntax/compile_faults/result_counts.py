"""Values that are returned where the function has no result, or another number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from redline.syntax.compile_faults.fault import (
    CompileFault,
    Near,
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

_FUNCTIONS = word_set(
    "function_declaration method_declaration function_definition function_item"
    " method_definition local_function_statement"
)
_INNER = _FUNCTIONS | word_set(
    "func_literal lambda_expression class_body closure_expression async_block"
    " anonymous_method_expression anonymous_function arrow_function class_declaration"
    " function_expression anonymous_function_creation_expression struct_item impl_item"
    " gen_block const_block try_block generator_function generator_function_declaration"
    " anonymous_class object_creation_expression macro_invocation"
)
"""What has results of its own, or may have."""
_RETURNS = frozenset({"return_statement", "return_expression"})
_MAY_BE_NOTHING = word_set(
    "call_expression function_call_expression member_call_expression await_expression"
    " scoped_call_expression unit_expression cast_expression undefined identifier"
    " macro_invocation match_expression if_expression block unsafe_block"
    " conditional_expression ternary_expression parenthesized_expression"
    " comma_expression"
)
"""Values that are none, if a function without a result gives them."""
_ARE_VALUES = word_set(
    "identifier self integer_literal float_literal string_literal boolean_literal"
    " field_expression struct_expression reference_expression binary_expression"
    " array_expression"
)
"""Last expressions of a block in Rust that have a value."""
_WRAPPED = frozenset({"Some", "Ok", "Err", "None"})
_WITH_VOID = frozenset(
    (*SCRIPTS, Language.JAVA, Language.CSHARP, Language.PHP, Language.C, Language.CPP)
)
"""Languages in which a function without a result says so by `void`."""
_WITHOUT_NOTHING = frozenset({Language.JAVA, Language.CSHARP})
"""Languages in which no value is nothing."""


def result_counts(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield returned values that a function near the edit does not have."""
    if tree.language is not Language.GO and tree.language not in _WITH_VOID:
        if tree.language is Language.RUST:
            yield from _in_rust(tree.root, is_near)
        return
    for function in nodes_of(tree.root, is_near):
        is_go = tree.language is Language.GO
        if function.type not in _FUNCTIONS and not (
            is_go and function.type == "func_literal"
        ):
            continue
        if is_go:
            yield from _in_go(function)
        elif _is_without_result(function, tree.language):
            yield from _values(function, tree.language)


def _in_go(function: Node) -> Iterator[CompileFault]:
    result = function.child_by_field_name("result")
    wanted, is_named = _go_results(result)
    for node in _returns(function):
        listed = [one for one in node.named_children if one.type == "expression_list"]
        values = listed[0].named_children if listed else []
        values = [one for one in values if one.type != "comment"]
        n_values = len(values)
        is_call = n_values == 1 and values[0].type == "call_expression"
        if n_values == wanted or (n_values == 0 and is_named):
            continue
        if not (is_call and wanted > 1):
            yield _fault(node, wanted)


def _go_results(result: Node | None) -> tuple[int, bool]:
    """Return how many results a function of Go has, and whether they have names."""
    if result is None:
        return 0, False
    if result.type != "parameter_list":
        return 1, False
    declared = [
        one for one in result.named_children if one.type == "parameter_declaration"
    ]
    n_names = [len(one.children_by_field_name("name")) for one in declared]
    return sum(max(1, n) for n in n_names), any(n_names)


def _is_without_result(function: Node, language: Language) -> bool:
    for field in ("return_type", "returns", "type"):
        written = text_of(function.child_by_field_name(field)).lstrip(": ")
        if written:
            break
    declarator = function.child_by_field_name("declarator")
    if declarator is not None and declarator.type != "function_declarator":
        return False
    if language is Language.CSHARP and "async" in modifiers(function):
        return written in ("void", "Task", "ValueTask")
    return written == "void"


def _values(function: Node, language: Language) -> Iterator[CompileFault]:
    for node in _returns(function):
        values = [one for one in node.named_children if "comment" not in one.type]
        is_value = bool(values) and (
            language in _WITHOUT_NOTHING or values[0].type not in _MAY_BE_NOTHING
        )
        is_variable = values and values[0].type == "identifier"
        if is_value or (is_variable and language not in SCRIPTS):
            yield _fault(node, 0)


def _in_rust(root: Node, is_near: Near) -> Iterator[CompileFault]:
    """Yield values that a function of Rust without a result returns, or ends with."""
    for function in nodes_of(root, is_near):
        body = function.child_by_field_name("body")
        if function.type != "function_item" or body is None:
            continue
        if function.child_by_field_name("return_type") is not None:
            continue
        for node in _returns(function):
            values = node.named_children
            if values and values[0].type not in _MAY_BE_NOTHING:
                yield _fault(node, 0)
        last = [one for one in body.named_children if "comment" not in one.type][-1:]
        if last and is_near(last[0]) and _is_value(last[0], body):
            yield _fault(last[0], 0)


def _is_value(node: Node, body: Node) -> bool:
    """Whether the last expression of a body is no call, and no variable set to one."""
    if node.type == "call_expression":
        return text_of(node.child_by_field_name("function")) in _WRAPPED
    if node.type != "identifier":
        return node.type in _ARE_VALUES
    values = [
        one.child_by_field_name("value")
        for one in body.named_children
        if text_of(one.child_by_field_name("pattern")) == text_of(node)
    ]
    return not any(one is not None and "call" in one.type for one in values)


def _returns(function: Node) -> Iterator[Node]:
    """Yield the statements that leave a function with or without a value."""
    body = function.child_by_field_name("body")
    if body is not None:
        inside = nodes_of(body, closed=_INNER)
        yield from (one for one in inside if one.type in _RETURNS)


def _fault(node: Node, wanted: int) -> CompileFault:
    text = text_of(node).partition("\n")[0][:60]
    results = {0: "no result", 1: "one result"}.get(wanted, f"{wanted} results")
    return CompileFault(
        line=line_of(node),
        key=f"results {wanted} {text}",
        message=f"The function has {results}, and this does not fit: `{text}`.",
    )
