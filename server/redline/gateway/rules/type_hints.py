"""Adds the type hints that follow with certainty from defaults, literals and checks."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from redline.gateway.rules.control_flow import end_of
from redline.gateway.rules.definitions import NodeDefinition, definitions_in
from redline.gateway.rules.function_facts import (
    FunctionFacts,
    dotted_name,
    is_name,
    read_facts,
)
from redline.gateway.rules.known_types import KnownTypes
from redline.gateway.rules.parameter_uses import ParameterUses, read_uses
from redline.gateway.rules.python_source import Patch, PythonSource
from redline.gateway.rules.region import Declined

_SCALARS = frozenset({"int", "float", "complex", "str", "bytes", "bool"})


def add_type_hints(
    source: PythonSource, names: tuple[str, ...]
) -> list[Patch] | Declined:
    """Write missing type hints where only one is possible.

    Args:
        source: The parsed text.
        names: Only for these definitions and those nested in them; empty: for all.
    """
    chosen = [
        d
        for d in definitions_in(source)
        if d.is_named(names) and isinstance(d.node, cst.FunctionDef)
    ]
    if names and not chosen:
        listed = " or ".join(f"`{name}`" for name in names)
        return Declined(reason=f"the range does not define {listed}")
    hints = _Hints(source)
    return [patch for definition in chosen for patch in hints.of(definition)]


class _Hints:
    """Hints for the functions of one file."""

    def __init__(self, source: PythonSource) -> None:
        self._source = source
        self._types = KnownTypes(source.module)
        self._optional = _optional_form(source.text)

    def of(self, definition: NodeDefinition) -> Iterator[Patch]:
        """Yield the patches of one function."""
        function = definition.node
        assert isinstance(function, cst.FunctionDef)
        header = self._source.text[
            self._source.span(function)[0] : self._source.span(function.body)[0]
        ]
        # A type comment already has all the types.
        if "# type:" in header:
            return
        uses = read_uses(function)
        params = function.params
        for param in (*params.posonly_params, *params.params, *params.kwonly_params):
            if param.annotation is None:
                yield from self._param(param, uses)
        if function.returns is None:
            yield from self._return(definition, function)

    def _param(self, param: cst.Param, uses: ParameterUses) -> Iterator[Patch]:
        hint = self._param_hint(param, uses)
        if hint is None:
            return
        at = self._source.span(param.name)[1]
        if isinstance(param.equal, cst.AssignEqual) and param.default is not None:
            end = self._source.span(param.default)[0]
            # Line breaks and comments around the equals sign are kept.
            if self._source.text[at:end].strip(" \t") == "=":
                yield Patch(start=at, end=end, text=f": {hint} = ")
                return
        yield Patch(start=at, end=at, text=f": {hint}")

    def _param_hint(self, param: cst.Param, uses: ParameterUses) -> str | None:
        name = param.name.value
        checked = uses.asserted.get(name)
        if param.default is None:
            is_known = checked in _SCALARS and self._types.is_builtin(checked)
            return checked if is_known else None
        hint = self._types.type_of(param.default)
        if hint == "None":
            filled = uses.filled.get(name)
            inner = self._types.type_of(filled) if filled is not None else None
            return self._or_none(inner) if inner in _SCALARS else None
        # A default is no evidence if the body also expects other types.
        return hint if hint in _SCALARS and name not in uses.doubted else None

    def _or_none(self, hint: str | None) -> str | None:
        return self._optional.format(hint) if hint and self._optional else None

    def _return(
        self, definition: NodeDefinition, function: cst.FunctionDef
    ) -> Iterator[Patch]:
        facts = read_facts(function)
        hint = self._return_hint(definition, function, facts)
        if hint is None:
            return
        at = self._source.span(function.whitespace_before_colon)[0]
        if self._source.may_insert(at):
            yield Patch(start=at, end=at, text=f" -> {hint}")

    def _return_hint(
        self,
        definition: NodeDefinition,
        function: cst.FunctionDef,
        facts: FunctionFacts,
    ) -> str | None:
        last_words = {word.rpartition(".")[2] for word in definition.decorators}
        if facts.is_generator or last_words & {"overload", "abstractmethod"}:
            return None
        if function.name.value == "__init__" and definition.is_method:
            return "None"
        end = end_of(function.body)
        if not facts.returned:
            can_return = facts.returns or end != "ends"
            return "None" if can_return and not _is_stub(function) else None
        hint = self._types.common(facts.returned)
        if end == "unknown":
            return None
        if end == "passes" or len(facts.returned) < len(facts.returns):
            return self._or_none(hint)
        return hint


def _is_stub(function: cst.FunctionDef) -> bool:
    """Whether a body is only a placeholder, so its return type is unknown."""
    parts: list[cst.CSTNode] = []
    for statement in function.body.body:
        if isinstance(statement, cst.SimpleStatementLine):
            parts += statement.body
        else:
            parts.append(statement)
    return all(_is_placeholder(part) for part in parts)


def _is_placeholder(part: cst.CSTNode) -> bool:
    if isinstance(part, cst.Raise):
        raised = part.exc.func if isinstance(part.exc, cst.Call) else part.exc
        return raised is not None and dotted_name(raised) == "NotImplementedError"
    if isinstance(part, cst.Expr):
        return isinstance(
            part.value, cst.SimpleString | cst.ConcatenatedString | cst.Ellipsis
        )
    if isinstance(part, cst.Return):
        return is_name(part.value, "None")
    return isinstance(part, cst.Pass)


def _optional_form(text: str) -> str:
    """Return how the file writes "or None"; empty if that is unknown."""
    if "from __future__ import annotations" in text or " | None" in text:
        return "{} | None"
    for line in text.split("\n"):
        if line.startswith("from typing import") and "Optional" in line:
            return "Optional[{}]"
    return ""
