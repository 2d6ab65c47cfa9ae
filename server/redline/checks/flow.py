"""What an edit does to the ways through a function.

Reported are functions that returned a value on every way and may now end without one,
statements behind one that always leaves, and in Go a `return` with another number of
values than the function has. A statement that is not known counts as one that leaves.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from redline.checks.candidate import CheckedEdit
from redline.checks.problem import Problem
from redline.checks.requested_changes import (
    wants_constant,
    wants_hollow,
    wants_loss,
)
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

_LANGUAGES = frozenset(
    {Language.C, Language.CPP, Language.CSHARP, Language.GO, Language.JAVA}
    | {Language.PHP, Language.PYTHON, *SCRIPTS}
)
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
_WANTED = re.compile(
    r"\b(?:return|void|nothing|print|in.?place|mutat|write|emit|yield|callback|generator"
    r"|async|promise|property|setter|none|null|nil|undefined)",
    re.IGNORECASE,
)


def check_flow(candidate: CheckedEdit) -> Iterator[Problem]:
    """Report what leaves a function without a value, or is never reached."""
    before, after = candidate.tree_before, candidate.tree_after
    if before is None or after is None or after.language not in _LANGUAGES:
        return
    if before.errors or after.errors or wants_hollow(candidate.instruction):
        return
    yield from _unreached(candidate, before, after)
    new = {
        name: one
        for name, one in _named(after).items()
        if _overlaps(one, candidate.region_after)
    }
    if not new:
        return
    old = _named(before)
    for name, function in new.items():
        line = candidate.line_in_region(function.start_point.row)
        if after.language is Language.GO:
            yield from _wrong_counts(candidate, function)
        if name not in old or not _lost_value(candidate, old[name], function):
            continue
        yield Problem(
            rule="stub",
            message=f"`{name}` may now end without a value, and returned one before.",
            line=line,
        )


def _named(tree: Tree) -> dict[str, Node]:
    """Return the functions of a file that are the only ones of their name."""
    found: dict[str, Node] = {}
    counts: Counter[str] = Counter()
    for node in _nodes(tree.root):
        name = _name(node) if node.type in _FUNCTIONS else ""
        if name:
            counts[name] += 1
            found[name] = node
    return {name: node for name, node in found.items() if counts[name] == 1}


def _nodes(root: Node, *, enters_functions: bool = True) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if enters_functions or node is root or node.type not in _FUNCTIONS:
            waiting.extend(reversed(node.named_children))


def _name(node: Node) -> str:
    named = node.child_by_field_name("name")
    while named is None and (node := node.child_by_field_name("declarator")):  # type: ignore[assignment]
        named = node if node.type.endswith("identifier") else None
    return _text(named)


def _text(node: Node | None) -> str:
    return (node.text or b"").decode() if node is not None else ""


def _overlaps(node: Node, lines: range) -> bool:
    return node.start_point.row < lines.stop and node.end_point.row >= lines.start


def _lost_value(candidate: CheckedEdit, old: Node, new: Node) -> bool:
    old_body, new_body = (one.child_by_field_name("body") for one in (old, new))
    if old_body is None or new_body is None:
        return False
    if new_body.type not in _BLOCKS or not _returns_value(old_body):
        return False
    if not _leaves(old_body) or _leaves(new_body):
        return False
    if any(node.type.startswith("yield") for node in _nodes(new_body)):
        return False
    if _returns_value(new_body) or _head(old, old_body) == _head(new, new_body):
        wish = candidate.instruction
        return not (
            _WANTED.search(wish) or wants_loss(wish) or wants_constant(wish)
        ) or (_returns_value(new_body))
    return False


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


def _unreached(candidate: CheckedEdit, before: Tree, after: Tree) -> Iterator[Problem]:
    """Yield the first statement in the region that became unreachable."""
    region = candidate.region_after
    if wants_constant(candidate.instruction):
        return
    found = [node for node in _behind(after.root) if node.start_point.row in region]
    if not found or any(True for _ in _behind(before.root)):
        return
    yield Problem(
        rule="stub",
        message=f"This is never reached: {_text(found[0]).partition(chr(10))[0]}",
        line=candidate.line_in_region(found[0].start_point.row),
    )


def _behind(root: Node) -> Iterator[Node]:
    """Yield statements that stand behind one that always leaves their block."""
    for node in _nodes(root):
        if node.type not in _BLOCKS or node.type == "declaration_list":
            continue
        statements = [one for one in node.named_children if one.type not in _SKIPPED]
        for one, following in pairwise(statements):
            is_plain = one.type in _LEAVING and one.type != "goto_statement"
            if is_plain and "yield" not in _text(following)[:6]:
                yield following
                break


def _wrong_counts(candidate: CheckedEdit, function: Node) -> Iterator[Problem]:
    """Yield a problem for a `return` of Go with too many or too few values."""
    result = function.child_by_field_name("result")
    body = function.child_by_field_name("body")
    if result is None or body is None:
        return
    n_results = result.named_child_count if result.type == "parameter_list" else 1
    is_named = any(one.child_by_field_name("name") for one in result.named_children)
    for node in _nodes(body, enters_functions=False):
        line = candidate.line_in_region(node.start_point.row)
        if node.type != "return_statement" or line is None or is_named:
            continue
        values = node.named_children[0].named_children if node.named_children else []
        is_call = len(values) == 1 and values[0].type == "call_expression"
        if len(values) == n_results:
            continue
        if is_call and not _ONE_VALUE.match(_text(values[0])):
            continue
        yield Problem(
            rule="phantom-parameter",
            message=f"This returns {len(values)} of {n_results} values:"
            f" {_text(node).partition(chr(10))[0]}",
            line=line,
        )
        return
