"""The name of a type, from the way it is written, and of a value that is written out.

A type whose members a single name does not decide has none: a union, a smart pointer, a
function.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from redline.syntax.children import nth_child, nth_part
from redline.syntax.language import Language
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

SCRIPTS = (Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX)

_STRINGS = {
    Language.PYTHON: "str",
    Language.JAVA: "String",
    Language.RUST: "str",
    **dict.fromkeys((*SCRIPTS, Language.GO, Language.CSHARP), "string"),
}

_LITERALS = {
    **dict.fromkeys(
        [
            "string",
            "template_string",
            "string_literal",
            "interpolated_string_expression",
            "interpreted_string_literal",
            "raw_string_literal",
            "concatenated_string",
        ],
        "",
    ),
    **dict.fromkeys(("list", "list_comprehension"), "list"),
    **dict.fromkeys(("dictionary", "dictionary_comprehension"), "dict"),
    **dict.fromkeys(("set", "set_comprehension"), "set"),
    "tuple": "tuple",
    "array": "[]",
    "regex": "RegExp",
}
"""Types of literals by node type; empty: the language's string."""

_PREFIX = re.compile(r"(?:(?:readonly|final|const|mut|volatile|'\w+)\b|&|\*)\s*")
_NOTHING = frozenset({"null", "undefined", "None", "none"})
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*")
_OF_GO = re.compile(r"(?:<-)?(chan)\b|(map)\[|\[")
"""Types of Go that have no methods."""
_OPEN = word_set(
    "Box Rc Arc Cow Ref RefMut Pin MutexGuard RwLockReadGuard"
    " RwLockWriteGuard Lazy Self any unknown object dynamic var Object never"
    " Any"
)
"""Types that have the members of another one, or any."""

_MAKERS = frozenset({"new", "from", "default", "with_capacity"})
"""Functions of a Rust type that return it, by convention."""


_MAX_NAME_BYTES = 500


def type_name(written: str, language: Language) -> str:
    """Return the name of a type; empty if one name does not decide its members."""
    text = written.strip().removeprefix(":").strip().strip("\"'").strip()
    while found := _PREFIX.match(text):
        text = text[found.end() :]
    if language is Language.RUST and text.startswith("["):
        return "[]"
    if language is Language.GO and (kind := _OF_GO.match(text)):
        return kind[1] or kind[2] or "[]"
    if "=>" in text or text.startswith(("(", "{", "[", "dyn ", "impl ", "fn")):
        return ""
    if text.startswith("Optional[") and text.endswith("]"):
        text = text[len("Optional[") : -1]
    text = text.removesuffix("?")
    if re.search(r"[|&]", text):
        kept = [one.strip() for one in re.split(r"[|&]", text)]
        kept = [one for one in kept if one not in _NOTHING]
        return type_name(kept[0], language) if len(kept) == 1 else ""
    if text.endswith("[]"):
        return "[]"
    name = _NAME.match(text)
    # Of scripts, a member's type: `Row["id"]`.
    follows = ("", "<") if language in SCRIPTS else ("", "<", "[")
    if name is None or text[name.end() : name.end() + 1] not in follows:
        return ""
    whole = name[0] if language is Language.GO else re.split(r"\.|::", name[0])[-1]
    return "" if whole in _OPEN else whole


def value_type(node: Node | None, language: Language) -> str:
    """Return the type of a literal, or of an object that is created; else empty."""
    while node is not None:
        if node.type in _LITERALS:
            if language is Language.RUST and text_of(node)[:1] == "b":
                return "[]"
            return _LITERALS[node.type] or _STRINGS.get(language, "")
        match node.type:
            case "parenthesized_expression" | "expression_list" if (
                node.named_child_count == 1
            ):
                node = nth_child(node, 0)
            case "unary_expression" if _operator(node) == "&":
                node = node.child_by_field_name("operand")
            case "new_expression":
                return _named(node, "constructor", language)
            case (
                "object_creation_expression"
                | "composite_literal"
                | "as_expression"
                | "type_assertion_expression"
            ):
                return _named(node, "type", language)
            case "struct_expression":
                return _named(node, "name", language)
            case "call_expression" | "call":
                return _made(node, language)
            case _:
                return ""
    return ""


def name_of(node: Node | None) -> str:
    """Return the source of a name or of a written type; empty for none.

    It is empty, too, if it is too long for one: types are within types, so that each
    level would copy all deeper ones.
    """
    if node is None or node.end_byte - node.start_byte > _MAX_NAME_BYTES:
        return ""
    return text_of(node)


def text_of(node: Node | None) -> str:
    """Return the source of a node; empty for none."""
    return "" if node is None or node.text is None else node.text.decode("utf-8")


def _operator(node: Node) -> str:
    first = nth_part(node, 0)
    return "" if first is None else first.type


def _named(node: Node, field: str, language: Language) -> str:
    return type_name(name_of(node.child_by_field_name(field)), language)


def _made(node: Node, language: Language) -> str:
    """Return the type that a call creates an object of, by its name."""
    function = node.child_by_field_name("function")
    if language is not Language.RUST or function is None:
        return ""
    is_maker = function.type == "scoped_identifier" and (
        name_of(function.child_by_field_name("name")) in _MAKERS
    )
    return _named(function, "path", language) if is_maker else ""
