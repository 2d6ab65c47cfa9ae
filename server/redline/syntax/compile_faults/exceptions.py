"""Checked exceptions of Java that a method neither catches nor declares."""

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

_QUIET = word_set(
    "exists notExists isDirectory isRegularFile isReadable isWritable isExecutable"
    " isSymbolicLink"
)
"""Methods of `Files` that throw none."""
_METHODS = word_set("method_declaration constructor_declaration")
_AROUND = word_set(
    "method_declaration constructor_declaration lambda_expression static_initializer"
    " class_body try_statement try_with_resources_statement"
)
_CATCHING = {
    "IOException": re.compile(r"\b(?:IOException|Exception|Throwable)\b"),
    "InterruptedException": re.compile(
        r"\b(?:InterruptedException|Exception|Throwable)\b"
    ),
}


def uncaught(tree: Tree, is_near: Near) -> Iterator[CompileFault]:
    """Yield calls of the JDK whose exception the method around them does not expect.

    Only calls that are certain are judged: those of `java.nio.file.Files` and
    `Thread.sleep`. What a lambda may throw, its interface says.
    """
    if tree.language is not Language.JAVA:
        return
    source = tree.source.decode(errors="replace")
    if "java.nio.file" not in source and "Thread.sleep" not in source:
        return
    for node in nodes_of(tree.root, is_near):
        if node.type != "method_invocation":
            continue
        thrown = _thrown(node)
        if thrown and not _is_expected(node, thrown):
            called = text_of(node).partition("(")[0]
            yield CompileFault(
                line=line_of(node),
                key=f"uncaught {called}",
                message=f"`{called}` throws `{thrown}`, which is neither caught nor"
                " declared.",
            )


def _thrown(call: Node) -> str:
    """Return the checked exception of a call; empty: none is known."""
    owner = text_of(call.child_by_field_name("object"))
    name = text_of(call.child_by_field_name("name"))
    if owner in ("Files", "java.nio.file.Files") and name not in _QUIET:
        return "IOException"
    if owner == "Thread" and name == "sleep":
        return "InterruptedException"
    return ""


def _is_expected(call: Node, thrown: str) -> bool:
    inner: Node = call
    while (outer := ancestor(inner, _AROUND)) is not None:
        if outer.type in _METHODS:
            return any(one.type == "throws" for one in outer.named_children)
        if not outer.type.startswith("try_"):
            return True
        body = outer.child_by_field_name("body")
        is_in_body = body is not None and body.end_byte >= call.end_byte
        catches = [one for one in outer.named_children if one.type == "catch_clause"]
        types = " ".join(text_of(one).partition(")")[0] for one in catches)
        if is_in_body and _CATCHING[thrown].search(types):
            return True
        inner = outer
    return True
