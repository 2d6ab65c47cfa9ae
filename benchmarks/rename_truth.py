"""Where a name of a Python module is used, by Python's own compiler.

Written without the rules that the benchmark measures: `symtable` says which scope binds
a name, `ast` where it stands.
"""

from __future__ import annotations

import ast
import re
import symtable
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

Place = tuple[int, int]
"""A line and a column in characters, both from 0."""


@dataclass(frozen=True, slots=True)
class NamedVariable:
    """A variable, parameter, function or class, and all places of its name."""

    name: str
    kind: str
    definition: Place
    uses: tuple[Place, ...]


class _Reader:
    """Collects the places of each name by the scope that binds it."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self.places: dict[tuple[int, str], list[tuple[Place, str]]] = {}
        self.spoilt: set[tuple[int, str]] = set()
        """Names of which not all places are known."""
        self._module = symtable.symtable(text, "module", "exec")
        self._read(ast.parse(text), [self._module])

    def _read(self, node: ast.AST, tables: list[symtable.SymbolTable]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, _SCOPES):
                self._read_scope(child, tables)
                continue
            if isinstance(child, ast.Name):
                kind = "use" if isinstance(child.ctx, ast.Load) else "binding"
                self._add(child.id, self._at(child), kind, tables)
            elif isinstance(child, ast.JoinedStr):
                self._spoil(child, tables)
                continue
            for name in _unplaced(child):
                self._spoil_name(name, tables)
            self._read(child, tables)

    def _read_scope(self, node: ast.AST, tables: list[symtable.SymbolTable]) -> None:
        if isinstance(node, ast.Lambda | _COMPREHENSIONS):
            self._read_loosely(node, tables)
            return
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        outer: list[ast.AST] = list(node.decorator_list)
        arguments: list[ast.arg] = []
        if isinstance(node, ast.ClassDef):
            outer += [*node.bases, *node.keywords]
        else:
            arguments = _arguments(node.args)
            outer += [*_around(node.args), *([node.returns] if node.returns else [])]
        for one in outer:
            self._read(ast.Module([one], []), tables)  # type: ignore[list-item]
        line = self._lines[node.lineno - 1]
        at = (node.lineno - 1, line.find(f" {node.name}") + 1)
        self._add(node.name, at, "definition", tables)
        table = next(
            one
            for one in tables[-1].get_children()
            if one.get_name() == node.name
            and one.get_lineno() in (node.lineno, _first_line(node))
        )
        for arg in arguments:
            self._add(arg.arg, self._at(arg), "definition", [*tables, table])
        self._read(ast.Module(node.body, []), [*tables, table])

    def _read_loosely(self, node: ast.AST, tables: list[symtable.SymbolTable]) -> None:
        """Read a lambda or comprehension: names that it binds have unknown places."""
        inner = list(ast.walk(node))
        own = {one.arg for one in inner if isinstance(one, ast.arg)}
        own |= {
            one.id
            for one in inner
            if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)
        }
        for name in own:
            self._spoil_name(name, tables)
        for one in inner:
            if isinstance(one, ast.JoinedStr):
                self._spoil(one, tables)
            elif isinstance(one, ast.Name) and one.id not in own:
                self._add(one.id, self._at(one), "use", tables)

    def _add(
        self, name: str, at: Place, kind: str, tables: list[symtable.SymbolTable]
    ) -> None:
        key = _home(name, tables).get_id(), name
        line = self._lines[at[0]] if at[0] < len(self._lines) else ""
        if line[at[1] : at[1] + len(name)] != name:
            self.spoilt.add(key)
        else:
            self.places.setdefault(key, []).append((at, kind))

    def _spoil(self, node: ast.AST, tables: list[symtable.SymbolTable]) -> None:
        """Columns in f-strings are wrong before Python 3.12."""
        for one in ast.walk(node):
            if isinstance(one, ast.Name):
                self._spoil_name(one.id, tables)

    def _spoil_name(self, name: str, tables: list[symtable.SymbolTable]) -> None:
        self.spoilt.add((_home(name, tables).get_id(), name))

    def _at(self, node: ast.AST) -> Place:
        line = self._lines[node.lineno - 1]  # type: ignore[attr-defined]
        column: int = node.col_offset  # type: ignore[attr-defined]
        return node.lineno - 1, len(line.encode()[:column].decode())  # type: ignore[attr-defined]


def variables(text: str) -> list[NamedVariable]:
    """Return the variables of a module with one binding and at least one use."""
    reader = _Reader(text)
    found: list[NamedVariable] = []
    for (home, name), places in reader.places.items():
        kinds = Counter(kind for _, kind in places)
        bindings = [at for at, kind in places if kind != "use"]
        if (home, name) in reader.spoilt or len(bindings) != 1 or not kinds["use"]:
            continue
        uses = tuple(sorted(at for at, kind in places if kind == "use"))
        is_written = len(re.findall(rf"\b{re.escape(name)}\b", text)) >= len(places)
        if is_written and len(name) > 1 and not name.startswith("__"):
            kind = "function, class or parameter" if kinds["definition"] else "variable"
            found.append(NamedVariable(name, kind, bindings[0], uses))
    return found


def _home(name: str, tables: list[symtable.SymbolTable]) -> symtable.SymbolTable:
    """Return the table of the scope that binds a name."""
    for number in range(len(tables) - 1, 0, -1):
        table = tables[number]
        if table.get_type() == "class" and number != len(tables) - 1:
            continue
        try:
            symbol = table.lookup(name)
        except KeyError:
            continue
        if symbol.is_global():
            return tables[0]
        if symbol.is_local():
            return table
    return tables[0]


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """Return the line that a table has, which is that of the first decorator."""
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _unplaced(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds or declares without a place of their own."""
    match node:
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names
        case ast.Import() | ast.ImportFrom():
            yield from (one.asname or one.name.split(".")[0] for one in node.names)


def _arguments(args: ast.arguments) -> list[ast.arg]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return every + [one for one in (args.vararg, args.kwarg) if one]


def _around(args: ast.arguments) -> Iterator[ast.AST]:
    """Yield the defaults and annotations, which belong to the scope around."""
    yield from args.defaults
    yield from (one for one in args.kw_defaults if one)
    yield from (one.annotation for one in _arguments(args) if one.annotation)
