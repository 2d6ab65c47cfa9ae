"""Reads the names that a scope binds: a module, a class body, a function.

Only statements of the scope itself are read, at any depth of `if`, `try` and loops, not
the contents of nested functions and classes.
"""

from __future__ import annotations

import ast
import functools
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from redline.checks.python.definition import (
    UNCLEAR,
    Class,
    ClassField,
    Contents,
    Definition,
    Function,
    Imported,
    InstanceOf,
    signature_of,
)

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

_Bound = tuple[str, Definition]

_SET_ATTRIBUTE = re.compile(r"\.\s*+(\w++)\s*+(?::[^=\n]{1,200}+)?=(?!=)")
_SETATTR = re.compile(r"\bsetattr\s*+\([^,\n]{1,200}+,\s*+[\"'](\w+)[\"']")
_REBINDING = re.compile(r"^[ \t]*(?:global|nonlocal)\b([^\n#;]+)", re.MULTILINE)
_WALRUS = re.compile(r"\b(\w+)\s*:=")
_WORD = re.compile(r"\w+")

_MAKES_NAMES = (
    "def __getattr__(", "globals()", "vars()", "locals()", "exec(", "execfile(",
    "sys.modules[", "setattr(sys.modules", "setattr(module", "setattr(mod,",
    "setattr(this", "setattr(current", "__getattr__ =", "__getattr__,",
    "lazy.attach(", "lazy_loader.attach", "attach_stub(", "_convert_(", "global_enum",
)  # fmt: skip
"""Signs that a module gets names that its text does not bind. A method `__getattr__`
matches too, which only loses a check."""


def read_scope(body: Iterable[ast.stmt]) -> dict[str, Definition]:
    """Return the definition of each name that the statements bind."""
    names: dict[str, Definition] = {}
    for statement in statements(body):
        for name, definition in _bound_by(statement):
            names[name] = UNCLEAR if name in names else definition
    return names


def read_parameters(arguments: ast.arguments) -> dict[str, Definition]:
    """Return the definitions of a function's parameters in its body."""
    names: dict[str, Definition] = {}
    plain = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
    for parameter in plain:
        maker = dotted_name(parameter.annotation)
        names[parameter.arg] = InstanceOf(maker=maker) if maker else UNCLEAR
    for rest in (arguments.vararg, arguments.kwarg):
        if rest is not None:
            names[rest.arg] = UNCLEAR
    return names


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of one scope in order, including those in its blocks."""
    waiting = list(body)[::-1]
    while waiting:
        statement = waiting.pop()
        yield statement
        if not isinstance(statement, FunctionNode | ast.ClassDef):
            waiting += nested_statements(statement)[::-1]


def all_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements and those in them, of inner functions and classes, too."""
    waiting = list(body)[::-1]
    while waiting:
        statement = waiting.pop()
        yield statement
        waiting += nested_statements(statement)[::-1]


