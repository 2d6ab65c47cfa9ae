"""What functions of JavaScript and TypeScript return, and how a file uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from redline.syntax.children import nth_part
from redline.syntax.compile_faults.fault import (
    in_lines,
    line_of,
    nodes_of,
    text_of,
)
from redline.syntax.name_places import places_of
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree

_FUNCTIONS = word_set(
    "function_declaration method_definition arrow_function function_expression"
    " generator_function_declaration generator_function"
)
_NAMES = word_set("identifier property_identifier private_property_identifier")
_ALL = word_set("toString valueOf hasOwnProperty constructor toLocaleString")
_ITERATED = word_set("forEach keys values entries")
MEMBERS: Mapping[str, frozenset[str]] = {
    "an array": _ALL
    | _ITERATED
    | word_set(
        "map filter reduce push pop shift unshift slice splice concat join indexOf"
        " includes find findIndex findLast some every sort reverse flat flatMap length"
        " at fill lastIndexOf reduceRight toSorted toReversed with copyWithin"
    ),
    "a Map": _ALL | _ITERATED | word_set("get set has delete clear size"),
    "a Set": _ALL | _ITERATED | word_set("add has delete clear size union"),
    "a number": _ALL | word_set("toFixed toPrecision toExponential"),
    "a string": _ALL
    | word_set(
        "split trim toUpperCase toLowerCase replace replaceAll startsWith endsWith"
        " padStart padEnd slice includes indexOf length charAt charCodeAt substring"
        " match matchAll concat at lastIndexOf localeCompare normalize repeat search"
        " codePointAt trimStart trimEnd substr test"
    ),
    "an object": _ALL,
}
"""The members of what is returned, by its kind."""

_LITERALS = {
    "array": "an array",
    "object": "an object",
    "number": "a number",
    "string": "a string",
    "template_string": "a string",
}
_TYPES = {"number": "a number", "string": "a string"}
_ARRAY_CALL = re.compile(
    r"(?s).*\.(?:map|filter|split|sort|slice|concat|flatMap)\([^()]*(?:\([^()]*\)[^()]*)*\)$"
    r"|Array\.from\(.*\)$"
)
_NUMBERS = re.compile(r"Math\.\w+\(")
_ARITHMETIC = frozenset("-*/%+")
_MAX_CALL_CHARS = 400


class Result(Struct, frozen=True, kw_only=True):
    """What a function returns on every way."""

    kind: str
    keys: frozenset[str] | None = None
    """Of an object, if all are known."""


class ResultUse(Struct, frozen=True, kw_only=True):
    """How a place uses what a function returns."""

    line: int
    text: str
    member: str = ""
    """The member that is read."""
    is_number: bool = False
    is_iterated: bool = False


def named_functions(tree: Tree, lines: range) -> Iterator[str]:
    """Yield the names of functions that touch some lines."""
    for node in nodes_of(tree.root, in_lines(lines)):
        if node.type in _FUNCTIONS and (name := _name(node)):
            yield name


def result_of(tree: Tree, name: str) -> Result | None:
    """Return what the only function of a name returns; None: it is not known."""
    found = [
        one
        for place in places_of(tree, name, _NAMES)
        if (one := _function_of(place)) is not None
    ]
    return _result(found[0]) if len(found) == 1 else None


def uses(tree: Tree, name: str) -> Iterator[ResultUse]:
    """Yield the uses of what a function of some name returns."""
    for node in nodes_of(tree.root):
        if node.type != "call_expression" or _callee(node) != name:
            continue
        value = node.parent
        while value is not None and value.type in _TRANSPARENT:
            node, value = value, value.parent
        yield from _use_of(node)
        if value is not None and value.type == "variable_declarator":
            yield from _uses_of_variable(value)


_TRANSPARENT = word_set("await_expression parenthesized_expression")


def _name(node: Node) -> str:
    own = node.child_by_field_name("name")
    if own is None and node.parent is not None:
        is_variable = node.parent.type == "variable_declarator"
        own = node.parent.child_by_field_name("name") if is_variable else None
    return text_of(own)


def _function_of(name: Node) -> Node | None:
    """Return the function that a name is of."""
    outer = name.parent
    if outer is not None and outer.type == "variable_declarator":
        outer = outer.child_by_field_name("value")
    if outer is None or outer.type not in _FUNCTIONS:
        return None
    return outer if text_of(name) == _name(outer) else None


def _callee(call: Node) -> str:
    function = call.child_by_field_name("function")
    if function is not None and function.type == "member_expression":
        return text_of(function.child_by_field_name("property"))
    return text_of(function)


def _result(function: Node) -> Result | None:
    body = function.child_by_field_name("body")
    if body is None or "generator" in function.type:
        return None
    if any(one.type == "*" for one in function.children):
        return None
    kinds: set[str] = set()
    keys: frozenset[str] | None = None
    for value in _returned(body):
        kind, found = _kind(value, body)
        kinds.add(kind)
        keys = found
    declared = _declared(function)
    kind = declared or (kinds.pop() if len(kinds) == 1 else "")
    return Result(kind=kind, keys=keys) if kind else None


def _returned(body: Node) -> Iterator[Node]:
    if body.type != "statement_block":
        yield body
        return
    for node in nodes_of(body, closed=_FUNCTIONS):
        values = [one for one in node.named_children if "comment" not in one.type]
        if node.type == "return_statement" and values:
            yield values[0]


def _declared(function: Node) -> str:
    """Return the kind of a written result that is a plain type."""
    written = text_of(function.child_by_field_name("return_type")).lstrip(": ")
    return _TYPES.get(written, "")


def _kind(value: Node, body: Node) -> tuple[str, frozenset[str] | None]:
    """Return the kind of a value and its keys; empty: it is not known."""
    while value.type == "parenthesized_expression" and value.named_child_count == 1:
        value = value.named_children[0]
    if value.type in _LITERALS:
        return _LITERALS[value.type], _keys(value)
    text = text_of(value)[:_MAX_CALL_CHARS]
    if value.type == "new_expression":
        found = re.match(r"new (Map|Set)\b", text)
        return (f"a {found[1]}" if found else ""), None
    if value.type == "call_expression":
        if _NUMBERS.match(text):
            return "a number", None
        return ("an array" if _ARRAY_CALL.match(text) else ""), None
    if value.type == "binary_expression" and text_of(nth_part(value, 1)) in (
        "-",
        "*",
        "/",
    ):
        return "a number", None
    if value.type == "identifier":
        return _kind_of_variable(value, body)
    return "", None


def _kind_of_variable(name: Node, body: Node) -> tuple[str, frozenset[str] | None]:
    """Return the kind of a variable that the function's body declares once."""
    declared = [
        one
        for one in nodes_of(body)
        if one.type == "variable_declarator"
        and text_of(one.child_by_field_name("name")) == text_of(name)
    ]
    value = declared[0].child_by_field_name("value") if len(declared) == 1 else None
    if value is None or value.type == "identifier":
        return "", None
    outer = declared[0].parent
    is_constant = outer is not None and text_of(nth_part(outer, 0)) == "const"
    kind = _kind(value, body)[0]
    # What the variable holds may get more keys, and another number is still one.
    return (kind if is_constant or kind == "a number" else ""), None


