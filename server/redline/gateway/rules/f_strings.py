"""Turning %-formats and `str.format` calls into f-strings where nothing can change.

What could change is left alone: a single operand of `%` that may be a tuple, `%d` of
what may not be an integer, values that are computed by code which could change those
before them, and what an f-string cannot hold before Python 3.12 (a backslash, a
comment, its own quotes).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import libcst as cst

from redline.gateway.rules.format_pieces import (
    Field,
    Piece,
    split_braces,
    split_percent,
)
from redline.gateway.rules.format_values import Values
from redline.gateway.rules.python_source import Patch, PythonSource
from redline.gateway.rules.region import Declined
from redline.gateway.rules.strings import string_value

_Split = Callable[[str, int], list[Piece] | None]
_Arguments = Mapping[int | str, cst.BaseExpression]


def use_f_strings(
    source: PythonSource, names: tuple[str, ...]
) -> list[Patch] | Declined:
    """Convert what is safe to convert; `names` is not used."""
    finder = _Finder(source)
    source.module.visit(finder)
    if finder.n_left and not finder.patches:
        return Declined(
            reason=f"{finder.n_left} format"
            f"{' is' if finder.n_left == 1 else 's are'} left as they are, since an"
            " f-string might not give the same text (an operand of % that may be a"
            " tuple, %d of what may not be an integer, quotes, several calls)"
        )
    return finder.patches


class _Finder(cst.CSTVisitor):
    def __init__(self, source: PythonSource) -> None:
        self.patches: list[Patch] = []
        self.n_left = 0
        self._source = source
        self._values = Values(source)

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:
        # Before Python 3.12 strings in it cannot hold each other's quotes.
        return False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._values.enter(node)

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._values.leave()

    def visit_ExceptHandler(self, node: cst.ExceptHandler) -> None:
        self._values.enter_handler(node)

    def leave_ExceptHandler(self, original_node: cst.ExceptHandler) -> None:
        self._values.leave()

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> bool:
        if not isinstance(node.operator, cst.Modulo):
            return True
        parts = _string_parts(node.left)
        if not parts or not self._source.is_inside(node):
            return True
        cut = self._source.span(node.operator.whitespace_before)[0]
        arguments = self._values.percent_arguments(node.right)
        return not self._convert(node, parts, cut, split_percent, arguments)

    def visit_Call(self, node: cst.Call) -> bool:
        func = node.func
        if not isinstance(func, cst.Attribute) or func.attr.value != "format":
            return True
        parts = _string_parts(func.value)
        if not parts or not self._source.is_inside(node):
            return True
        cut = self._source.span(func.dot.whitespace_before)[0]
        arguments = _call_arguments(node)
        return not self._convert(node, parts, cut, split_braces, arguments)

    def _convert(
        self,
        node: cst.BaseExpression,
        parts: list[cst.SimpleString],
        cut: int,
        split: _Split,
        arguments: _Arguments | None,
    ) -> bool:
        """Add the patches of one format; False if it has to stay."""
        pieces = _pieces(parts, split)
        end = self._source.span(node)[1]
        is_commented = "#" in self._source.text[cut:end]
        if pieces is None or arguments is None or is_commented:
            self.n_left += 1
            return False
        texts = self._texts(parts, pieces, arguments)
        if texts is None:
            self.n_left += 1
            return False
        for part, text in zip(parts, texts, strict=True):
            start, stop = self._source.span(part)
            self.patches.append(Patch(start=start, end=stop, text=text))
        self.patches.append(Patch(start=cut, end=end, text=""))
        return True

    def _texts(
        self,
        parts: list[cst.SimpleString],
        pieces: list[list[Piece]],
        arguments: _Arguments,
    ) -> list[str] | None:
        fields = [p for part in pieces for p in part if isinstance(p, Field)]
        if not fields or not self._values.keep_order(fields, arguments):
            return None
        texts = []
        for part, own in zip(parts, pieces, strict=True):
            text = self._text(part, own, arguments)
            if text is None:
                return None
            texts.append(text)
        return texts

    def _text(
        self, part: cst.SimpleString, pieces: list[Piece], arguments: _Arguments
    ) -> str | None:
        prefix, quote = part.prefix.lower().replace("u", ""), part.quote
        if not any(isinstance(piece, Field) for piece in pieces):
            return f"{prefix}{quote}{''.join(map(str, pieces))}{quote}"
        inner = []
        for piece in pieces:
            if isinstance(piece, str):
                inner.append(piece.replace("{", "{{").replace("}", "}}"))
                continue
            value = self._values.field_text(piece, arguments[piece.key], quote)
            if value is None:
                return None
            inner.append(f"{{{value}}}")
        return f"{prefix}f{quote}{''.join(inner)}{quote}"


def _string_parts(node: cst.BaseExpression) -> list[cst.SimpleString]:
    """List the literals of a string; empty if it is no plain one."""
    if isinstance(node, cst.SimpleString):
        return [] if "b" in node.prefix.lower() else [node]
    if isinstance(node, cst.ConcatenatedString):
        left, right = _string_parts(node.left), _string_parts(node.right)
        return [*left, *right] if left and right else []
    return []


def _pieces(parts: list[cst.SimpleString], split: _Split) -> list[list[Piece]] | None:
    pieces: list[list[Piece]] = []
    n_fields = 0
    for part in parts:
        own = None if _hides_marks(part) else split(part.raw_value, n_fields)
        if own is None:
            return None
        pieces.append(own)
        n_fields += sum(isinstance(piece, Field) for piece in own)
    fields = [piece for own in pieces for piece in own if isinstance(piece, Field)]
    # A format that counts some of its positions itself and not others is an error.
    ways = {field.is_counted for field in fields if isinstance(field.key, int)}
    return pieces if len(ways) < 2 else None


def _hides_marks(part: cst.SimpleString) -> bool:
    """Whether escapes stand for, or before, the marks of a format."""
    value, raw = string_value(part), part.raw_value
    if not isinstance(value, str):
        return True
    is_escaped = any(value.count(mark) != raw.count(mark) for mark in ("%", "{", "}"))
    return is_escaped or "\\{" in raw or "\\}" in raw or "\\%" in raw


def _call_arguments(node: cst.Call) -> _Arguments | None:
    arguments: dict[int | str, cst.BaseExpression] = {}
    for arg in node.args:
        if arg.star:
            return None
        key = len(arguments) if arg.keyword is None else arg.keyword.value
        arguments[key] = arg.value
    return arguments
