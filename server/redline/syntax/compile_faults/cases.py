"""Cases of a `switch` or `match`: what is missing, and what is there twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from redline.syntax.compile_faults.fault import (
    CompileFault,
    Near,
    line_of,
    nodes_of,
    text_of,
)
from redline.syntax.language import Language
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree

_PATHS = word_set(
    "scoped_identifier scoped_type_identifier class_constant_access_expression"
)
_MATCHES = word_set("match_expression switch_expression")
_ENUMS = word_set("enum_item enum_declaration")
_VARIANTS = word_set("enum_variant enum_constant enum_case")
_SWITCHES = word_set(
    "switch_statement switch_expression expression_switch_statement"
    " type_switch_statement"
)
_LITERAL = re.compile(
    r"-?\d[\w.]*|'(?:[^'\\]|\\.)+'|\"(?:[^\"\\]|\\.)*\"|[A-Z][A-Z0-9_]+|[A-Z]\w*\.[A-Z]\w*"
)
_LABELS = word_set(
    "case_statement switch_label switch_case expression_case type_case"
    " constant_pattern case_switch_label"
)


def missing_cases(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield the variants of an enum of the file that a `match` does not have.

    In Rust, in PHP, and where Java needs the value of a `switch`.
    """
    if tree.language not in (Language.RUST, Language.JAVA, Language.PHP):
        return
    enums = dict(_enums(tree.root, tree.source))
    if not enums:
        return
    for node in nodes_of(tree.root):
        if node.type not in _MATCHES or not _needs_all(node):
            continue
        found = _matched(node, tree.language)
        if not found:
            continue
        enum = _enum_of(node, found, enums)
        left = [one for one in enums.get(enum, ()) if one not in found.values()]
        if not left or len(left) == len(enums[enum]):
            continue
        listed = ", ".join(f"`{one}`" for one in left)
        yield CompileFault(
            line=line_of(node),
            key=f"missing {enum} {listed} {text_of(node)[:80]}",
            message=f"No case of this handles {listed} of `{enum}`: `{_head(node)}`"
            f" (line {line_of(node) + 1} of the file).",
        )


def _enums(root: Node, source: bytes) -> Iterator[tuple[str, list[str]]]:
    if b"enum" not in source:
        return
    seen: set[str] = set()
    for node in nodes_of(root):
        if node.type not in _ENUMS:
            continue
        name = text_of(node.child_by_field_name("name"))
        body = node.child_by_field_name("body")
        if name in seen or body is None or b"cfg" in (node.text or b""):
            yield name, []
            continue
        seen.add(name)
        variants = [
            text_of(one.child_by_field_name("name"))
            for one in body.named_children
            if one.type in _VARIANTS
        ]
        yield name, variants


def _needs_all(node: Node) -> bool:
    """Whether a value is needed for each case."""
    outer = node.parent
    if node.type != "switch_expression":
        return True
    body = node.child_by_field_name("body")
    is_new = body is not None and any(
        one.type == "switch_rule" for one in body.named_children
    )
    return is_new and outer is not None and outer.type in _USING


_USING = word_set(
    "return_statement variable_declarator assignment_expression argument_list"
    " parenthesized_expression method_invocation yield_statement binary_expression"
)


def _matched(node: Node, language: Language) -> dict[str, str]:
    """Return the variants of the cases, by their places; empty if not only those."""
    body = node.child_by_field_name("body")
    found: dict[str, str] = {}
    for arm in body.named_children if body is not None else ():
        if "comment" in arm.type:
            continue
        patterns = list(_patterns(arm, language))
        if not patterns:
            return {}
        for pattern in patterns:
            variant = _variant(pattern, language)
            if not variant:
                return {}
            found[text_of(pattern)] = variant
    return found


