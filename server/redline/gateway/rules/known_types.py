"""Infers types of expressions where only one type is possible.

A result of `None` means "not certain"; the type None is written "None".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import libcst as cst

from redline.gateway.rules.function_facts import descendants, dotted_name
from redline.gateway.rules.name_scopes import names_in_target

BUILTIN_CALLS = {
    **dict.fromkeys(("isinstance", "issubclass", "callable", "hasattr"), "bool"),
    **dict.fromkeys(("any", "all", "bool"), "bool"),
    **dict.fromkeys(("len", "ord", "hash", "id", "int"), "int"),
    **dict.fromkeys(("str", "repr", "ascii", "chr", "hex", "oct", "bin"), "str"),
    **dict.fromkeys(("format", "input"), "str"),
    "float": "float",
    "bytes": "bytes",
}
"""Return types of builtins that do not depend on the arguments."""

STRING_METHODS = frozenset(
    {
        "capitalize", "casefold", "center", "expandtabs", "format", "format_map",
        "join", "ljust", "lower", "lstrip", "removeprefix", "removesuffix", "replace",
        "rjust", "rstrip", "strip", "swapcase", "title", "translate", "upper", "zfill",
    }
)  # fmt: skip
"""Methods of `str` that return `str`."""

_ARRAY_LIBRARIES = frozenset(
    {
        "cupy", "dask", "jax", "numpy", "pandas", "peewee", "polars", "pony", "pyspark",
        "sqlalchemy", "sqlmodel", "sympy", "tensorflow", "torch", "xarray", "z3",
    }
)  # fmt: skip
"""Packages whose `==` and `<` return arrays or expressions, not booleans."""

_TYPE_NAME = re.compile(r"\w+")
_NUMBERS = {cst.Integer: "int", cst.Float: "float", cst.Imaginary: "complex"}


class KnownTypes:
    """Infers types, given the names that a file binds."""

    def __init__(self, module: cst.Module) -> None:
        self._bound, imported = _read_names(module)
        self._has_arrays = bool(imported & _ARRAY_LIBRARIES)

    def is_builtin(self, name: str) -> bool:
        """Whether the file never rebinds the name of a builtin."""
        return name not in self._bound

    def type_of(self, node: cst.BaseExpression | None) -> str | None:
        """Return an expression's builtin type; None if it is not certain."""
        return self._usable(self._type_of(node))

    def common(self, nodes: Collection[cst.BaseExpression | None]) -> str | None:
        """Return the common type of some expressions; None if it is not certain."""
        return self._usable(self._common(nodes))

    def _usable(self, name: str | None) -> str | None:
        """Return the type, or None if the file rebinds its name."""
        words = _TYPE_NAME.findall(name or "")
        return name if all(map(self.is_builtin, words)) else None

    def _type_of(self, node: cst.BaseExpression | None) -> str | None:
        match node:
            case None | cst.Name(value="None"):
                return "None"
            case cst.Name(value="True" | "False"):
                return "bool"
            case cst.Integer() | cst.Float() | cst.Imaginary():
                return _NUMBERS[type(node)]
            case cst.SimpleString() | cst.ConcatenatedString():
                return "bytes" if "b" in _prefix(node) else "str"
            case cst.FormattedString():
                return "str"
            case cst.UnaryOperation() | cst.BinaryOperation() | cst.Comparison():
                return self._type_of_operation(node)
            case cst.BooleanOperation(left=left, right=right):
                return self._common([left, right])
            case cst.IfExp(body=body, orelse=orelse):
                return self._common([body, orelse])
            case cst.Call():
                return self._type_of_call(node)
            case _:
                return self._type_of_display(node)

    def _type_of_operation(
        self, node: cst.UnaryOperation | cst.BinaryOperation | cst.Comparison
    ) -> str | None:
        match node:
            case cst.UnaryOperation(operator=cst.Not()):
                return "bool"
            case cst.UnaryOperation(operator=cst.Minus() | cst.Plus()):
                name = self._type_of(node.expression)
                return name if name in ("int", "float", "complex") else None
            case cst.Comparison():
                sure = (cst.In, cst.NotIn, cst.Is, cst.IsNot)
                is_sure = all(isinstance(c.operator, sure) for c in node.comparisons)
                # A chained comparison stops at the first false part.
                is_sure = is_sure and len(node.comparisons) == 1
                return "bool" if is_sure or not self._has_arrays else None
            case cst.BinaryOperation(operator=cst.Modulo()):
                return "str" if self._type_of(node.left) == "str" else None
            case cst.BinaryOperation(operator=cst.Add()):
                parts = {self._type_of(node.left), self._type_of(node.right)}
                return "str" if parts == {"str"} else None
            case _:
                return None

    def _type_of_call(self, node: cst.Call) -> str | None:
        name = dotted_name(node.func)
        if name is not None and self.is_builtin(name):
            return BUILTIN_CALLS.get(name)
        if isinstance(node.func, cst.Attribute):
            is_string = self._type_of(node.func.value) == "str"
            if is_string and node.func.attr.value in STRING_METHODS:
                return "str"
        return None

    def _type_of_display(self, node: cst.BaseExpression) -> str | None:
        match node:
            case cst.List(elements=elements) | cst.Set(elements=elements):
                items = self._items(elements)
                inner = self._common(items) if items else None
                kind = "list" if isinstance(node, cst.List) else "set"
                return f"{kind}[{inner}]" if inner else None
            case cst.Tuple(elements=elements):
                items = self._items(elements)
                inners = [self._type_of(item) for item in items or ()]
                if not inners or None in inners:
                    return None
                return f"tuple[{', '.join(filter(None, inners))}]"
            case cst.ListComp(elt=elt) | cst.SetComp(elt=elt):
                inner = self._type_of(elt)
                kind = "list" if isinstance(node, cst.ListComp) else "set"
                return f"{kind}[{inner}]" if inner else None
            case cst.Dict(elements=elements):
                return self._type_of_dict(elements)
            case _:
                return None

    def _type_of_dict(self, elements: Sequence[cst.BaseDictElement]) -> str | None:
        pairs = [e for e in elements if isinstance(e, cst.DictElement)]
        if not pairs or len(pairs) < len(elements):
            return None
        key = self._common([pair.key for pair in pairs])
        value = self._common([pair.value for pair in pairs])
        return f"dict[{key}, {value}]" if key and value else None

    def _items(
        self, elements: Sequence[cst.BaseElement]
    ) -> list[cst.BaseExpression] | None:
        items = [e.value for e in elements if isinstance(e, cst.Element)]
        return items if len(items) == len(elements) else None

    def _common(self, nodes: Collection[cst.BaseExpression | None]) -> str | None:
        names = {self._type_of(node) for node in nodes}
        return names.pop() if len(names) == 1 else None


