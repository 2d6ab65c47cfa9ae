"""Fields of an object that a static method of Java or C# uses without one."""

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
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree

_TYPES = word_set(
    "class_declaration record_declaration enum_declaration interface_declaration"
    " struct_declaration class_body declaration_list local_function_statement"
)
_MEMBERS = word_set("field_access member_access_expression method_invocation")
_PLAIN = word_set(
    "binary_expression argument_list argument return_statement parenthesized_expression"
    " assignment_expression unary_expression update_expression interpolation"
    " array_access element_access_expression enhanced_for_statement foreach_statement"
)


def static_uses(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield the uses in expressions whose name nothing in the method declares."""
    if tree.language not in (Language.JAVA, Language.CSHARP):
        return
    for method in nodes_of(tree.root, is_near):
        if method.type != "method_declaration" or "static" not in modifiers(method):
            continue
        fields = set(_fields(method.parent))
        inside = list(nodes_of(method, closed=_TYPES)) if fields else []
        own = {text_of(one) for node in inside for one in _declared(node)}
        for node in inside:
            name = text_of(node) if node.type == "identifier" else ""
            if name in fields and name not in own and _is_use(node):
                yield CompileFault(
                    line=line_of(node),
                    key=f"static {name} {text_of(method)[:60]}",
                    message=f"A static method has no object, whose `{name}` it uses.",
                )
                break


def _fields(body: Node | None) -> Iterator[str]:
    """Yield the names of the fields of objects."""
    for one in body.named_children if body is not None else ():
        if one.type != "field_declaration" or modifiers(one) & {"static", "const"}:
            continue
        for node in nodes_of(one):
            if node.type == "variable_declarator":
                name = node.child_by_field_name("name")
                yield text_of(name)


def _declared(node: Node) -> list[Node]:
    if node.type in ("identifier", *_MEMBERS):
        return []
    return [
        one
        for field in ("name", "parameters", "left")
        for one in node.children_by_field_name(field)
        if field != "left" or node.type == "foreach_statement"
    ]


def _is_use(node: Node) -> bool:
    """Whether a name stands for a value, and not behind a dot."""
    outer = node.parent
    if outer is None:
        return False
    if outer.type in ("field_access", "method_invocation"):
        return outer.child_by_field_name("object") == node
    if outer.type == "member_access_expression":
        # A name in capitals may be a type that is called like the field.
        is_owner = outer.child_by_field_name("expression") == node
        return is_owner and not text_of(node)[:1].isupper()
    return outer.type in _PLAIN