def _keys(value: Node) -> frozenset[str] | None:
    if value.type != "object":
        return None
    keys = set()
    for one in value.named_children:
        if one.type == "shorthand_property_identifier":
            keys.add(text_of(one))
        elif one.type in ("pair", "method_definition"):
            key = one.child_by_field_name("key") or one.child_by_field_name("name")
            keys.add(text_of(key).strip("\"'"))
        elif one.type != "comment":
            return None
    return frozenset(keys)


def _use_of(node: Node) -> Iterator[ResultUse]:
    """Yield how the node around an expression uses it."""
    outer = node.parent
    if outer is None:
        return
    line, text = line_of(outer), text_of(outer).partition("\n")[0][:60]
    for member in _members(outer, node):
        yield ResultUse(line=line, text=text, member=member)
    if _calculates(outer):
        yield ResultUse(line=line, text=text, is_number=True)
    if _iterates(outer, node):
        yield ResultUse(line=line, text=text, is_iterated=True)


def _members(outer: Node, node: Node) -> Iterator[str]:
    """Yield the members of an expression that the node around it reads."""
    if outer.type == "member_expression":
        is_optional = any(one.type == "optional_chain" for one in outer.children)
        if outer.child_by_field_name("object") == node and not is_optional:
            yield text_of(outer.child_by_field_name("property"))
    pattern = outer.child_by_field_name("name")
    is_taken_apart = pattern is not None and pattern.type == "object_pattern"
    if outer.type == "variable_declarator" and pattern is not None and is_taken_apart:
        for one in pattern.named_children:
            if one.type == "shorthand_property_identifier_pattern":
                yield text_of(one)


def _calculates(outer: Node) -> bool:
    if outer.type not in ("binary_expression", "augmented_assignment_expression"):
        return False
    sign = text_of(nth_part(outer, 1))
    return sign in _ARITHMETIC or sign.removesuffix("=") in _ARITHMETIC


def _iterates(outer: Node, node: Node) -> bool:
    if outer.type == "variable_declarator":
        pattern = outer.child_by_field_name("name")
        return pattern is not None and pattern.type == "array_pattern"
    if outer.type == "spread_element":
        return outer.parent is None or outer.parent.type != "object"
    return (
        outer.type == "for_in_statement"
        and outer.child_by_field_name("right") == node
        and text_of(outer.child_by_field_name("operator")) == "of"
    )


def _uses_of_variable(declarator: Node) -> Iterator[ResultUse]:
    """Yield the uses of a constant in the block that declares it."""
    name = declarator.child_by_field_name("name")
    outer = declarator.parent
    block = outer.parent if outer is not None else None
    if name is None or name.type != "identifier" or block is None:
        return
    if outer is None or text_of(nth_part(outer, 0)) != "const":
        return
    word = name.text
    places = [
        one for one in nodes_of(block) if one.type == "identifier" and one.text == word
    ]
    bound = [one for one in places if one.parent and one.parent.type in _BINDING]
    if bound != [name]:
        return
    for place in places:
        yield from _use_of(place) if place != name else ()


_BINDING = word_set(
    "variable_declarator formal_parameters required_parameter optional_parameter"
    " array_pattern catch_clause rest_pattern arrow_function"
)