def nested_statements(statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements directly in the blocks of a statement."""
    if isinstance(statement, ast.Match):
        return [one for case in statement.cases for one in case.body]
    if not hasattr(statement, "body"):
        return []
    found: list[ast.stmt] = []
    for field in ("body", "orelse", "finalbody"):
        found += getattr(statement, field, [])
    for handler in getattr(statement, "handlers", []):
        found += handler.body
    return found


def touching(tree: ast.Module, region: range) -> Iterator[ast.stmt]:
    """Yield the statements, of any scope, that touch some lines, outer before inner."""
    waiting = list(tree.body)
    while waiting:
        statement = waiting.pop()
        if overlap(lines_of(statement), region):
            yield statement
            waiting += nested_statements(statement)


def touches(node: ast.AST, lines: range) -> bool:
    """Whether a statement or an expression has a part in some lines, counted from 0.

    A definition begins with its decorators.
    """
    if not isinstance(node, ast.stmt | ast.expr):
        return True
    return overlap(span(node), lines)


def span(node: ast.stmt | ast.expr) -> range:
    """Return the lines of a node, counted from 0, with its decorators."""
    first = node.lineno
    if isinstance(node, FunctionNode | ast.ClassDef) and node.decorator_list:
        first = node.decorator_list[0].lineno
    return range(first - 1, node.end_lineno or node.lineno)


def touches_one(node: ast.AST, lines: Sequence[int]) -> bool:
    """Whether the same holds for one of some lines, which are in order."""
    if not isinstance(node, ast.stmt | ast.expr):
        return True
    own = span(node)
    following = bisect_left(lines, own.start)
    return following < len(lines) and lines[following] < own.stop


def nodes_in(tree: ast.Module, lines: range) -> Iterator[ast.AST]:
    """Yield the nodes that begin in some lines, in the order of `ast.walk`."""
    waiting: deque[ast.AST] = deque([tree])
    while waiting:
        node = waiting.popleft()
        if isinstance(node, ast.stmt) and not touches(node, lines):
            continue
        waiting.extend(ast.iter_child_nodes(node))
        if getattr(node, "lineno", 0) - 1 in lines:
            yield node


def lines_of(node: ast.stmt | ast.expr) -> range:
    """Return the lines of a node, counted from 0, without decorators."""
    return range(node.lineno - 1, node.end_lineno or node.lineno)


def overlap(one: range, other: range) -> bool:
    """Whether two ranges of lines share one."""
    return one.start < other.stop and other.start < one.stop


def dotted_name(node: ast.expr | None) -> str | None:
    """Return a dotted name such as `a.b.c` as written; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def read_function(node: FunctionNode) -> Function:
    """Read a `def`, without its body."""
    return Function(
        signature=signature_of(node.args),
        lines=lines_of(node),
        decorators=tuple(_uncalled_name(d) for d in node.decorator_list),
        is_placeholder=all(_does_nothing(s) for s in node.body),
    )


def read_class(node: ast.ClassDef) -> Class:
    """Read a `class` and its members."""
    metaclass = next((k.value for k in node.keywords if k.arg == "metaclass"), None)
    return Class(
        name=node.name,
        lines=lines_of(node),
        bases=tuple(_unsubscripted_name(base) for base in node.bases),
        metaclass=None if metaclass is None else dotted_name(metaclass) or "",
        decorators=tuple(_uncalled_name(d) for d in node.decorator_list),
        dataclass_options=_options(node.decorator_list),
        fields=_fields(node.body),
        members=read_scope(node.body),
    )


def _bound_by(statement: ast.stmt) -> Iterator[_Bound]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield statement.name, read_function(statement)
        case ast.ClassDef():
            yield statement.name, read_class(statement)
        case ast.Import() | ast.ImportFrom():
            yield from _bound_by_import(statement)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, _made_by(value)
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
            maker = dotted_name(annotation)
            yield name, InstanceOf(maker=maker) if maker else UNCLEAR
        case _:
            yield from ((name, UNCLEAR) for name in _other_names(statement))


def _bound_by_import(statement: ast.Import | ast.ImportFrom) -> Iterator[_Bound]:
    if isinstance(statement, ast.ImportFrom):
        module, level = statement.module or "", statement.level
        for alias in statement.names:
            if alias.name != "*":
                found = Imported(module=module, level=level, name=alias.name)
                yield alias.asname or alias.name, found
        return
    for alias in statement.names:
        top = alias.name.partition(".")[0]
        found = Imported(module=alias.name if alias.asname else top)
        yield alias.asname or top, found


def _made_by(value: ast.expr) -> Definition:
    maker = dotted_name(value.func) if isinstance(value, ast.Call) else None
    return InstanceOf(maker=maker) if maker else UNCLEAR


def _other_names(statement: ast.stmt) -> Iterator[str]:
    """Yield names bound by assignments, loops, `with`, `except`, `del`, patterns."""
    for part in _binding_parts(statement):
        for node in ast.walk(part):
            match node:
                case ast.Name(ctx=ast.Store() | ast.Del(), id=name):
                    yield name
                case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                    yield name
                case ast.MatchMapping(rest=str(name)):
                    yield name
    for handler in getattr(statement, "handlers", []):
        if handler.name:
            yield handler.name


def _binding_parts(statement: ast.stmt) -> list[ast.AST]:
    match statement:
        case ast.Assign() | ast.Delete():
            return list(statement.targets)
        case ast.AugAssign() | ast.AnnAssign() | ast.For() | ast.AsyncFor():
            return [statement.target]
        case ast.With() | ast.AsyncWith():
            return [i.optional_vars for i in statement.items if i.optional_vars]
        case ast.Match():
            return [case.pattern for case in statement.cases]
        case _ if type(statement).__name__ == "TypeAlias":
            # Python 3.12 and later: `type X = int`.
            return [part for _, part in ast.iter_fields(statement) if _is_name(part)]
        case _:
            return []


def _is_name(part: object) -> bool:
    return isinstance(part, ast.Name)


def _uncalled_name(decorator: ast.expr) -> str | None:
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    return dotted_name(decorator)


def _unsubscripted_name(base: ast.expr) -> str | None:
    if isinstance(base, ast.Subscript):
        base = base.value
    return dotted_name(base)


def _options(decorators: list[ast.expr]) -> dict[str, bool | None]:
    calls = [d for d in decorators if isinstance(d, ast.Call)]
    if not calls:
        return {}
    return {k.arg or "**": _literal(k.value) for k in calls[-1].keywords}


def _literal(value: ast.expr) -> bool | None:
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        return value.value
    return None


def _does_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Raise() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Return(value=None | ast.Constant() | ast.Name(id="NotImplemented")):
            return True
    return False


def _fields(body: list[ast.stmt]) -> tuple[ClassField, ...] | None:
    fields: list[ClassField] = []
    is_keyword_only: bool | None = None
    for statement in body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=value):
                last = (_annotation_name(kind) or "").rpartition(".")[2]
                if last == "KW_ONLY":
                    is_keyword_only = True
                elif last != "ClassVar":
                    field = _field(name, value, is_keyword_only)
                    if field is None:
                        return None
                    fields.append(field)
            case ast.If() | ast.For() | ast.Try() | ast.With():
                return None
    return tuple(fields)


