"""Converts %-formats and `str.format` calls to f-strings where that is safe.

ruff does the conversion, but it also converts formats whose result may change or fail:
a single operand of `%` that may be a tuple, a wrong number of values, values computed
by code that could change earlier ones. This module only decides which conversions are
safe; it rewrites nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from string import Formatter

from msgspec import Struct
from msgspec.structs import replace

from redline.checks.python.source import parse_once
from redline.gateway.rules.known_types import BUILTIN_CALLS, STRING_METHODS
from redline.gateway.rules.region import Declined, EditedLines, Outcome
from redline.gateway.rules.ruff_fixes import Place, fix_formats

_PERCENT = re.compile(
    # Text without a width, which not every object's `format` supports; numbers, but not
    # `%d`, which truncates floats and which ruff does not convert.
    r"%(?:\((?P<key>[^()]*)\))?(?:[sra]|[-0 +]*+\d*+(?:\.\d++)?[feEgGxXo])"
    r"|(?P<percent>%%)"
)
_HIDDEN_MARK = re.compile(r"\\[xuUN0-7{}%]")
"""An escape that may encode a character of the format; ruff reads it as text."""

_WRAP = "if 1:\n"


def use_f_strings(region: EditedLines) -> Outcome:
    """Convert what is safe to convert."""
    if not region.is_whole_file:
        # An indented range is wrapped in a block, so that it can be parsed alone.
        first = next(line for line in region.target.split("\n") if line.strip())
        before = _WRAP if first[0] in " \t" else ""
        region = replace(region, before=before, after="", is_whole_file=True)
    outcome = fix_formats(region, certain_places)
    if outcome == region.target and (n_left := _n_formats(region)):
        return Declined(
            reason=f"{n_left} format{' stays' if n_left == 1 else 's stay'} as before,"
            " since an f-string might not give the same text (an operand of % that"
            " may be a tuple, %d, a width of text, quotes, several calls)"
        )
    return outcome


def certain_places(text: str) -> frozenset[Place]:
    """Find the formats of a file that an f-string can certainly replace.

    Returns:
        The places where they begin: lines and columns from 1, in code points.
    """
    lines = text.split("\n")
    return frozenset(
        _place(each.node, lines)
        for each in _formats(text)
        if not _HIDDEN_MARK.search(ast.get_source_segment(text, each.format) or "\\x")
        and _is_certain(each.node, str(each.format.value))
    )


def _n_formats(region: EditedLines) -> int:
    first = region.before.count("\n") + 1
    last = first + region.target.count("\n")
    return sum(first <= each.node.lineno <= last for each in _formats(region.text))


class _Format(Struct, frozen=True):
    node: ast.BinOp | ast.Call
    format: ast.Constant


def _formats(text: str) -> Iterator[_Format]:
    tree = parse_once(text)
    waiting: list[ast.AST] = [] if tree is None else [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.JoinedStr():
                # Before Python 3.12, strings in an f-string cannot reuse its quotes.
                continue
            case (
                ast.BinOp(left=ast.Constant(value=str()) as format, op=ast.Mod())
                | ast.Call(
                    func=ast.Attribute(
                        value=ast.Constant(value=str()) as format, attr="format"
                    )
                )
            ):
                yield _Format(node, format)
        waiting += ast.iter_child_nodes(node)


def _place(node: ast.expr, lines: Sequence[str]) -> Place:
    head = lines[node.lineno - 1].encode()[: node.col_offset]
    return node.lineno, len(head.decode()) + 1


def _is_certain(node: ast.BinOp | ast.Call, format: str) -> bool:
    if isinstance(node, ast.Call):
        names, values = _braces(format), _arguments(node)
    else:
        names, values = _percents(format), _operands(node.right)
    if not names or values is None or set(names) != set(values):
        return False
    if any(map(_has_quotes, values.values())):
        return False
    # An f-string evaluates its values in the order of the fields, so that later code
    # could change earlier values. Only the first value may run code, and only if the
    # format evaluates it first too.
    first, *further = (values[name] for name in dict.fromkeys(names))
    is_first = first is next(iter(values.values()))
    return all(map(_runs_no_code, further)) and (is_first or _runs_no_code(first))


def _has_quotes(node: ast.expr) -> bool:
    """Whether a value contains strings; ruff then stops at `str.format`."""
    return any(
        isinstance(each, ast.JoinedStr)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str | bytes))
        for each in ast.walk(node)
    )


def _percents(format: str) -> list[str]:
    """Return the fields of a %-format; none if one of them is not certain."""
    found = list(_PERCENT.finditer(format))
    fields = [each for each in found if not each["percent"]]
    if format.count("%") != len(fields) + 2 * (len(found) - len(fields)):
        return []
    return [each["key"] or str(number) for number, each in enumerate(fields)]


def _braces(format: str) -> list[str]:
    """Return the fields of a `str.format` format; none if it cannot be parsed."""
    try:
        fields = [each[1] for each in Formatter().parse(format) if each[1] is not None]
    except ValueError:
        return []
    heads = [re.split(r"[.\[]", field, maxsplit=1)[0] for field in fields]
    return [head or str(number) for number, head in enumerate(heads)]


def _arguments(call: ast.Call) -> dict[str, ast.expr] | None:
    values = {str(number): value for number, value in enumerate(call.args)}
    named = {each.arg: each.value for each in call.keywords if each.arg is not None}
    has_stars = len(named) < len(call.keywords) or any(
        isinstance(value, ast.Starred) for value in call.args
    )
    return None if has_stars else values | named


def _operands(node: ast.expr) -> dict[str, ast.expr] | None:
    """Split the right operand of `%`; None if its form is unknown."""
    match node:
        case ast.Tuple(elts=elts):
            is_known = not any(isinstance(value, ast.Starred) for value in elts)
            return {str(n): v for n, v in enumerate(elts)} if is_known else None
        case ast.Dict(keys=keys, values=values):
            names = [k.value for k in keys if isinstance(k, ast.Constant)]
            is_known = len(set(names)) == len(keys) and all(
                isinstance(name, str) for name in names
            )
            return dict(zip(map(str, names), values, strict=True)) if is_known else None
        case _:
            return {"0": node} if _is_no_tuple(node) else None


def _is_no_tuple(node: ast.expr) -> bool:
    match node:
        case ast.Constant() | ast.JoinedStr() | ast.Attribute(attr="__name__"):
            return True
        case ast.Call():
            return _is_harmless_call(node)
        case _:
            return False


def _is_harmless_call(node: ast.Call) -> bool:
    match node.func:
        case ast.Name(id=name):
            return name in BUILTIN_CALLS
        case ast.Attribute(attr=name):
            return name in STRING_METHODS - {"replace", "format", "title"}
        case _:
            return False


def _runs_no_code(node: ast.expr) -> bool:
    """Whether evaluating a value runs no code that could change another one."""
    unsafe = (ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)
    return all(
        _is_harmless_call(each)
        if isinstance(each, ast.Call)
        else not isinstance(each, unsafe)
        for each in ast.walk(node)
    )