def _patterns(arm: Node, language: Language) -> Iterator[Node]:
    """Yield the patterns of a case; none if it stands for anything."""
    if language is Language.JAVA:
        labels = [one for one in arm.named_children if one.type == "switch_label"]
        for label in labels:
            yield from label.named_children
        return
    if language is Language.PHP:
        conditions = arm.child_by_field_name("conditional_expressions")
        yield from conditions.named_children if conditions is not None else ()
        return
    pattern = arm.child_by_field_name("pattern")
    waiting = [pattern] if pattern is not None else []
    while waiting:
        one = waiting.pop()
        if one.type in ("match_pattern", "or_pattern", "reference_pattern"):
            condition = one.child_by_field_name("condition")
            inner = [child for child in one.named_children if child != condition]
            if not inner:
                yield one
            waiting.extend(inner)
        else:
            yield one


def _variant(pattern: Node, language: Language) -> str:
    """Return the variant that a pattern names; empty: it may name something else."""
    if language is Language.JAVA:
        return text_of(pattern) if pattern.type == "identifier" else ""
    if pattern.type in ("tuple_struct_pattern", "struct_pattern"):
        inner = pattern.child_by_field_name("type")
        return _variant(inner, language) if inner is not None else ""
    if pattern.type not in _PATHS:
        return ""
    return text_of(pattern).rpartition("::")[2]


def _enum_of(
    node: Node, found: Mapping[str, str], enums: Mapping[str, list[str]]
) -> str:
    """Return the enum of the file that all cases are of; empty: none."""
    variants = set(found.values())
    owners = set()
    for pattern in found:
        path = re.match(r"[\w:]+", pattern.lstrip("&"))
        owners.add(path[0].rpartition("::")[0] if path else "")
    named = owners - {"Self", "self", "static", ""}
    known = [name for name, all_of in enums.items() if variants <= set(all_of)]
    if len(known) != 1 or (named and named != {known[0]}):
        return ""
    return known[0] if named or not owners & {"Self"} or _is_in(node, known[0]) else ""


def _is_in(node: Node, name: str) -> bool:
    """Whether a node is in an `impl` of a type."""
    outer = node.parent
    while outer is not None:
        if outer.type in ("impl_item", "enum_declaration"):
            field = "type" if outer.type == "impl_item" else "name"
            return text_of(outer.child_by_field_name(field)) == name
        outer = outer.parent
    return False


def duplicate_cases(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield the cases whose constant another one of the same `switch` has."""
    for node in nodes_of(tree.root, is_near):
        if node.type not in _SWITCHES:
            continue
        seen: dict[str, Node] = {}
        for value in _constants(node):
            word = text_of(value)
            first = seen.setdefault(word, value)
            if first != value and (is_near(first) or is_near(value)):
                yield CompileFault(
                    line=line_of(value),
                    key=f"duplicate {word}",
                    message=f"The case `{word}` is there twice, also at line"
                    f" {line_of(first) + 1} of the file.",
                )


def _constants(switch: Node) -> Iterator[Node]:
    """Yield the constants of the cases of a `switch`, not of one in it."""
    for node in nodes_of(switch, closed=_SWITCHES):
        if node.type not in _LABELS or _has_guard(node):
            continue
        values = node.children_by_field_name("value") or node.named_children[:1]
        if node.type in ("switch_label", "constant_pattern"):
            values = node.named_children
        for value in values:
            parts = value.named_children if value.type == "expression_list" else [value]
            yield from (one for one in parts if _LITERAL.fullmatch(text_of(one)))


def _has_guard(node: Node) -> bool:
    outer = node.parent
    around = outer.named_children if outer is not None else []
    return any("when" in one.type or one.type == "guard" for one in around) or (
        outer is not None and outer.type not in _LABEL_OWNERS
    )


_LABEL_OWNERS = word_set(
    "compound_statement switch_block_statement_group switch_rule switch_body"
    " switch_section expression_switch_statement type_switch_statement case_statement"
    " switch_block preproc_ifdef"
)


def _head(node: Node) -> str:
    return text_of(node).partition("{")[0].strip()[:60]
