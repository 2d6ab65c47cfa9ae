"""The types of a module: what its classes have, and what its functions take and return.

The same reader reads the stubs of the standard library, for the table that
`benchmarks/python_types.py` writes, and the sources of the workspace. A type is the
dotted name that is written in the module; empty: not known. Of its arguments only those
of a collection stay: `list[Plan]`, and `dict[str, Plan]`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from redline.checks.python.scope import (
    FunctionNode,
    all_statements,
    dotted_name,
    nested_statements,
    touches_one,
)
from redline.syntax.word_set import word_set
from redline.text.whole_words import lines_with

_WRAPPERS = word_set("Optional Annotated Final ClassVar Required NotRequired")
_SERIES = word_set(
    "list List set Set frozenset FrozenSet AbstractSet deque Deque Sequence Iterable"
    " MutableSequence MutableSet Collection Iterator Generator Reversible"
    " AsyncIterable AsyncIterator AsyncGenerator"
)
_MAPPINGS = word_set(
    "dict Dict Mapping MutableMapping OrderedDict defaultdict DefaultDict"
)
_KEEPS_TYPE = word_set(
    "overload staticmethod classmethod abstractmethod final deprecated override"
    " type_check_only disjoint_base coroutine"
)
_PLAIN_CLASS = word_set(
    "final runtime_checkable total_ordering deprecated type_check_only dataclass"
    " disjoint_base"
)
OPERATORS = word_set("__add__ __sub__ __mul__ __truediv__ __floordiv__")
_ADDS_MEMBERS = word_set("__getattr__ __getattribute__")
_OPENING = word_set("setattr vars locals update_wrapper __dict__")
"""What a method may set fields of its object with."""


_SETTING = (
    ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete | ast.For | ast.AsyncFor
    | ast.With | ast.AsyncWith
)  # fmt: skip
"""Statements that may set a field."""


class Value(Struct, frozen=True, array_like=True, tag="v"):
    """A variable, a field or a property."""

    kind: str = ""
    """Its type; with `()` at the end: what a call of that name returns."""
    since: int = 0
    """The minor version of Python 3 that added it; 0: an old one."""


class Callable(Struct, frozen=True, array_like=True, tag="f"):
    """A function or a method."""

    name: str = ""
    returns: str = ""
    keywords: tuple[str, ...] | None = None
    """The arguments that may be given by name; None: any."""
    since: int = 0
    is_async: bool = False
    named: tuple[str, ...] = ()
    """Those that are declared by name, if `keywords` is None."""
    by_argument: Mapping[str, str] = {}
    """For operators with overloads: the result by the type of the other operand."""


class ClassType(Struct, frozen=True, array_like=True, tag="c"):
    """A class."""

    name: str
    bases: tuple[str, ...] = ()
    members: Mapping[str, Value | Callable | ClassType] = {}
    is_open: bool = False
    """Whether instances may have members that are not listed."""
    has_metaclass: bool = False
    since: int = 0


class ImportedName(Struct, frozen=True, array_like=True, tag="i"):
    """A name that an import binds; without a name, a module."""

    module: str
    level: int = 0
    name: str = ""


Entry = Value | Callable | ClassType | ImportedName


class ModuleTypes(Struct, frozen=True, array_like=True):
    """The names of a module at its top level."""

    entries: Mapping[str, Entry]
    stars: tuple[ImportedName, ...] = ()
    is_open: bool = False


def read_module_types(text: str, tree: ast.Module) -> ModuleTypes:
    """Read a stub or a source.

    Args:
        text: The whole file.
        tree: Its syntax tree.
    """
    opening = sorted(line for word in _OPENING for line in lines_with(text, word))
    entries: dict[str, Entry] = {}
    stars: list[ImportedName] = []
    for statement, since in _statements(tree.body, 0):
        match statement:
            case ast.Import() | ast.ImportFrom():
                for name, imported in imported_names(statement):
                    if name == "*":
                        stars.append(imported)
                    else:
                        _add(entries, name, imported)
            case _:
                for name, entry in _bound(statement, since, opening=opening):
                    _add(entries, name, entry)
    is_open = "__getattr__" in entries
    return ModuleTypes(entries, tuple(stars), is_open)


def imported_names(
    statement: ast.Import | ast.ImportFrom,
) -> Iterator[tuple[str, ImportedName]]:
    """Yield the names that an import binds; `*` for all names of a module."""
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            name = alias.asname or alias.name
            module = statement.module or ""
            yield name, ImportedName(module, statement.level, alias.name)
        else:
            top = alias.name.partition(".")[0]
            found = ImportedName(alias.name if alias.asname else top)
            yield alias.asname or top, found


def simple_type(node: ast.expr | None) -> str:
    """Return the type that an annotation names, without None."""
    match node:
        case ast.Constant(value=str() as text):
            try:
                return simple_type(ast.parse(text.strip(), mode="eval").body)
            except (SyntaxError, ValueError):
                return ""
        case ast.Name() | ast.Attribute():
            return dotted_name(node) or ""
        case ast.Subscript(value=outer, slice=inner):
            name = dotted_name(outer) or ""
            last = name.rpartition(".")[2]
            if last in _WRAPPERS:
                first = inner.elts[0] if isinstance(inner, ast.Tuple) else inner
                return simple_type(first)
            if last == "Union" and isinstance(inner, ast.Tuple):
                return _only(inner.elts)
            return name + _elements(last, inner)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _only([left, right])
    return ""


def _elements(name: str, inner: ast.expr) -> str:
    """Return the argument of a series, or the two of a mapping, in brackets."""
    given = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name in _MAPPINGS and len(given) == 2:
        return f"[{simple_type(given[0])},{simple_type(given[1])}]"
    match name, given:
        case "tuple" | "Tuple", [_, ast.Constant(value=value)] if value is ...:
            is_series = True
        case _:
            is_series = name in _SERIES
    element = simple_type(given[0]) if is_series else ""
    return f"[{element}]" if element else ""


def _only(options: Iterable[ast.expr]) -> str:
    """Return the type of the only option that is not None."""
    rest = [
        one
        for one in options
        if not (isinstance(one, ast.Constant) and one.value is None)
    ]
    return simple_type(rest[0]) if len(rest) == 1 else ""


def _add(entries: dict[str, Entry], name: str, entry: Entry) -> None:
    known = entries.get(name)
    entries[name] = entry if known is None else _joined(known, entry)


def _joined(one: Entry, other: Entry) -> Entry:
    """Return what a name is that is bound twice, such as by overloads."""
    if one == other:
        return one
    since = min(getattr(one, "since", 0), getattr(other, "since", 0))
    if isinstance(one, Callable) and isinstance(other, Callable):
        is_any = one.keywords is None or other.keywords is None
        names = (*(one.keywords or ()), *(other.keywords or ()))
        return Callable(
            name=one.name,
            named=tuple(dict.fromkeys((*one.named, *other.named))),
            returns=_shared(one.returns, other.returns),
            keywords=None if is_any else tuple(dict.fromkeys(names)),
            since=since,
            is_async=one.is_async and other.is_async,
            by_argument={**one.by_argument, **other.by_argument},
        )
    if isinstance(one, Value) and isinstance(other, Value):
        return Value(_shared(one.kind, other.kind), since)
    if isinstance(one, ClassType) and isinstance(other, ClassType):
        # One for each version or platform.
        return ClassType(
            one.name,
            tuple(dict.fromkeys((*one.bases, *other.bases))),
            {**other.members, **one.members},
            one.is_open or other.is_open,
            one.has_metaclass or other.has_metaclass,
            since,
        )
    return Value("", since)


def _shared(one: str, other: str) -> str:
    """Return what two types have in common: all, or the collection."""
    if one == other:
        return one
    name = one.partition("[")[0]
    return name if name == other.partition("[")[0] else ""


def _statements(body: Iterable[ast.stmt], since: int) -> Iterator[tuple[ast.stmt, int]]:
    """Yield the statements of a scope, each with the version that it asks for."""
    for statement in body:
        if isinstance(statement, ast.If):
            first, other = _asked(statement.test)
            yield from _statements(statement.body, max(first, since))
            yield from _statements(statement.orelse, max(other, since))
        else:
            yield statement, since
            if not isinstance(statement, FunctionNode | ast.ClassDef):
                yield from _statements(nested_statements(statement), since)


def _asked(test: ast.expr) -> tuple[int, int]:
    """Return the versions that a condition and its other case ask for."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            return max(_asked(one)[0] for one in values), 0
        case ast.Compare(
            left=ast.Attribute(attr="version_info"),
            ops=[ast.GtE() | ast.Lt() as compared],
            comparators=[ast.Tuple(elts=[_, ast.Constant(value=int() as minor), *_])],
        ):
            return (minor, 0) if isinstance(compared, ast.GtE) else (0, minor)
    return 0, 0


