"""Adds the type hints that follow with certainty from defaults, literals and checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import libcst as cst
from msgspec import Struct, field

from redline.gateway.rules.definitions import NodeDefinition, definitions_in
from redline.gateway.rules.function_facts import (
    FunctionFacts,
    descendants,
    dotted_name,
    is_name,
    read_facts,
)
from redline.gateway.rules.known_types import KnownTypes
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


End = Literal["passes", "ends", "unknown"]
"""Whether control reaches a block's end: it may, it never does, or it is unknown, since
a `with` may suppress an exception and a call may never return."""


def end_of(suite: cst.BaseSuite) -> End:
    """Return whether control reaches the end of a block."""
    ends = [_end(statement) for statement in suite.body]
    return "ends" if "ends" in ends else ends[-1]


def _end(statement: cst.CSTNode) -> End:
    match statement:
        case cst.SimpleStatementLine(body=parts):
            ends = [_end(part) for part in parts]
            return "ends" if "ends" in ends else ends[-1]
        case cst.Return() | cst.Raise():
            return "ends"
        case cst.Expr(value=cst.Call() | cst.Await()):
            return "unknown"
        case cst.If():
            return _end_of_if(statement)
        case cst.While(test=test, body=body) if is_name(test, "True"):
            # A break of an inner loop counts too: it only makes the answer "unknown".
            has_break = any(isinstance(n, cst.Break) for n in descendants(body))
            return "unknown" if has_break else "ends"
        case cst.With(body=body):
            return "passes" if end_of(body) == "passes" else "unknown"
        case cst.Try() | cst.TryStar():
            return _end_of_try(statement)
        case cst.Match(cases=cases):
            return _end_of_match(cases)
        case _:
            return "passes"


def _worst(ends: Iterable[End]) -> End:
    """Return the end of a choice between blocks."""
    found = set(ends)
    if "passes" in found:
        return "passes"
    return "unknown" if "unknown" in found else "ends"


def _end_of_if(statement: cst.If) -> End:
    orelse = statement.orelse
    if orelse is None:
        return "passes"
    last = _end_of_if(orelse) if isinstance(orelse, cst.If) else end_of(orelse.body)
    return _worst([end_of(statement.body), last])


def _end_of_try(statement: cst.Try | cst.TryStar) -> End:
    if statement.finalbody and end_of(statement.finalbody.body) == "ends":
        return "ends"
    body = end_of(statement.body)
    if statement.orelse is not None and body != "ends":
        body = end_of(statement.orelse.body)
    return _worst([body, *(end_of(handler.body) for handler in statement.handlers)])


def _end_of_match(cases: Sequence[cst.MatchCase]) -> End:
    last = cases[-1]
    is_full = last.guard is None and (
        isinstance(last.pattern, cst.MatchAs) and last.pattern.pattern is None
    )
    worst = _worst(end_of(case.body) for case in cases)
    # The cases may be exhaustive without a wildcard.
    return worst if is_full or worst == "passes" else "unknown"


class ParameterUses(Struct, frozen=True, kw_only=True):
    """Facts by parameter name."""

    asserted: dict[str, str] = field(default_factory=dict)
    """The class that the first statements of the body require."""
    filled: dict[str, cst.BaseExpression] = field(default_factory=dict)
    """The value that the body substitutes for None."""
    doubted: set[str] = field(default_factory=set)
    """Parameters compared with None or checked by `isinstance` anywhere in the body."""


def read_uses(function: cst.FunctionDef) -> ParameterUses:
    """Read a function's checks of its parameters."""
    uses = ParameterUses()
    for statement in function.body.body:
        if not _reads_check(statement, uses):
            break
    uses.doubted.update(_doubted(function))
    return uses


def _reads_check(statement: cst.CSTNode, uses: ParameterUses) -> bool:
    """Read a check at the start of a body; return false for any other statement."""
    match statement:
        # assert isinstance(name, ...)
        case cst.SimpleStatementLine(body=[cst.Assert(test=test)]):
            _note_class(test, uses)
        # A docstring.
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString())]):
            pass
        # if not isinstance(name, ...): raise ...
        case cst.If(
            test=cst.UnaryOperation(operator=cst.Not(), expression=test),
            body=cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[cst.Raise()])]),
            orelse=None,
        ):
            _note_class(test, uses)
        # if name is None: name = value
        case cst.If(
            test=cst.Comparison(
                left=cst.Name(value=name),
                comparisons=[
                    cst.ComparisonTarget(
                        operator=cst.Is(), comparator=cst.Name(value="None")
                    )
                ],
            ),
            body=cst.IndentedBlock(
                body=[
                    cst.SimpleStatementLine(
                        body=[
                            cst.Assign(
                                targets=[cst.AssignTarget(target=target)], value=value
                            )
                        ]
                    )
                ]
            ),
            orelse=None,
        ) if is_name(target, name):
            uses.filled.setdefault(name, value)
        case _:
            return False
    return True


def _note_class(test: cst.BaseExpression, uses: ParameterUses) -> None:
    match test:
        case cst.Call(
            func=cst.Name(value="isinstance"),
            args=[cst.Arg(value=cst.Name(value=name)), cst.Arg(value=checked)],
        ):
            class_name = dotted_name(checked)
            if class_name is not None:
                uses.asserted.setdefault(name, class_name)


def _doubted(function: cst.FunctionDef) -> Iterator[str]:
    """Yield the names that a body compares with None or checks the type of."""
    for node in descendants(function.body):
        match node:
            case cst.Comparison(left=cst.Name(value=name), comparisons=parts):
                if any(is_name(part.comparator, "None") for part in parts):
                    yield name
            case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=name)), *_]):
                if is_name(func, "isinstance", "type", "callable", "hasattr"):
                    yield name
