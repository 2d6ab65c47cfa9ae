"""Names that one block declares twice."""

from __future__ import annotations

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
from redline.syntax.type_names import SCRIPTS
from redline.syntax.word_set import word_set

if TYPE_CHECKING:
    from tree_sitter import Node

    from redline.syntax.tree import Tree

_BLOCKS = word_set("statement_block block statement_list compound_statement")
_DECLARATIONS: Mapping[Language, frozenset[str]] = {
    **dict.fromkeys(SCRIPTS, word_set("lexical_declaration class_declaration")),
    Language.JAVA: frozenset({"local_variable_declaration"}),
    Language.CSHARP: frozenset({"local_declaration_statement"}),
    Language.GO: word_set("short_var_declaration var_declaration"),
    Language.C: frozenset({"declaration"}),
    Language.CPP: frozenset({"declaration"}),
}
_DECLARATORS = word_set("variable_declarator init_declarator var_spec")
_GROUPS = word_set("variable_declaration var_spec_list")


def declared_twice(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield the variables that their block, or its function's parameters, have."""
    declarations = _DECLARATIONS.get(tree.language)
    if declarations is None:
        return
    for block in nodes_of(tree.root, is_near):
        if block.type not in _BLOCKS:
            continue
        known = set(_parameters(block))
        for statement in block.named_children:
            if statement.type not in declarations:
                continue
            names = [one for one in _names(statement) if one.text != b"_"]
            again = [one for one in names if text_of(one) in known]
            is_new = statement.type == "short_var_declaration"
            if again and (not is_new or len(again) == len(names)):
                yield _fault(again[0])
            known.update(map(text_of, names))


def _fault(name: Node) -> CompileFault:
    word = text_of(name)
    return CompileFault(
        line=line_of(name),
        key=f"twice {word}",
        message=f"`{word}` is already declared in this block.",
    )


def _names(statement: Node) -> Iterator[Node]:
    """Yield the plain names that a statement declares."""
    if statement.type == "short_var_declaration":
        left = statement.child_by_field_name("left")
        parts = left.named_children if left is not None else []
        yield from (one for one in parts if one.type == "identifier")
    elif statement.type == "class_declaration":
        yield from statement.children_by_field_name("name")
    else:
        yield from _declared(statement)


def _declared(statement: Node) -> Iterator[Node]:
    if any(text_of(one) in ("extern", "static") for one in statement.children):
        return
    for one in statement.named_children:
        if one.type in _GROUPS:
            yield from _declared(one)
        elif one.type in _DECLARATORS:
            for field in ("name", "declarator"):
                names = one.children_by_field_name(field)
                yield from (name for name in names if name.type == "identifier")


def _parameters(block: Node) -> Iterator[str]:
    """Yield the parameters of the function whose body a block is."""
    outer = block.parent
    if block.type == "statement_list":
        outer = outer.parent if outer is not None else None
    given = outer.child_by_field_name("parameters") if outer is not None else None
    for one in given.named_children if given is not None else ():
        names = [one] if one.type == "identifier" else []
        for field in ("name", "pattern"):
            names += one.children_by_field_name(field)
        yield from (text_of(name) for name in names if name.type == "identifier")
