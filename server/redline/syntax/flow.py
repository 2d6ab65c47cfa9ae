"""The ways through the functions of a file.

A statement that is not known counts as one that leaves.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.tree import Tree
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

    _Filter = Callable[[Node], bool]


class WrongReturn(Struct, frozen=True, kw_only=True):
    """A `return` of Go with another number of values than its function has."""

    line: int
    text: str
    n_values: int
    n_results: int


class FunctionFlow(Struct, frozen=True, kw_only=True):
    first_line: int
    head: str
    """What is in front of its body."""
    may_end: bool
    """Whether it may reach its end without a `return`."""
    returns_value: bool
    needs_value: bool
    """Whether a result is written that only a value fits."""
    is_generator: bool
    wrong_returns: tuple[WrongReturn, ...]


_FUNCTIONS = word_set(
    "function_definition function_declaration method_declaration method_definition"
    " function_expression arrow_function local_function_statement func_literal"
    " generator_function_declaration generator_function anonymous_function lambda"
    " lambda_expression anonymous_method_expression constructor_declaration"
)
_BLOCKS = word_set(
    "block statement_block compound_statement statement_list using_statement"
    " with_statement lock_statement synchronized_statement else_clause"
    " finally_clause fixed_statement unsafe_statement checked_statement"
    " declaration_list"
)
_LEAVING = word_set(
    "return_statement throw_statement raise_statement break_statement"
    " continue_statement goto_statement"
)
_PASSING = word_set(
    "expression_statement for_statement foreach_statement for_in_statement"
    " enhanced_for_statement local_variable_declaration local_declaration_statement"
    " lexical_declaration variable_declaration declaration short_var_declaration"
    " assignment_statement inc_statement dec_statement defer_statement go_statement"
    " send_statement var_declaration const_declaration echo_statement delete_statement"
    " assert_statement pass_statement for_range_loop empty_statement"
)
"""Statements after which the next one runs, unless they call what ends the program."""

_ENDING_CALL = re.compile(
    r"\b(?:panic|exit|_exit|quick_exit|abort|die|fatal\w*|Fatal\w*|Panic\w*|Exit|fail"
    r"|Fail\w*|skip\w*|Skip\w*|unreachable\w*|__builtin_unreachable|assert_?[Nn]ever"
    r"|exhaustive\w*|longjmp|rethrow\w*|throw\w*|raise\w*|error|Goexit|redirect|abort_if"
    r"|halt|never\w*)\s*\(|\byield\b|\bassert False\b|\bassert 0\b|\bNever\b"
)
_GO_SWITCHES = frozenset({"expression_switch_statement", "type_switch_statement"})
_LOOPS = frozenset({"while_statement", "for_statement", "do_statement"})
_SKIPPED = word_set(
    "comment line_comment block_comment function_declaration class_declaration"
    " local_function_statement labeled_statement empty_statement preproc_if"
    " preproc_ifdef preproc_else preproc_endif preproc_call preproc_def case_statement"
    " class_definition function_definition text_interpolation type_alias_declaration"
    " interface_declaration label"
)
_ONE_VALUE = re.compile(
    r"(?:errors\.New|errors\.Join|fmt\.Errorf|fmt\.Sprint\w*|len|make|new|append|string)\("
)


def functions_in(tree: Tree, lines: range) -> Set[str]:
    """Return the names of the functions with a body that touch some lines."""
    return {name for name, *_ in _functions(tree.root, _in_lines(lines))}


def function_flows(tree: Tree, names: Set[str]) -> Mapping[str, FunctionFlow]:
    """Return the functions of some names that are the only ones of their name."""
    found: dict[str, tuple[Node, Node]] = {}
    counts: Counter[str] = Counter()
    for name, function, body in _functions(tree.root, _near(tree, names)):
        if name in names:
            counts[name] += 1
            found[name] = function, body
    return {name: _flow(*one) for name, one in found.items() if counts[name] == 1}


def unreached(tree: Tree, lines: range | None = None) -> Iterator[tuple[int, str]]:
    """Yield the statements behind one that always leaves, with their lines.

    Args:
        tree: The file.
        lines: Look only at blocks that touch one of these lines.
    """
    for node in _behind(tree.root, None if lines is None else _in_lines(lines)):
        yield node.start_point.row, _text(node).partition("\n")[0]


def _flow(function: Node, body: Node) -> FunctionFlow:
    inside = list(_nodes(body, enters_functions=False))
    return FunctionFlow(
        first_line=function.start_point.row,
        head=_head(function, body),
        may_end=not _leaves(body),
        returns_value=_returns_value(body),
        needs_value=_needs_value(function),
        is_generator=any(node.type.startswith("yield") for node in inside),
        wrong_returns=tuple(_wrong_returns(function, body)),
    )


def _needs_value(function: Node) -> bool:
    fields = ("result", "return_type", "returns", "type")
    written = (function.child_by_field_name(field) for field in fields)
    result = next((_text(one) for one in written if one is not None), "")
    head = (function.text or b"")[:400].decode(errors="replace").partition("{")[0]
    return bool(result) and not _NO_VALUE.search(result) and not _OPEN.search(head)


_NO_VALUE = re.compile(
    r"\b(?:void|undefined|never|any|unknown|noreturn|asserts|auto|Generator|Iterator"
    r"|Iterable|None|null|mixed|object|T)\b(?!\s*\*)|^\W*(?:Task|ValueTask)$|^\(\)$|[|]"
)
_OPEN = re.compile(
    r"\b(?:main|noreturn|_Noreturn|async|function\s*\*|operator|constexpr|naked)\b"
    r"|(?<![A-Z_])[A-Z_]{4,}+\s*+\("
)
"""Functions that may end without a value, though they have a result."""


def _wrong_returns(function: Node, body: Node) -> Iterator[WrongReturn]:
    result = function.child_by_field_name("result")
    if result is None:
        return
    n_results = result.named_child_count if result.type == "parameter_list" else 1
    if any(one.child_by_field_name("name") for one in result.named_children):
        return
    for node in _nodes(body, enters_functions=False):
        if node.type != "return_statement":
            continue
        values = node.named_children[0].named_children if node.named_children else []
        is_call = len(values) == 1 and values[0].type == "call_expression"
        if is_call and not _ONE_VALUE.match(_text(values[0])):
            continue
        if len(values) != n_results:
            yield WrongReturn(
                line=node.start_point.row,
                text=_text(node).partition("\n")[0],
                n_values=len(values),
                n_results=n_results,
            )


def _functions(root: Node, is_near: _Filter) -> Iterator[tuple[str, Node, Node]]:
    """Yield the functions that have a name and a body, each with both."""
    for node in _nodes(root, is_near=is_near):
        name = _name(node) if node.type in _FUNCTIONS else ""
        body = node.child_by_field_name("body") if name else None
        if body is not None and body.type in _BLOCKS:
            yield name, node, body


def _nodes(
    root: Node, *, enters_functions: bool = True, is_near: _Filter | None = None
) -> Iterator[Node]:
    """Yield a node and the nodes in it; nothing of those that are not near."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if is_near is not None and not is_near(node):
            continue
        yield node
        if enters_functions or node is root or node.type not in _FUNCTIONS:
            waiting.extend(reversed(node.named_children))