def _bound(
    statement: ast.stmt, since: int, *, opening: Sequence[int]
) -> Iterator[tuple[str, Value | Callable | ClassType]]:
    match statement:
        case ast.ClassDef(name=name):
            yield name, _class(statement, since, opening=opening)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, _function(statement, since)
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
            yield name, Value(simple_type(annotation), since)
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                for name in _names(target):
                    is_plain = isinstance(target, ast.Name)
                    yield (
                        name,
                        Value(set_type(value, {}) if is_plain else "", since),
                    )
        case _:
            for child in ast.iter_child_nodes(statement):
                for name in _names(child):
                    yield name, Value("", since)


def _names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a part of a statement binds, without its blocks."""
    match node:
        case ast.ExceptHandler(name=str(name)):
            yield name
        case ast.match_case(pattern=pattern):
            yield from _names(pattern)
        case ast.expr() | ast.withitem() | ast.pattern():
            for inner in ast.walk(node):
                match inner:
                    case (
                        ast.Name(id=name, ctx=ast.Store() | ast.Del())
                        | ast.MatchAs(name=str(name))
                        | ast.MatchStar(name=str(name))
                        | ast.MatchMapping(rest=str(name))
                    ):
                        yield name


def set_type(value: ast.expr, parameters: Mapping[str, str]) -> str:
    """Return the type of a value that is assigned, as far as its form shows it."""
    match value:
        case ast.Call(func=called):
            name = dotted_name(called)
            return f"{name}()" if name else ""
        case ast.Name(id=name):
            return parameters.get(name, "")
        case ast.Constant(value=str() | bytes()):
            return type(value.value).__name__
        case ast.JoinedStr():
            return "str"
        case ast.Dict() | ast.DictComp():
            return "dict"
        case ast.List() | ast.ListComp():
            return "list"
        case ast.Set() | ast.SetComp():
            return "set"
    return ""


def _class(node: ast.ClassDef, since: int, *, opening: Sequence[int]) -> ClassType:
    """Read a class.

    Args:
        node: Its statement.
        since: The minor version that added it.
        opening: The lines with a word that may set fields by their names.
    """
    members: dict[str, Entry] = {}
    is_open = any(
        last_name(one) not in _PLAIN_CLASS for one in node.decorator_list
    ) or not all(map(_base, node.bases))
    declared: set[str] = set()
    metaclass = next((k.value for k in node.keywords if k.arg == "metaclass"), None)
    for statement, newer in _statements(node.body, since):
        for name, entry in _bound(statement, newer, opening=opening):
            _add(members, name, entry)
            if isinstance(statement, ast.AnnAssign):
                declared.add(name)
        if isinstance(statement, FunctionNode):
            _add_fields(members, statement, declared)
            is_open |= touches_one(statement, opening) and _opens(statement)
    return ClassType(
        node.name,
        tuple(map(_base, node.bases)),
        {k: v for k, v in members.items() if not isinstance(v, ImportedName)},
        is_open or not _ADDS_MEMBERS.isdisjoint(members),
        metaclass is not None and last_name(metaclass) != "ABCMeta",
        since,
    )


def _base(node: ast.expr) -> str:
    return dotted_name(node.value if isinstance(node, ast.Subscript) else node) or ""


def last_name(node: ast.expr) -> str:
    """Return the last word of a dotted name, also of one that is called."""
    called = node.func if isinstance(node, ast.Call) else node
    return (dotted_name(called) or "").rpartition(".")[2]


def _add_fields(
    members: dict[str, Entry], method: FunctionNode, declared: set[str]
) -> None:
    """Add the fields that a method sets by their names in the code."""
    given = _given(method)
    if not given:
        return
    own = given[0].arg
    parameters = {one.arg: simple_type(one.annotation) for one in given}
    # Statements only: to walk all expressions takes ten times as long.
    for node in all_statements(method.body):
        match node:
            case ast.AnnAssign(
                target=ast.Attribute(value=ast.Name(id=owner), attr=name),
                annotation=kind,
            ) if owner == own:
                members[name] = Value(simple_type(kind))
                declared.add(name)
                continue
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner), attr=name)],
                value=value,
            ) if owner == own:
                if name not in declared:
                    _add(members, name, Value(set_type(value, parameters)))
                continue
        for name in _set_fields(node, own):
            if name not in declared:
                _add(members, name, Value())


def _set_fields(node: ast.stmt, own: str) -> Iterator[str]:
    """Yield the fields of an object that a statement sets in another way."""
    for child in ast.iter_child_nodes(node) if isinstance(node, _SETTING) else ():
        if isinstance(child, ast.withitem):
            child = child.optional_vars or child.context_expr
        if not isinstance(child, ast.Attribute | ast.Tuple | ast.List):
            continue
        for inner in ast.walk(child):
            match inner:
                case ast.Attribute(
                    value=ast.Name(id=owner), attr=name, ctx=ast.Store() | ast.Del()
                ) if owner == own:
                    yield name


def _given(method: FunctionNode) -> list[ast.arg]:
    arguments = method.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _opens(method: FunctionNode) -> bool:
    """Whether a method may give its object fields by names that only running shows."""
    values = (
        statement.value
        for statement in all_statements(method.body)
        if isinstance(statement, ast.Expr | ast.Assign)
    )
    return bool(_given(method)) and any(
        (isinstance(one, ast.Attribute) and one.attr == "__dict__")
        or (isinstance(one, ast.Name) and one.id in _OPENING)
        for value in values
        if isinstance(value, ast.Call | ast.Attribute)
        for one in ast.walk(value)
    )


def _function(node: FunctionNode, since: int) -> Value | Callable:
    decorators = [last_name(one) for one in node.decorator_list]
    returns = simple_type(node.returns)
    if any("property" in one for one in decorators):
        return Value(returns, since)
    if any(one not in _KEEPS_TYPE for one in decorators):
        return Value("", since)
    arguments = node.args
    plain = (one.arg for one in (*arguments.args, *arguments.kwonlyargs))
    named = tuple(one for one in plain if not one.startswith("__"))
    operand = arguments.args[1:] or arguments.posonlyargs[1:]
    is_operator = node.name in OPERATORS and "overload" in decorators and operand
    return Callable(
        name=node.name,
        returns=returns,
        keywords=None if arguments.kwarg else named,
        since=since,
        is_async=isinstance(node, ast.AsyncFunctionDef),
        named=named if arguments.kwarg else (),
        by_argument={simple_type(operand[0].annotation): returns}
        if is_operator
        else {},
    )
