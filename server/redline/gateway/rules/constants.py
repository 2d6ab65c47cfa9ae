"""Finds the literals of a range, and extracts one to a constant."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from typing import Literal, TypeAlias

import libcst as cst
from msgspec import Struct

from redline.gateway.rules.file_head import (
    after_file_comments,
    after_imports,
    is_blank_line,
)
from redline.gateway.rules.function_facts import dotted_name
from redline.gateway.rules.naming import change_case
from redline.gateway.rules.python_source import Patch, PythonSource
from redline.gateway.rules.region import Declined
from redline.gateway.rules.strings import literal_value, string_value
from redline.instructions.request import ExtractConstant
from redline.text.whole_words import has_word

_PLAIN_NUMBERS = frozenset({-1, 0, 1})
"""Numbers that are clear without a name."""

_MAX_STRING_WORDS = 4

_Literals: TypeAlias = "list[FoundLiteral]"


def extract_constant(
    source: PythonSource, request: ExtractConstant
) -> list[Patch] | Declined:
    """Replace a literal everywhere in the range by a new constant."""
    # Choose the literal and the name.
    found = find_literals(source)
    same = (
        _asked_for(found, request) if request.literal else _outstanding(found, source)
    )
    if isinstance(same, Declined):
        return same
    name = _name(same, request)
    if name is None:
        return Declined(
            reason="it cannot make a name for the constant; say for example: extract"
            f" constant {source.text[same[0].start : same[0].end]} as SOME_NAME"
        )
    if not name.isidentifier() or keyword.iskeyword(name):
        return Declined(reason=f"`{name}` is not a name in Python")
    if has_word(source.text, name):
        return Declined(reason=f"the name `{name}` is already used")
    # Define the constant and replace its uses.
    definition = f"{name} = {source.text[same[0].start : same[0].end]}\n"
    placed = _module_patch(source, same, definition) or _local_patch(
        source, same, definition
    )
    if placed is None:
        return Declined(
            reason="there is no place in the range where the constant could be defined"
            " before its uses; select the whole function, or the file from its imports"
        )
    return [placed, *(Patch(start=s.start, end=s.end, text=name) for s in same)]


def _asked_for(found: _Literals, request: ExtractConstant) -> _Literals | Declined:
    text = request.literal or ""
    value: Value = text
    if not request.is_quoted:
        found_value = literal_value(text)
        value = text if found_value is None else found_value
    same = [literal for literal in found if literal.key == (type(value), value)]
    if not same:
        return Declined(reason=f"the range has no literal {text} that may be replaced")
    return same


def _outstanding(found: _Literals, source: PythonSource) -> _Literals | Declined:
    """Choose the only number, or the most repeated literal."""
    counts = Counter(literal.key for literal in found if _is_magic(literal.value))
    repeated = {
        key: n
        for key, n in counts.items()
        if n > 1 or not issubclass(key[0], str | bytes)
    }
    if not repeated:
        return Declined(reason="the range has no number or repeated string to extract")
    most = max(repeated.values())
    best = [key for key, n in repeated.items() if n == most]
    if len(best) > 1:
        texts = [
            source.text[lit.start : lit.end]
            for key in best[:3]
            for lit in [next(lit for lit in found if lit.key == key)]
        ]
        return Declined(reason=f"several literals could be meant: {', '.join(texts)}")
    return [literal for literal in found if literal.key == best[0]]


def _is_magic(value: Value) -> bool:
    if isinstance(value, str | bytes):
        return len(value) > 1
    return value not in _PLAIN_NUMBERS


def _name(same: _Literals, request: ExtractConstant) -> str | None:
    if request.name is not None:
        return change_case(request.name, "constant")
    hints = {literal.hint.strip("_") for literal in same if literal.hint is not None}
    if len(hints) == 1:
        return change_case(hints.pop(), "constant") or None
    value = same[0].value
    words = re.findall(r"[^\W_]+", value) if isinstance(value, str) else []
    if not 1 <= len(words) <= _MAX_STRING_WORDS or words[0][0].isdigit():
        return None
    return "_".join(words).upper()


def _module_patch(
    source: PythonSource, same: _Literals, definition: str
) -> Patch | None:
    """Put the constant after the imports, if the range includes that place."""
    if not source.is_whole_file:
        return None
    under = after_imports(source)
    at = after_file_comments(source.text) if under is None else under
    if not source.may_insert(at) or same[0].start < at:
        return None
    head = "" if under is None else "\n"
    tail = "" if is_blank_line(source.text, at) else "\n"
    return Patch(start=at, end=at, text=f"{head}{definition}{tail}")


def _local_patch(
    source: PythonSource, same: _Literals, definition: str
) -> Patch | None:
    """Put the constant before the first use, in the innermost block around them all."""
    shared = same[0].places
    for literal in same[1:]:
        blocks = {place.block for place in literal.places}
        shared = tuple(place for place in shared if place.block in blocks)
    for place in reversed(shared):
        at = _statement_line(source, place)
        # Names of a class body are not visible in its methods.
        if place.kind == "function" and source.may_insert(at):
            indent = source.indent_at(_statement_start(source, place.statement))
            return Patch(start=at, end=at, text=indent + definition)
    return None


def _statement_line(source: PythonSource, place: LiteralPlace) -> int:
    return source.line_start(_statement_start(source, place.statement))


def _statement_start(source: PythonSource, statement: cst.BaseStatement) -> int:
    if isinstance(statement, cst.FunctionDef | cst.ClassDef) and statement.decorators:
        return source.span(statement.decorators[0].decorator)[0]
    return source.span(statement)[0]


Value = int | float | complex | str | bytes

_DECLARERS = frozenset(
    {
        "NamedTuple", "NewType", "ParamSpec", "TypeVar", "TypeVarTuple", "TypedDict",
        "cast", "namedtuple",
    }
)  # fmt: skip
"""Calls whose strings must stay literals for type checkers."""

BlockKind = Literal["module", "class", "function"]


class LiteralPlace(Struct, frozen=True):
    """A statement that contains a literal, and its block."""

    block: cst.IndentedBlock
    statement: cst.BaseStatement
    kind: BlockKind
    """The node that owns the block."""


class FoundLiteral(Struct, frozen=True, kw_only=True):
    """A number or string in the range."""

    value: Value
    start: int
    end: int
    hint: str | None
    """The name of the parameter or variable that it is assigned to."""
    places: tuple[LiteralPlace, ...]
    """From the outermost block to the innermost."""

    @property
    def key(self) -> tuple[type, Value]:
        """Identifies equal literals: 1, 1.0 and "1" differ."""
        return type(self.value), self.value


def find_literals(source: PythonSource) -> list[FoundLiteral]:
    """List the range's literals in source order.

    Those that must stay literals are left out: docstrings, patterns, annotations, parts
    of joined strings, and values of constants.
    """
    walk = _Walk(source)
    source.module.visit(walk)
    return walk.found


class _Walk(cst.CSTVisitor):
    def __init__(self, source: PythonSource) -> None:
        self.found: list[FoundLiteral] = []
        self._source = source
        self._places: list[LiteralPlace] = []
        self._kinds: list[BlockKind] = ["module"]
        self._hints: dict[cst.CSTNode, str] = {}

    # Excluded literals

    def visit_Expr(self, node: cst.Expr) -> bool:
        return not isinstance(node.value, cst.BaseString)

    def visit_MatchCase(self, node: cst.MatchCase) -> bool:
        if node.guard is not None:
            node.guard.visit(self)
        node.body.visit(self)
        return False

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> bool:
        return False

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:
        return False

    def visit_Subscript(self, node: cst.Subscript) -> bool:
        return not (dotted_name(node.value) or "").endswith("Literal")

    def visit_Call(self, node: cst.Call) -> bool:
        name = (dotted_name(node.func) or "").rpartition(".")[2]
        for arg in node.args:
            if arg.keyword is not None:
                self._hints[arg.value] = arg.keyword.value
        return name not in _DECLARERS

    def visit_Assign(self, node: cst.Assign) -> bool:
        target = node.targets[0].target
        if not isinstance(target, cst.Name):
            return True
        self._hints[node.value] = target.value
        is_constant = target.value.isupper() or target.value.startswith("__")
        return not (is_constant and self._kinds[-1] != "function")

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        if isinstance(node.target, cst.Name) and node.value is not None:
            self._hints[node.value] = node.target.value
            return not (node.target.value.isupper() and self._kinds[-1] != "function")
        return True

    def visit_Param(self, node: cst.Param) -> None:
        if node.default is not None:
            self._hints[node.default] = node.name.value

    # Places

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> bool:
        for statement in node.body:
            self._places.append(LiteralPlace(node, statement, self._kinds[-1]))
            statement.visit(self)
            self._places.pop()
        return False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        for decorator in node.decorators:
            decorator.visit(self)
        node.params.visit(self)
        self._kinds.append("function")
        node.body.visit(self)
        self._kinds.pop()
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        for part in (*node.decorators, *node.bases, *node.keywords):
            part.visit(self)
        self._kinds.append("class")
        node.body.visit(self)
        self._kinds.pop()
        return False

    # Literals

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> bool:
        number = node.expression
        is_negative = isinstance(node.operator, cst.Minus)
        if is_negative and isinstance(number, cst.Integer | cst.Float):
            self._note(node, -number.evaluated_value)
            return False
        return True

    def visit_Integer(self, node: cst.Integer) -> None:
        self._note(node, node.evaluated_value)

    def visit_Float(self, node: cst.Float) -> None:
        self._note(node, node.evaluated_value)

    def visit_Imaginary(self, node: cst.Imaginary) -> None:
        self._note(node, node.evaluated_value)

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        value = string_value(node)
        if value is not None:
            self._note(node, value)

    def _note(self, node: cst.BaseExpression, value: Value) -> None:
        if not self._source.is_inside(node):
            return
        start, end = self._source.span(node)
        self.found.append(
            FoundLiteral(
                value=value,
                start=start,
                end=end,
                hint=self._hints.get(node),
                places=tuple(self._places),
            )
        )
