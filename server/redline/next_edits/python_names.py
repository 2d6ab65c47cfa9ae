"""Which variable a name in Python code means, from tokens alone.

A name is looked up in the scopes around it as Python does: functions and the module,
and a class body only for its own statements. Where the tokens do not decide it (names
of lambdas, comprehensions and patterns), the use is `unsure` and never offered.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import Literal

from msgspec import Struct, field

from redline.next_edits.tokens import CLOSING, OPENING, Token, with_depth

Role = Literal[
    "bind", "aug", "use", "param", "global", "nonlocal", "attribute", "keyword",
    "unsure",
]  # fmt: skip

AUGMENTED = frozenset(
    ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", "<<=", ">>="]
)
_COMPOUND = frozenset(
    [
        "if",
        "elif",
        "else",
        "while",
        "for",
        "with",
        "try",
        "except",
        "finally",
        "def",
        "class",
        "async",
        "match",
        "case",
    ]
)


class PythonScope(Struct, eq=False):
    """The module, a function or a class."""

    kind: Literal["module", "def", "class"]
    name: str = ""
    parent: PythonScope | None = None
    has_bases: bool = False
    """Of a class: whether it inherits names that are not in sight."""
    depth: int = -1
    """Columns of its header's indentation."""

    def around(self) -> Iterator[PythonScope]:
        """Yield it and the scopes around it, the innermost first."""
        scope: PythonScope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def enclosing_class(self) -> PythonScope | None:
        """Return the innermost class around it."""
        return next((one for one in self.around() if one.kind == "class"), None)


class NameUse(Struct, frozen=True):
    token: Token
    role: Role
    scope: PythonScope
    """Where it is looked up, or bound."""
    receiver: str = ""
    """Of an attribute: the name before the dot."""
    reads_itself: bool = False
    """Whether the statement that binds it also reads it."""


class PythonFunction(Struct, frozen=True):
    """A `def` and its parameters."""

    name: Token
    scope: PythonScope
    """The scope that it is defined in."""
    parameters: tuple[str, ...]
    required: tuple[str, ...]
    """The parameters without a default, and without `*`."""
    is_async: bool
    body: PythonScope


class PythonNames(Struct, dict=True):
    """The uses of some names in some parts of a module."""

    module: PythonScope = field(default_factory=lambda: PythonScope("module"))
    uses: list[NameUse] = field(default_factory=list)
    functions: list[PythonFunction] = field(default_factory=list)
    statements: list[tuple[PythonScope, list[Token]]] = field(default_factory=list)
    """All simple statements and headers, with their scope."""

    def home(self, use: NameUse) -> PythonScope:
        """Return the scope whose variable a use means; the module if none binds it."""
        is_first = True
        name = use.token.text
        for scope in use.scope.around():
            if scope.kind == "class" and not is_first:
                continue
            how = self._bindings.get((scope, name))
            if how == "global":
                return self.module
            if how == "bind":
                return scope
            is_first = False
        return self.module

    def binds(self, scope: PythonScope, name: str) -> bool:
        return self._bindings.get((scope, name)) == "bind"

    @cached_property
    def _bindings(self) -> dict[tuple[PythonScope, str], Role]:
        """How each scope binds or declares each name; a declaration decides."""
        found: dict[tuple[PythonScope, str], Role] = {}
        for one in self.uses:
            key = one.scope, one.token.text
            if one.role in ("global", "nonlocal"):
                found[key] = one.role
            elif one.role in ("bind", "param", "aug"):
                found.setdefault(key, "bind")
        return found


def read_names(parts: Iterable[list[Token]], names: Collection[str]) -> PythonNames:
    """Find the uses of names.

    Args:
        parts: Tokens of parts of a module, each from its first column.
        names: The names.
    """
    read = PythonNames()
    for part in parts:
        scope = read.module
        for depth, line in _logical_lines(part):
            while depth <= scope.depth and scope.parent is not None:
                scope = scope.parent
            scope = _read_line(line, depth, scope, read, names)
    return read