def _in_lines(lines: range) -> _Filter:
    """Return a filter for what touches one of some lines."""

    def is_near(node: Node) -> bool:
        return node.start_point.row < lines.stop and lines.start <= node.end_point.row

    return is_near


def _near(tree: Tree, names: Set[str]) -> _Filter:
    """Return a filter for what touches a line with one of some names."""
    rows = sorted({row for name in names for row in _rows(tree.source, name.encode())})

    def is_near(node: Node) -> bool:
        following = bisect_left(rows, node.start_point.row)
        return following < len(rows) and rows[following] <= node.end_point.row

    return is_near


def _rows(source: bytes, word: bytes) -> Iterator[int]:
    row, counted = 0, 0
    at = source.find(word)
    while at >= 0:
        row += source.count(b"\n", counted, at)
        counted = at
        yield row
        at = source.find(word, at + len(word))


def _name(node: Node) -> str:
    named = node.child_by_field_name("name")
    while named is None and (node := node.child_by_field_name("declarator")):  # type: ignore[assignment]
        named = node if node.type.endswith("identifier") else None
    return _text(named)


def _text(node: Node | None) -> str:
    return (node.text or b"").decode() if node is not None else ""


def _head(function: Node, body: Node) -> str:
    """Return what is in front of a function's body."""
    text = (function.text or b"")[: body.start_byte - function.start_byte]
    return " ".join(text.decode(errors="replace").split())