def _annotation_name(kind: ast.expr) -> str | None:
    if isinstance(kind, ast.Constant) and isinstance(kind.value, str):
        return kind.value.partition("[")[0].strip()
    return _unsubscripted_name(kind)


def _field(
    name: str, value: ast.expr | None, is_keyword_only: bool | None
) -> ClassField | None:
    """Return a field as a call in its value declares it; None if uncertain."""
    is_initialized: bool | None = True
    has_default = value is not None
    if isinstance(value, ast.Call):
        options = {k.arg or "**": _literal(k.value) for k in value.keywords}
        if "**" in options or None in (
            options.get("init", 1),
            options.get("kw_only", 1),
        ):
            return None
        is_initialized = options.get("init", True)
        is_keyword_only = options.get("kw_only", is_keyword_only)
        is_field = (dotted_name(value.func) or "").rpartition(".")[2] == "field"
        has_default = not is_field or not options.keys().isdisjoint(
            ("default", "default_factory", "factory")
        )
    return ClassField(
        has_default=has_default,
        name=name,
        is_initialized=is_initialized is not False,
        is_keyword_only=is_keyword_only,
    )


@functools.lru_cache(maxsize=2)
def read_contents(text: str, tree: ast.Module) -> Contents:
    """Read a module.

    The last two are cached, because several rules read the same candidate.

    Args:
        text: The whole file.
        tree: Its syntax tree.
    """
    names = read_scope(tree.body)
    # Most texts have none of these, and a search for a plain word is much faster.
    walrus = _WALRUS.findall(text) if ":=" in text else []
    by_name = _SETATTR.findall(text) if "setattr" in text else []
    for name in rebound_names(text).union(walrus):
        names[name] = UNCLEAR
    return Contents(
        names=names,
        stars=_stars(tree),
        is_open=any(sign in text for sign in _MAKES_NAMES),
        set_attributes=frozenset(_SET_ATTRIBUTE.findall(text) + by_name),
    )


def rebound_names(text: str) -> set[str]:
    """Return the names that a function or a class of a file sets outside of itself."""
    if "global" not in text and "nonlocal" not in text:
        return set()
    return {name for found in _REBINDING.findall(text) for name in _WORD.findall(found)}


def _stars(tree: ast.Module) -> tuple[Imported, ...]:
    return tuple(
        Imported(module=statement.module or "", level=statement.level)
        for statement in statements(tree.body)
        if isinstance(statement, ast.ImportFrom)
        and any(alias.name == "*" for alias in statement.names)
    )