def _logical_lines(part: list[Token]) -> Iterator[tuple[int, list[Token]]]:
    """Yield the depth and the tokens of each logical line."""
    depth = column = n_open = 0
    line: list[Token] = []
    is_start = True
    for one in part:
        if one.kind == "end":
            is_start, column = True, 0
            is_over = n_open <= 0 and line and line[-1].text != "\\"
        else:
            # A bracket that is not closed yet ends with the next definition.
            is_over = is_start and bool(line) and one.text in ("def", "class", "@")
        if is_over:
            yield depth, line
            line, n_open = [], 0
        if one.kind == "blank" and is_start:
            column = len(one.text.expandtabs(8))
            continue
        if one.kind in ("end", "blank", "comment"):
            continue
        is_start = False
        depth = depth if line else column
        line.append(one)
        if one.kind == "op":
            n_open += (one.text in OPENING) - (one.text in CLOSING)
    if line:
        yield depth, line


def _read_line(
    line: list[Token],
    depth: int,
    scope: PythonScope,
    read: PythonNames,
    names: Collection[str],
) -> PythonScope:
    """Read one logical line; return the scope of the lines that follow."""
    while line:
        header_end = _header_end(line)
        if header_end:
            header, line = line[:header_end], line[header_end:]
            at = 1 if header[0].text == "async" else 0
            kind = header[at].text
            if kind in ("def", "class") and len(header) > at + 1:
                scope = _read_definition(header, at, depth, scope, read, names)
                continue
            read.statements.append((scope, header))
            read.uses += _uses(header, scope, names)
            continue
        end = _index(line, ";")
        statement, line = line[:end], line[end + 1 :]
        read.statements.append((scope, statement))
        read.uses += _uses(statement, scope, names)
    return scope


def _header_end(line: list[Token]) -> int:
    """Return how many tokens the header of a compound statement has; else 0."""
    if line[0].text not in _COMPOUND:
        return 0
    n_lambda = 0
    for number, (n_open, one) in enumerate(with_depth(line)):
        if one.text == ":" and n_open == 0:
            if n_lambda == 0:
                return number + 1
            n_lambda -= 1
        elif one.text == "lambda" and n_open == 0:
            n_lambda += 1
    return 0


def _index(line: list[Token], op: str) -> int:
    """Return the index of an operator outside of brackets, or the length."""
    for number, (n_open, one) in enumerate(with_depth(line)):
        if n_open == 0 and one.text == op:
            return number
    return len(line)


def _read_definition(
    header: list[Token],
    at: int,
    depth: int,
    scope: PythonScope,
    read: PythonNames,
    names: Collection[str],
) -> PythonScope:
    name = header[at + 1]
    is_class = header[at].text == "class"
    inner = PythonScope(
        "class" if is_class else "def",
        name=name.text,
        parent=scope,
        has_bases=is_class and any(t.kind == "name" for t in header[at + 2 :]),
        depth=depth,
    )
    if name.text in names:
        read.uses.append(NameUse(name, "bind", scope))
    read.statements.append((scope, header))
    rest = header[at + 2 :]
    if is_class:
        read.uses += _uses(rest, scope, names)
        return inner
    parameters: list[str] = []
    required: list[str] = []
    others: list[Token] = []
    for number, (n_open, one) in enumerate(with_depth(rest)):
        before = rest[number - 1].text if number else ""
        is_parameter = (
            one.kind == "name" and n_open == 1 and before in ("(", ",", "*", "**")
        )
        if not is_parameter:
            others.append(one)
            continue
        others.append(Token("op", "_", one.start))
        parameters.append(one.text)
        if before not in ("*", "**") and not _has_default(rest, number):
            required.append(one.text)
        if one.text in names:
            read.uses.append(NameUse(one, "param", inner))
    # Annotations and defaults belong to the scope around the function.
    for use in _uses(others, scope, names):
        role: Role = "use" if use.role in ("keyword", "bind") else use.role
        read.uses.append(NameUse(use.token, role, scope, use.receiver))
    read.functions.append(
        PythonFunction(
            name=name,
            scope=scope,
            parameters=tuple(parameters),
            required=tuple(required),
            is_async=at == 1,
            body=inner,
        )
    )
    return inner