def _prefix(node: cst.SimpleString | cst.ConcatenatedString) -> str:
    while isinstance(node, cst.ConcatenatedString):
        left = node.left
        if isinstance(left, cst.FormattedString):
            return ""
        assert isinstance(left, cst.SimpleString | cst.ConcatenatedString)
        node = left
    return node.prefix.lower()


def _read_names(module: cst.Module) -> tuple[set[str], set[str]]:
    """Return the names that a file binds anywhere, and the packages it imports."""
    bound: set[str] = set()
    imported: set[str] = set()
    for node in descendants(module):
        match node:
            case (
                cst.FunctionDef(name=target)
                | cst.ClassDef(name=target)
                | cst.Param(name=target)
                | cst.AsName(name=target)
                | cst.AssignTarget(target=target)
                | cst.AnnAssign(target=target)
                | cst.NamedExpr(target=target)
                | cst.For(target=target)
                | cst.CompFor(target=target)
            ):
                bound.update(name.value for name in names_in_target(target))
            case cst.Import(names=aliases):
                for alias in aliases:
                    package = (dotted_name(alias.name) or "").partition(".")[0]
                    imported.add(package)
                    if alias.asname is None:
                        bound.add(package)
            case cst.ImportFrom(module=source, names=names):
                if source is not None:
                    imported.add((dotted_name(source) or "").partition(".")[0])
                if not isinstance(names, cst.ImportStar):
                    bound.update(dotted_name(alias.name) or "" for alias in names)
    return bound, imported
