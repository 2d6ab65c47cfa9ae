"""Adds docstrings to the functions of a range that have none."""

from __future__ import annotations

import libcst as cst

from redline.gateway.rules.definitions import NodeDefinition, definitions_in, header_end
from redline.gateway.rules.docstring_text import function_docstring
from redline.gateway.rules.python_source import Patch, PythonSource
from redline.gateway.rules.region import Declined
from redline.gateway.rules.strings import has_docstring


def add_docstrings(
    source: PythonSource, names: tuple[str, ...]
) -> list[Patch] | Declined:
    """Write docstrings where there are none, and where they say more than the name.

    Args:
        source: The parsed text.
        names: Only for these definitions and those nested in them; empty: for all.
    """
    if source.path.endswith(".pyi"):
        return Declined(reason="stub files carry no docstrings")
    chosen = [d for d in definitions_in(source) if d.is_named(names)]
    if names and not chosen:
        return Declined(reason=f"the range does not define {_listed(names)}")
    return [
        patch
        for definition in chosen
        if _needs_docstring(definition)
        for patch in _definition_patches(definition, source)
    ]


def _listed(names: tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _needs_docstring(definition: NodeDefinition) -> bool:
    node = definition.node
    name = node.name.value
    if isinstance(node, cst.ClassDef) or has_docstring(node):
        return False
    if name == "_" or (name.startswith("__") and name.endswith("__")):
        return False
    # The docstring belongs to a property's getter and to an overload's implementation.
    last_words = {name.rpartition(".")[2] for name in definition.decorators}
    return not last_words & {"overload", "setter", "deleter"}


def _definition_patches(
    definition: NodeDefinition, source: PythonSource
) -> list[Patch]:
    node = definition.node
    start = source.span(node)[0]
    indent = source.indent_at(start)
    body = node.body
    if isinstance(body, cst.IndentedBlock):
        unit = source.module.default_indent if body.indent is None else body.indent
        inner = indent + unit
        at = source.span(body.header)[1]
    else:
        unit = "\t" if "\t" in indent else source.indent_unit
        inner, at = indent + unit, header_end(node, source)
    if not source.may_insert(at):
        return []
    lines = _docstring_lines(definition, source, inner)
    text = "".join(f"{inner}{line}\n" if line else "\n" for line in lines)
    if not text:
        return []
    if isinstance(body, cst.IndentedBlock):
        return [Patch(start=at, end=at, text=text)]
    assert isinstance(body, cst.SimpleStatementSuite)
    end = source.span(body.leading_whitespace)[1]
    return [Patch(start=at, end=end, text=f"\n{text}{inner}")]


def _docstring_lines(
    definition: NodeDefinition, source: PythonSource, indent: str
) -> list[str]:
    lines = function_docstring(definition, source, indent)
    return [f'"""{lines[0]}', *lines[1:], '"""'] if lines else []
