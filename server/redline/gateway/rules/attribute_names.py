"""Finds the attributes in a Python file that certainly belong to its own classes.

The owner of an attribute is known if it is accessed on `self` or `cls` in a method, on
a class or a new object by the class's name, on `super()`, or on the other operand of a
comparison method. Otherwise the owner is unknown.
"""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst
from msgspec import Struct, field

from redline.gateway.rules.function_facts import dotted_name, is_name
from redline.gateway.rules.python_source import PythonSource

_COMPARISONS = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})
_BY_STRING = frozenset({"getattr", "setattr", "hasattr", "delattr", "attrgetter"})


class AttributeUse(Struct, frozen=True, kw_only=True):
    """One access to an attribute with one of the names."""

    name: str
    start: int
    end: int
    owner: str | None
    """The class that it belongs to; None: unknown."""
    is_foreign: bool = False
    """Whether it certainly belongs to something imported or to a literal."""
    is_stored: bool = False


class AttributeMap(Struct, frozen=True, kw_only=True):
    """The attributes of some names in a file."""

    uses: list[AttributeUse] = field(default_factory=list)
    bases: dict[str, list[str]] = field(default_factory=dict)
    """The classes of the file and their bases; "" is a base without a name."""
    fields: set[str] = field(default_factory=set)
    """Classes whose annotated names are parameters: dataclasses and the like."""
    by_string: list[int] = field(default_factory=list)
    """Offsets where one of the names is passed to `getattr` or a similar function."""
    pattern_keys: list[int] = field(default_factory=list)
    """Offsets where one of the names is a keyword in a class pattern."""

    def family(self, name: str) -> set[str]:
        """Return the class with its bases, subclasses and siblings in the file."""
        family = {name}
        while True:
            more = {
                other
                for other, bases in self.bases.items()
                if other in family or family & set(bases)
            }
            more |= {b for o in more for b in self.bases[o] if b in self.bases}
            if more <= family:
                return family
            family |= more


def map_attributes(source: PythonSource, names: Collection[str]) -> AttributeMap:
    """Find the uses of attributes with some names."""
    walk = _Walk(source, frozenset(names))
    source.module.visit(walk)
    return walk.found


class _Owner(Struct, frozen=True):
    node: cst.FunctionDef | cst.ClassDef
    receivers: dict[str, str | None]
    """Parameters and the class of their values; None: unknown."""


class _Walk(cst.CSTVisitor):
    def __init__(self, source: PythonSource, names: frozenset[str]) -> None:
        self.found = AttributeMap()
        self._source = source
        self._names = names
        self._owners: list[_Owner] = []
        self._imported: set[str] = set()
        self._stores: set[cst.CSTNode] = set()

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        name = node.name.value
        bases = [_base_name(arg.value) for arg in node.bases]
        self.found.bases[name] = self.found.bases.get(name, []) + bases
        marks = [d.decorator for d in node.decorators]
        called = [m.func if isinstance(m, cst.Call) else m for m in marks]
        words = {(dotted_name(c) or "").rpartition(".")[2] for c in called}
        if (words | set(bases)) & {"dataclass", "NamedTuple", "define", "frozen"}:
            self.found.fields.add(name)
        self._owners.append(_Owner(node, {}))

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._owners.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        params = [*node.params.posonly_params, *node.params.params]
        receivers: dict[str, str | None] = {p.name.value: None for p in params}
        owner = self._owners[-1].node if self._owners else None
        is_static = any(is_name(d.decorator, "staticmethod") for d in node.decorators)
        if isinstance(owner, cst.ClassDef) and not is_static:
            n_known = 2 if node.name.value in _COMPARISONS else 1
            known = [p.name.value for p in params[:n_known]]
            receivers |= dict.fromkeys(known, owner.name.value)
        self._owners.append(_Owner(node, receivers))

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._owners.pop()

    def visit_ImportAlias(self, node: cst.ImportAlias) -> bool:
        bound: cst.BaseExpression = node.asname.name if node.asname else node.name
        while isinstance(bound, cst.Attribute):
            bound = bound.value
        if isinstance(bound, cst.Name):
            self._imported.add(bound.value)
        return False

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._stores.add(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._stores.add(node.target)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if node.attr.value not in self._names:
            return
        start, end = self._source.span(node.attr)
        self.found.uses.append(
            AttributeUse(
                name=node.attr.value,
                start=start,
                end=end,
                owner=self._class_of(node.value),
                is_foreign=self._is_foreign(node.value),
                is_stored=node in self._stores,
            )
        )

    def visit_Call(self, node: cst.Call) -> None:
        name = (dotted_name(node.func) or "").rpartition(".")[2]
        if name not in _BY_STRING:
            return
        for arg in node.args:
            text = (
                arg.value.raw_value if isinstance(arg.value, cst.SimpleString) else ""
            )
            if text in self._names:
                self.found.by_string.append(self._source.span(arg.value)[0])

    def visit_MatchKeywordElement(self, node: cst.MatchKeywordElement) -> None:
        if node.key.value in self._names:
            self.found.pattern_keys.append(self._source.span(node.key)[0])

    def _class_of(self, node: cst.BaseExpression) -> str | None:
        match node:
            case cst.Name(value=name):
                for owner in reversed(self._owners):
                    if name in owner.receivers:
                        return owner.receivers[name]
                return name if name[:1].isupper() else None
            case cst.Call(func=cst.Name(value="super")):
                return self._enclosing_class()
            case cst.Call(func=cst.Name(value=name)) if name[:1].isupper():
                return name
            case _:
                return None

    def _enclosing_class(self) -> str | None:
        for owner in reversed(self._owners):
            if isinstance(owner.node, cst.ClassDef):
                return owner.node.name.value
        return None

    def _is_foreign(self, node: cst.BaseExpression) -> bool:
        while isinstance(node, cst.Attribute):
            node = node.value
        if isinstance(node, cst.Name):
            return node.value in self._imported
        return isinstance(node, cst.BaseString | cst.BaseNumber)


def _base_name(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Subscript):
        node = node.value
    return (dotted_name(node) or "").rpartition(".")[2]
