"""Arguments with names, and the parameters of the functions of the same file.

In C#, PHP and Ruby. Only calls of the file's own functions by name, on the own object
or class, and of constructors of its classes; functions of one name are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.children import nth_child
from redline.syntax.tree import Tree
from redline.syntax.type_names import name_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node


class NamedArgument(Struct, frozen=True, kw_only=True):
    """One argument that a call gives by name."""

    line: int
    callee: str
    """The name of a function, or `new` and the name of a class."""
    name: str


_FUNCTIONS = word_set(
    "method_declaration constructor_declaration local_function_statement method"
    " function_definition singleton_method"
)
_CLASSES = word_set(
    "class_declaration record_declaration struct_declaration class"
    " record_struct_declaration"
)
_CALLS = word_set(
    "invocation_expression object_creation_expression member_call_expression"
    " scoped_call_expression function_call_expression call"
)
_LISTS = word_set("parameter_list formal_parameters method_parameters")
_CONSTRUCTORS = frozenset({"__construct", "initialize"})
_OWN = frozenset({"this", "$this", "self", "static"})
_TAKES_ALL = word_set("variadic_parameter hash_splat_parameter splat_parameter")


def named_arguments(tree: Tree, lines: range) -> Iterator[NamedArgument]:
    """Yield the named arguments in some lines."""
    for node, _ in _nodes(tree.root, lines):
        callee = _callee(node) if node.type in _CALLS else ""
        for argument in _arguments(node) if callee else ():
            field = "key" if argument.type == "pair" else "name"
            key = argument.child_by_field_name(field)
            if key is not None and key.type in (
                "identifier",
                "name",
                "hash_key_symbol",
            ):
                yield NamedArgument(
                    line=key.start_point.row, callee=callee, name=name_of(key)
                )


def parameters(tree: Tree) -> Mapping[str, frozenset[str] | None]:
    """Return the parameters of functions by `callee`; None if any name is accepted."""
    found: dict[str, frozenset[str] | None] = {}
    for node, class_name in _nodes(tree.root, None):
        names = _parameters(node)
        if names is None and node.type in _CLASSES:
            continue  # It has no parameters of its own.
        name = name_of(node.child_by_field_name("name"))
        callee = name
        if node.type in _CLASSES or node.type == "constructor_declaration":
            callee = f"new {name}"
        elif name in _CONSTRUCTORS:
            callee = f"new {class_name}"
        elif node.type not in _FUNCTIONS:
            continue
        known = found.get(callee, frozenset())
        found[callee] = None if known is None or names is None else known | names
    return found


def _nodes(root: Node, lines: range | None) -> Iterator[tuple[Node, str]]:
    """Yield nodes, each with the name of the class around it."""
    waiting = [(root, "")]
    while waiting:
        node, class_name = waiting.pop()
        if lines is not None and (
            node.end_point.row < lines.start or node.start_point.row >= lines.stop
        ):
            continue
        yield node, class_name
        if node.type in _CLASSES:
            class_name = name_of(node.child_by_field_name("name"))
        waiting.extend((child, class_name) for child in node.named_children)


def _parameters(node: Node) -> frozenset[str] | None:
    """Return the names of a definition's parameters; None: none are known, or any."""
    lists = [child for child in node.named_children if child.type in _LISTS]
    if not lists:
        return None
    names: set[str] = set()
    is_ruby = lists[0].type == "method_parameters"
    for one in lists[0].named_children:
        if one.type in _TAKES_ALL:
            return None
        if not is_ruby or one.type == "keyword_parameter":
            names.add(name_of(one.child_by_field_name("name")).lstrip("$"))
    names.update(map(name_of, lists[0].children_by_field_name("name")))
    # A method of Ruby without keywords takes them as a hash.
    return None if is_ruby and not names else frozenset(names)


def _callee(call: Node) -> str:
    """Return the name of an own function or class; empty for others."""
    match call.type:
        case "object_creation_expression":
            written = call.child_by_field_name("type") or nth_child(call, 0)
            return f"new {name_of(written)}"
        case "function_call_expression" | "invocation_expression":
            function = call.child_by_field_name("function")
            if function is None:
                return ""
            if function.type == "member_access_expression":
                owner = function.child_by_field_name("expression")
                is_own = owner is None or name_of(owner) in _OWN
                name = name_of(function.child_by_field_name("name"))
                return name if is_own else ""
            return name_of(function) if function.type in ("identifier", "name") else ""
        case "member_call_expression" | "scoped_call_expression":
            owner = call.child_by_field_name("object")
            owner = owner or call.child_by_field_name("scope")
            own_name = name_of(call.child_by_field_name("name"))
            return own_name if name_of(owner) in _OWN else ""
    method = name_of(call.child_by_field_name("method"))
    receiver = call.child_by_field_name("receiver")
    if method == "new" and receiver is not None:
        return f"new {name_of(receiver)}"
    return method if receiver is None or name_of(receiver) in _OWN else ""


def _arguments(call: Node) -> Iterator[Node]:
    for child in call.named_children:
        if child.type in ("arguments", "argument_list"):
            yield from child.named_children
