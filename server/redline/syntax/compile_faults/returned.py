"""Values that a function cannot return, by its written result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from redline.syntax.children import nth_part
from redline.syntax.compile_faults.fault import (
    CompileFault,
    Near,
    ancestor,
    line_of,
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
    "function_item function_declaration function_definition method_declaration"
    " method_definition function_expression arrow_function lambda_expression"
    " closure_expression func_literal local_function_statement"
    " anonymous_method_expression accessor_declaration property_declaration"
    " constructor_declaration"
    " generator_function_declaration generator_function anonymous_function"
    " async_block"
)
_NUMBERS = word_set(
    "int long short byte double float decimal uint ulong ushort sbyte number"
    " i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64"
    " int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 uintptr"
    " size_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"
    " Integer Long Double Float"
)
_TEXTS = word_set("String string str std::string")
_TRUTHS = word_set("bool boolean Boolean")

_STRING_NODES = word_set(
    "string string_literal template_string interpolated_string_expression"
    " interpreted_string_literal raw_string_literal encapsed_string"
    " verbatim_string_literal"
)
_NUMBER_NODES = word_set(
    "number decimal_integer_literal decimal_floating_point_literal integer_literal"
    " float_literal real_literal int_literal hex_integer_literal"
)
_TRUTH_NODES = word_set("true false boolean_literal")
_OBJECT_NODES = word_set("object array")
_FORMATTED = re.compile(
    r"(?:String\.(?:format|valueOf|join)|string\.(?:Format|Join|Concat)|fmt\.Sprint\w*"
    r"|strings\.(?:Join|ToUpper|ToLower|TrimSpace|Repeat|Replace|ReplaceAll)"
    r"|strconv\.(?:Itoa|Quote|FormatInt)|format!|String::(?:new|from))\b"
)
_LANGUAGES = frozenset(
    {Language.C, Language.CPP, Language.CSHARP, Language.GO, Language.JAVA}
    | {Language.RUST, Language.TYPESCRIPT, Language.TSX, Language.PHP}
)


def wrong_returns(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield returned texts, numbers and objects that the result's type excludes."""
    if tree.language not in _LANGUAGES:
        return
    for value in _returned(tree.root, is_near):
        kind = _kind(value, tree.language)
        wrap = _wrap(value) if not kind and tree.language is Language.RUST else ""
        function = ancestor(value, _FUNCTIONS) if kind or wrap else None
        written = _result(function) if function is not None else ""
        if tree.language is Language.RUST and _is_wrapped(written, kind, wrap):
            yield CompileFault(
                line=line_of(value),
                key=f"wrapped {kind}{wrap} {written} {text_of(value)}",
                message=f"The function returns `{written}`, and this is not:"
                f" `{_short(value)}`.",
            )
            continue
        declared = _kind_of_type(written)
        if (
            not kind
            or not declared
            or kind == declared
            or not _excludes(declared, kind, tree)
        ):
            continue
        yield CompileFault(
            line=line_of(value),
            key=f"returned {kind} {written} {text_of(value)}",
            message=f"The function returns `{written}`, and this is"
            f" {_ARTICLES[kind]}: `{_short(value)}`.",
        )


def _wrap(value: Node) -> str:
    """Return the type of Rust's standard library that a value is wrapped in."""
    function = value.child_by_field_name("function")
    name = value if value.type == "identifier" else function
    word = text_of(name) if name is not None and name.type == "identifier" else ""
    return _WRAPS.get(word, "")


_WRAPS = {"None": "Option", "Some": "Option", "Ok": "Result", "Err": "Result"}


def _is_wrapped(written: str, kind: str, wrap: str) -> bool:
    """Whether a value lacks the wrap of the result, or has another one."""
    outer = written.partition("<")[0].rpartition("::")[2]
    if outer in ("Option", "Result"):
        return wrap != outer if wrap else bool(kind)
    is_plain = outer in _NUMBERS | _TRUTHS | {
        "String",
        "Vec",
        "HashMap",
        "&str",
        "char",
    }
    return bool(wrap) and is_plain


_ARTICLES = {
    "text": "a text",
    "number": "a number",
    "truth": "true or false",
    "object": "an object or a list",
}


def _returned(root: Node, is_near: Near) -> Iterator[Node]:
    for node in nodes_of(root, is_near):
        if node.type == "return_statement" or node.type == "return_expression":
            values = [one for one in node.named_children if "comment" not in one.type]
            if len(values) == 1 and values[0].type == "expression_list":
                values = values[0].named_children
            if len(values) == 1:
                yield values[0]
        elif node.type == "function_item":
            body = node.child_by_field_name("body")
            last = body.named_children[-1:] if body is not None else []
            if last and is_near(last[0]):
                yield last[0]


def _kind(value: Node, language: Language) -> str:
    if value.type in _STRING_NODES:
        return "text"
    if value.type in _NUMBER_NODES:
        return "number"
    if value.type in _TRUTH_NODES:
        return "truth"
    if value.type in _OBJECT_NODES and language in SCRIPTS:
        return "object"
    if value.type in ("call_expression", "method_invocation", "invocation_expression"):
        return "text" if _FORMATTED.match(text_of(value)) else ""
    if value.type == "macro_invocation":
        return "text" if text_of(value).startswith("format!") else ""
    if value.type == "binary_expression" and _is_sum(value, language):
        return "text"
    return ""


def _is_sum(value: Node, language: Language) -> bool:
    """Whether a text is joined with something."""
    sign = nth_part(value, 1)
    sides = (value.child_by_field_name("left"), value.child_by_field_name("right"))
    if sign is None or sign.type != "+" or language in (Language.C, Language.CPP):
        return False
    return any(
        one is not None
        and (
            one.type in _STRING_NODES
            or (one.type == "binary_expression" and _is_sum(one, language))
        )
        for one in sides
    )


def _result(function: Node) -> str:
    """Return the written result of a function; empty: it has none, or waits for it."""
    for field in ("return_type", "returns", "result", "type"):
        written = text_of(function.child_by_field_name(field)).lstrip(": ")
        if written:
            break
    head = (function.text or b"")[:200].decode(errors="replace").partition("(")[0]
    declarator = function.child_by_field_name("declarator")
    if declarator is not None and declarator.type != "function_declarator":
        return ""
    is_open = re.search(r"\basync\b|\*\s*$|\btemplate\b|\boperator\b|\bconst\b", head)
    return "" if is_open else written


def _kind_of_type(written: str) -> str:
    if written in _NUMBERS:
        return "number"
    if written in _TEXTS:
        return "text"
    return "truth" if written in _TRUTHS else ""


def _excludes(declared: str, kind: str, tree: Tree) -> bool:
    """Whether no value of a kind is one of a type, in a language."""
    language = tree.language
    if language in (Language.C, Language.CPP):
        return declared == "number" and kind == "text" and language is Language.CPP
    if language is Language.PHP:
        return (
            declared == "number" and kind == "text" and b"strict_types=1" in tree.source
        )
    return True


def _short(node: Node) -> str:
    return text_of(node).partition("\n")[0][:60]
