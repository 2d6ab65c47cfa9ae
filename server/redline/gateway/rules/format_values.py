"""The values that a format is given: what is known of them and how they are written."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import libcst as cst

from redline.gateway.rules.format_pieces import Field
from redline.gateway.rules.function_facts import dotted_name
from redline.gateway.rules.known_types import STRING_METHODS, KnownTypes
from redline.gateway.rules.python_source import PythonSource

_SCALARS = frozenset({"int", "float", "complex", "str", "bytes", "bool"})
_STRING_ATTRIBUTES = frozenset({"__name__", "__qualname__", "__module__"})
_BARE = (cst.NamedExpr, cst.Lambda, cst.Yield, cst.GeneratorExp, cst.StarredElement)
_PATH_HEADS = (cst.Name, cst.Attribute, cst.Subscript, cst.Call)

Key = int | str


class Values:
    """What the code around a format tells about its values."""

    def __init__(self, source: PythonSource) -> None:
        self._source = source
        self._types = KnownTypes(source.module)
        # Types by name: parameters' annotations, exceptions bound by handlers.
        self._scopes: list[dict[str, str]] = []

    def enter(self, function: cst.FunctionDef) -> None:
        """Go into a function: its annotated parameters are known."""
        params = function.params
        known = {}
        for param in (*params.posonly_params, *params.params, *params.kwonly_params):
            hint = param.annotation.annotation if param.annotation else None
            known[param.name.value] = (dotted_name(hint) or "") if hint else ""
        self._scopes.append(known)

    def enter_handler(self, handler: cst.ExceptHandler) -> None:
        """Go into an exception handler: what it binds is an exception."""
        bound = handler.name.name if handler.name else None
        known = {bound.value: "Exception"} if isinstance(bound, cst.Name) else {}
        self._scopes.append(known)

    def leave(self) -> None:
        """Come out of the function or handler that was entered last."""
        self._scopes.pop()

    def percent_arguments(
        self, node: cst.BaseExpression
    ) -> Mapping[Key, cst.BaseExpression] | None:
        """Take the right side of `%` apart; None if what it is cannot be known."""
        if isinstance(node, cst.Tuple):
            if any(isinstance(e, cst.StarredElement) for e in node.elements):
                return None
            return dict(enumerate(element.value for element in node.elements))
        if isinstance(node, cst.Dict):
            return _dict_arguments(node)
        return {0: node} if self._is_scalar(node) else None

    def keep_order(
        self, fields: list[Field], arguments: Mapping[Key, cst.BaseExpression]
    ) -> bool:
        """Whether an f-string computes the same values in the same order.

        A value that any code may compute must come after values that this code cannot
        change, once, and where it came before.
        """
        keys = [field.key for field in fields]
        if set(keys) != set(arguments):
            return False
        if all(self._is_plain(value) for value in arguments.values()):
            return True
        if keys != list(arguments):
            return False
        values = list(arguments.values())
        return all(
            self._is_plain(value) or all(map(self._is_scalar, values[:at]))
            for at, value in enumerate(values)
        )

    def field_text(
        self, field: Field, value: cst.BaseExpression, quote: str
    ) -> str | None:
        """Write a value into its field; None if it cannot stand there."""
        text = self._code(value, quote)
        if text is None or (field.path and not isinstance(value, _PATH_HEADS)):
            return None
        suffix = field.suffix
        if field.is_integer:
            if not self._has_type(value, ("int",)):
                return None
            if suffix == ":d" and self._types.type_of(value) == "int":
                suffix = ""
        return f"{text}{field.path}{suffix}"

    def _code(self, value: cst.BaseExpression, quote: str) -> str | None:
        if isinstance(value, _BARE):
            return None
        text = self._source.module.code_for_node(value)
        if any(bad in text for bad in "\\#\n") or text.startswith("{"):
            return None
        if quote not in text:
            return text
        other = "'" if quote == '"' else '"'
        if len(quote) > 1 or other in text:
            return None
        return text.replace(quote, other)

    def _has_type(self, node: cst.BaseExpression, names: Collection[str]) -> bool:
        if isinstance(node, cst.Name):
            for scope in reversed(self._scopes):
                if node.value in scope:
                    return scope[node.value] in names
        return (self._types.type_of(node) or "") in names

    def _is_scalar(self, node: cst.BaseExpression) -> bool:
        """Whether a value is no tuple or dict and cannot be changed."""
        if self._has_type(node, {*_SCALARS, "Exception"}):
            return True
        if isinstance(node, cst.Attribute):
            return node.attr.value in _STRING_ATTRIBUTES
        return _calls_string_method(node)

    def _is_plain(self, node: cst.BaseExpression) -> bool:
        """Whether computing a value runs no code that could change another."""
        match node:
            case cst.Name() | cst.SimpleString() | cst.BaseNumber():
                return True
            case cst.Attribute(value=value):
                return self._is_plain(value)
            case cst.Subscript(value=value, slice=[cst.SubscriptElement(slice=index)]):
                return (
                    isinstance(index, cst.Index)
                    and self._is_plain(value)
                    and self._is_plain(index.value)
                )
            case cst.UnaryOperation(expression=value):
                return self._is_plain(value)
            case cst.BinaryOperation(left=left, right=right):
                return self._is_plain(left) and self._is_plain(right)
            case cst.Call(args=args) if self._types.type_of(node) is not None:
                return all(self._is_plain(arg.value) for arg in args)
            case _:
                return False


def _calls_string_method(node: cst.BaseExpression) -> bool:
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value in STRING_METHODS - {"replace", "format", "title"}
    )


def _dict_arguments(node: cst.Dict) -> Mapping[Key, cst.BaseExpression] | None:
    arguments: dict[Key, cst.BaseExpression] = {}
    for element in node.elements:
        if not isinstance(element, cst.DictElement):
            return None
        key = element.key
        if not isinstance(key, cst.SimpleString) or key.raw_value in arguments:
            return None
        arguments[key.raw_value] = element.value
    return arguments
