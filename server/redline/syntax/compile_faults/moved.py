"""Values of Rust that are used after they were given away.

Judged are variables whose written type owns something, and moves that are sure to run:
statements of a block, and what stands below them in it.
"""

from __future__ import annotations

import re
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

_OWNING = (
    r"(?:std::\w+::)?(?:String|PathBuf|OsString|Vec|VecDeque|HashMap|BTreeMap|HashSet"
    r"|BTreeSet|Box|BinaryHeap)\b"
)
_TYPE = re.compile(_OWNING)
_MADE = re.compile(
    _OWNING + r"(?:::<[^<>]*>)?::(?:new|from|with_capacity)\(|vec!|format!"
    r"|\"(?:[^\"\\]|\\.)*\"\.(?:to_string|to_owned|into)\(\)$"
)
_ELEMENT = re.compile(r"Vec<(?P<element>[A-Z]\w*)(?:<[^<>]*>)?>$")
_STATEMENTS = word_set("let_declaration expression_statement")
_PASSING = word_set(
    "arguments call_expression field_expression expression_statement let_declaration"
    " try_expression await_expression struct_expression field_initializer"
    " field_initializer_list shorthand_field_initializer tuple_expression"
    " assignment_expression reference_expression macro_invocation"
)
"""What runs its parts once, whenever it runs."""

_FUNCTIONS = word_set("function_item closure_expression")
_MENTION = re.compile(r"\{(\w+)[:}]")
_BLOCKS = word_set("block")


def moved(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield the first use of each value behind the statement that moves it."""
    if tree.language is not Language.RUST:
        return
    for function in nodes_of(tree.root, is_near):
        if function.type == "function_item":
            for name, kind in _owned(function, tree):
                fault = _use_after_move(function, name, kind)
                if fault is not None:
                    yield fault


def _owned(function: Node, tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield the variables of a function that own what they hold, with their types."""
    bound: dict[str, list[str]] = {}
    for node in nodes_of(function):
        pattern = node.child_by_field_name("pattern")
        if node.type == "closure_parameters":
            pattern = node
        for one in nodes_of(pattern) if pattern is not None else ():
            if one.type == "identifier":
                kind = _type_of(node, function, tree) if one == pattern else ""
                bound.setdefault(text_of(one), []).append(kind)
    for name, kinds in bound.items():
        if len(kinds) == 1 and kinds[0]:
            yield name, kinds[0]


def _type_of(node: Node, function: Node, tree: Tree) -> str:
    """Return the type of a variable that owns; empty: it may be a copy."""
    written = text_of(node.child_by_field_name("type"))
    value = node.child_by_field_name("value")
    if node.type == "for_expression":
        return _element_type(text_of(value), function, tree)
    if node.type not in ("parameter", "let_declaration"):
        return ""
    if written:
        return written if _owns(written, tree) else ""
    made = _MADE.match(text_of(value)[:300]) if value is not None else None
    if made and value is not None and value.type in _MAKING:
        return made[0].partition("::")[0].partition("!")[0]
    if value is not None and value.type == "struct_expression":
        name = text_of(value.child_by_field_name("name"))
        return name if _owns(name, tree) else ""
    return ""


_MAKING = word_set("call_expression macro_invocation")


def _element_type(value: str, function: Node, tree: Tree) -> str:
    """Return the type of what a loop takes of a parameter that is a list."""
    parameters = function.child_by_field_name("parameters")
    for one in parameters.named_children if parameters is not None else ():
        if text_of(one.child_by_field_name("pattern")) == value:
            found = _ELEMENT.match(text_of(one.child_by_field_name("type")))
            if found and _owns(found["element"], tree):
                return found["element"]
    return ""


def _owns(written: str, tree: Tree) -> bool:
    """Whether values of a type are moved, as the file shows."""
    if _TYPE.match(written):
        return True
    if not re.fullmatch(r"[A-Z]\w*", written):
        return False
    source = tree.source.decode(errors="replace")
    found = list(
        re.finditer(
            rf"(?P<derived>(?:#\[[^\n]{{0,200}}\]\s*){{0,20}}+)(?:pub(?:\([^()]*\))?\s+)?"
            rf"(?:struct|enum)\s+{written}\b(?!<)",
            source,
        )
    )
    if len(found) != 1 or re.search(rf"\bCopy\s+for\s+{written}\b", source):
        return False
    return "Copy" not in found[0]["derived"] and "macro_rules!" not in source


def _use_after_move(function: Node, name: str, kind: str) -> CompileFault | None:
    for node in nodes_of(function):
        if node.type != "identifier" or text_of(node) != name or not _is_moved(node):
            continue
        statement = _sure_statement(node)
        if statement is None:
            continue
        use = _used_below(statement, name)
        if use is None:
            continue
        return CompileFault(
            line=line_of(use),
            key=f"moved {name} {text_of(statement)}",
            message=f"`{name}` is used after `{_short(statement)}` (line"
            f" {line_of(node) + 1} of the file) has moved it: `{kind}` is not `Copy`.",
        )
    return None


def _is_moved(node: Node) -> bool:
    """Whether a use of a variable gives its value away."""
    outer = node.parent
    if outer is None:
        return False
    if outer.type == "arguments":
        return True
    if outer.type == "let_declaration":
        pattern = outer.child_by_field_name("pattern")
        is_name = pattern is not None and pattern.type == "identifier"
        return outer.child_by_field_name("value") == node and is_name
    if outer.type == "field_initializer":
        return outer.child_by_field_name("value") == node
    return outer.type == "shorthand_field_initializer"


def _sure_statement(node: Node) -> Node | None:
    """Return the statement of a block that always runs a use, and then goes on."""
    outer = node.parent
    while outer is not None and outer.type in _PASSING:
        if outer.type in _STATEMENTS:
            block = outer.parent
            is_plain = block is not None and block.type == "block"
            has_else = outer.child_by_field_name("alternative") is not None
            return outer if is_plain and not has_else else None
        outer = outer.parent
    return None


def _used_below(statement: Node, name: str) -> Node | None:
    """Return the first use of a name in what follows a statement in its block."""
    following = statement.next_named_sibling
    word = re.compile(rf"\b{re.escape(name)}\b")
    while following is not None:
        if following.type != "line_comment" and word.search(text_of(following)):
            for node in nodes_of(following):
                if node.type == "identifier" and text_of(node) == name:
                    return node if _reads(node) else None
                if node.type == "string_content" and name in _MENTION.findall(
                    text_of(node)
                ):
                    return node if ancestor(node, {"macro_invocation"}) else None
            return None
        following = following.next_named_sibling
    return None


def _reads(node: Node) -> bool:
    """Whether a use needs the value, and does not bring a new one."""
    outer = node.parent
    if outer is None or outer.child_by_field_name("pattern") == node:
        return False
    if outer.type == "assignment_expression":
        return outer.child_by_field_name("left") != node
    if outer.type == "token_tree":
        # A macro may give a name another meaning; these only print or compare.
        macro = ancestor(node, {"macro_invocation"})
        name = text_of(macro.child_by_field_name("macro")) if macro else ""
        before = node.prev_sibling
        is_field = before is not None and text_of(before) == "."
        return name in _PRINTING and not is_field
    return True


_PRINTING = word_set(
    "println eprintln print eprint format write writeln assert assert_eq assert_ne"
    " panic debug_assert info debug warn error trace vec"
)


def _short(node: Node) -> str:
    return text_of(node).partition("\n")[0][:60]
