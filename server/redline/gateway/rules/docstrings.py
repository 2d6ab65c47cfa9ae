"""Adds docstrings to the definitions of a range that have none."""

from __future__ import annotations

from pathlib import PurePosixPath

import libcst as cst

from redline.gateway.rules.definitions import NodeDefinition, definitions_in, header_end
from redline.gateway.rules.docstring_text import class_docstring, function_docstring
from redline.gateway.rules.file_head import after_file_comments, is_blank_line
from redline.gateway.rules.python_source import Patch, PythonSource
from redline.gateway.rules.region import Declined
from redline.gateway.rules.sentences import noun_sentence
from redline.gateway.rules.strings import has_docstring


def add_docstrings(
    source: PythonSource, names: tuple[str, ...]
) -> list[Patch] | Declined:
    """Write docstrings where there are none.

    Args:
        source: The parsed text.
        names: Only for these definitions and those nested in them; empty: for all.
    """
    if source.path.endswith(".pyi"):
        return Declined(reason="stub files carry no docstrings")
    chosen = [d for d in definitions_in(source) if d.is_named(names)]
    if names and not chosen:
        return Declined(reason=f"the range does not define {_listed(names)}")
    patches = [] if names else _module_patches(source)
    for definition in chosen:
        if _needs_docstring(definition):
            patches += _definition_patches(definition, source)
    return patches


def _listed(names: tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in names)


def _needs_docstring(definition: NodeDefinition) -> bool:
    node = definition.node
    if has_docstring(node) or node.name.value == "_":
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
    is_block = isinstance(body, cst.IndentedBlock)
    has_gap = is_block and is_blank_line(source.text, at)
    if isinstance(node, cst.ClassDef) and not has_gap:
        text += "\n"
    if is_block:
        return [Patch(start=at, end=at, text=text)]
    assert isinstance(body, cst.SimpleStatementSuite)
    end = source.span(body.leading_whitespace)[1]
    return [Patch(start=at, end=end, text=f"\n{text}{inner}")]


def _docstring_lines(
    definition: NodeDefinition, source: PythonSource, indent: str
) -> list[str]:
    if isinstance(definition.node, cst.ClassDef):
        lines = class_docstring(definition.node)
    else:
        lines = function_docstring(definition, source, indent)
    if len(lines) == 1:
        return [f'"""{lines[0]}"""']
    return [f'"""{lines[0]}', *lines[1:], '"""']


def _module_patches(source: PythonSource) -> list[Patch]:
    module = source.module
    is_at_start = source.is_whole_file and source.start == 0
    if not (is_at_start and module.body) or has_docstring(module):
        return []
    at = after_file_comments(source.text)
    if not source.may_insert(at):
        return []
    gap = "" if is_blank_line(source.text, at) else "\n"
    text = f'"""{_module_sentence(source.path)}"""\n{gap}'
    return [Patch(start=at, end=at, text=text)]


def _module_sentence(path: str) -> str:
    place = PurePosixPath(path.replace("\\", "/"))
    name = place.stem
    if name == "__main__":
        return "Run the package as a program."
    if name == "__init__":
        name = place.parent.name or "package"
    subject = name.removeprefix("test_").removesuffix("_test")
    sentence = noun_sentence(subject)
    if subject != name:
        return f"Tests of {sentence[0].lower()}{sentence[1:]}"
    return sentence.replace("\\", "")