def _has_default(rest: list[Token], number: int) -> bool:
    for n_open, one in with_depth(rest[number + 1 :]):
        if n_open < 0 or (n_open == 0 and one.text == ","):
            return False
        if n_open == 0 and one.text == "=":
            return True
    return False


def _uses(
    statement: list[Token], scope: PythonScope, names: Collection[str]
) -> list[NameUse]:
    if not any(one.text in names for one in statement):
        return []
    found = [
        NameUse(
            one,
            _role(statement, number),
            scope,
            _receiver(statement, number),
        )
        for number, one in enumerate(statement)
        if one.kind == "name" and one.text in names
    ]
    if _shadows(statement, names):
        return [
            one
            if one.role in ("attribute", "keyword")
            else NameUse(one.token, "unsure", scope)
            for one in found
        ]
    read_names = {one.token.text for one in found if one.role == "use"}
    return [
        NameUse(one.token, one.role, scope, one.receiver, reads_itself=True)
        if one.token.text in read_names
        else one
        for one in found
    ]


def _receiver(statement: list[Token], number: int) -> str:
    if number < 2 or statement[number - 1].text != ".":
        return ""
    is_chain = number > 2 and statement[number - 3].text == "."
    return "" if is_chain else statement[number - 2].text


def _role(statement: list[Token], number: int) -> Role:
    before = statement[number - 1].text if number else ""
    after = statement[number + 1].text if number + 1 < len(statement) else ""
    if before == ".":
        return "attribute"
    match statement[0].text:
        case "global":
            return "global"
        case "nonlocal":
            return "nonlocal"
        case "import" | "from":
            is_alias = before != "from" and after != "as"
            return "bind" if is_alias else "unsure"
        case "case" | "type":
            return "unsure"
    if before == "as" or statement[0].text == "del" or after == ":=":
        return "bind"
    openers = _openers(statement, number)
    if openers:
        is_call = statement[openers[-1]].text == "("
        if after == "=" and is_call:
            return "keyword"
    elif number == 0 and after in AUGMENTED:
        return "aug"
    is_target = _is_target(statement, number, openers)
    return "bind" if is_target else "use"


def _before_in(statement: list[Token], number: int) -> bool:
    return any(one.text == "in" for one in statement[number:]) and not any(
        one.text == "in" for one in statement[:number]
    )


def _openers(statement: list[Token], number: int) -> list[int]:
    """Return the indices of the brackets that are open at a token."""
    openers: list[int] = []
    for index in range(number):
        one = statement[index]
        if one.kind != "op":
            continue
        if one.text in OPENING:
            openers.append(index)
        elif one.text in CLOSING and openers:
            openers.pop()
    return openers


def _is_target(statement: list[Token], number: int, openers: list[int]) -> bool:
    """Whether a name is assigned: before the last `=`, alone or in a tuple."""
    first = statement[0].text
    if first in ("for", "async") and not openers and _before_in(statement, number):
        return True
    last = -1
    for index, (n_open, one) in enumerate(with_depth(statement)):
        if n_open == 0 and one.text == "=":
            last = index
    is_annotated = len(statement) > 1 and statement[1].text == ":"
    if is_annotated and not keyword.iskeyword(first):
        return number == 0
    if number > last:
        return False
    after = statement[number + 1].text
    if after in (".", "(", "["):
        return False
    # A bracket behind a name or a bracket is a subscript or a call.
    return all(
        index == 0 or statement[index - 1].text in ("=", ",", "(", "[")
        for index in openers
    )


def _shadows(statement: list[Token], names: Collection[str]) -> bool:
    """Whether a lambda or a comprehension in a statement binds one of the names."""
    for number, (n_open, one) in enumerate(with_depth(statement)):
        if one.text == "lambda" and _any_until(statement, number, ":", names):
            return True
        if one.text == "for" and n_open and _any_until(statement, number, "in", names):
            return True
    return False


def _any_until(
    statement: list[Token], number: int, end: str, names: Collection[str]
) -> bool:
    for one in statement[number + 1 :]:
        if one.text == end:
            return False
        if one.kind == "name" and one.text in names:
            return True
    return False