def _returns_value(body: Node) -> bool:
    return any(
        node.type == "return_statement" and node.named_child_count
        for node in _nodes(body, enters_functions=False)
    )


def _leaves(node: Node) -> bool:
    """Whether what follows a statement never runs, as far as it is known."""
    if node.type in _LEAVING:
        return True
    if node.type in _BLOCKS:
        inside = node.child_by_field_name("body")
        if inside is not None:
            return _leaves(inside)
        last = _last(node.named_children)
        return last is not None and _leaves(last)
    if node.type == "if_statement":
        return _if_leaves(node)
    if node.type in _LOOPS and _is_endless(node):
        return True
    if node.type == "while_statement":
        return False
    if node.type == "try_statement":
        return _try_leaves(node)
    if node.type in _GO_SWITCHES:
        return any(one.type == "default_case" for one in node.named_children)
    return node.type not in _PASSING or _ENDING_CALL.search(_text(node)) is not None


def _last(nodes: Sequence[Node]) -> Node | None:
    return next((one for one in reversed(nodes) if "comment" not in one.type), None)


def _if_leaves(node: Node) -> bool:
    branches = [
        one
        for field in ("consequence", "body", "alternative")
        for one in node.children_by_field_name(field)
    ]
    kinds = [one.type for one in branches]
    has_else = any(kind in ("else_clause", "block") for kind in kinds[1:]) or (
        "if_statement" in kinds[1:] or (len(kinds) > 1 and kinds[-1] not in _ELSE_IFS)
    )
    return has_else and all(map(_branch_leaves, branches))


_ELSE_IFS = frozenset({"elif_clause", "else_if_clause"})


def _branch_leaves(node: Node) -> bool:
    if node.type in _ELSE_IFS:
        inside = node.child_by_field_name("consequence") or node.child_by_field_name(
            "body"
        )
        return inside is None or _leaves(inside)
    return _leaves(node)


def _is_endless(node: Node) -> bool:
    condition = node.child_by_field_name("condition")
    if node.type == "for_statement":
        head = _text(node).partition("{")[0]
        return re.search(r"\bfor\s*$|;\s*;", head) is not None
    return _text(condition).strip("() ") in ("true", "True", "1", "TRUE")


def _try_leaves(node: Node) -> bool:
    kinds = {
        "except_clause", "except_group_clause", "catch_clause", "finally_clause"
    }  # fmt: skip
    body = node.child_by_field_name("body") or node.named_children[0]
    parts = [one for one in node.named_children if one.type in kinds]
    last = [one for one in node.named_children if one.type == "else_clause"]
    finals = [one for one in parts if one.type == "finally_clause"]
    if any(_leaves(_inner(one)) for one in finals):
        return True
    handlers = [one for one in parts if one not in finals]
    is_left = _leaves(body) or any(_leaves(_inner(one)) for one in last)
    return is_left and all(_leaves(_inner(one)) for one in handlers)


def _inner(clause: Node) -> Node:
    """Return the block of a clause."""
    blocks = [one for one in clause.named_children if one.type in _BLOCKS]
    return blocks[-1] if blocks else clause


def _behind(root: Node, is_near: _Filter | None) -> Iterator[Node]:
    """Yield statements that stand behind one that always leaves their block."""
    for node in _nodes(root, is_near=is_near):
        if node.type not in _BLOCKS or node.type == "declaration_list":
            continue
        statements = [one for one in node.named_children if one.type not in _SKIPPED]
        for one, following in pairwise(statements):
            is_plain = one.type in _LEAVING and one.type != "goto_statement"
            if is_plain and "yield" not in _text(following)[:6]:
                yield following
                break
