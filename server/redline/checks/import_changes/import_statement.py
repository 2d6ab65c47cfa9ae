"""The import statements of a file, and the names that they bind."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from redline.syntax.language import Language
from redline.text.python_standard import MODULES

SCRIPTS = frozenset({Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX})

_SCRIPT = re.compile(
    r"import\b\s*+(?:type\s++)?+(?:(?P<default>[\w$]++)\s*+,?+\s*+)?+"
    r"(?:\{(?P<members>[^}]*+)\}|\*\s*+as\s++(?P<all>[\w$]++))?+\s*+"
    r"(?:from\b\s*+)?+[\"'](?P<module>[^\"']++)[\"']"
)
_GO = re.compile(
    r"(?:import\s++)?+(?:(?P<name>[\w.]++)\s++)?+[\"`](?P<module>[^\"`]++)[\"`]"
)
_JAVA = re.compile(r"import\s++(?P<static>static\s++)?+(?P<module>[\w.]++\*?+)\s*+;")
_RUST = re.compile(r"use\s++(?P<path>[^;]++);")
_RUST_NAME = re.compile(r"\b[A-Za-z_]\w*+(?=\s*+(?:[,}]|$))")
_VERSION = re.compile(r"v\d+")


class ImportStatement(Struct, frozen=True, kw_only=True):
    """One statement, or one line of an import block of Go."""

    lines: Sequence[str]
    """Without line ends."""
    first: int
    """The line of the file where it begins; 0 if it is in no file."""
    module: str
    names: tuple[str, ...]
    """What it binds; empty: nothing, or not known."""
    members: tuple[str, ...] = ()
    """The names between its braces or after `import`, as written."""
    group: int = 0
    """The block that it belongs to: smaller ones come first."""
    key: tuple[bool, str] = (False, "")
    """Its order in its block."""

    @property
    def end(self) -> int:
        """The line after it."""
        return self.first + len(self.lines)

    @property
    def text(self) -> str:
        """Its words, without line breaks and indentation."""
        return " ".join(" ".join(self.lines).split())


def read_statement(
    lines: Sequence[str], language: Language, *, first: int = 0
) -> Iterator[ImportStatement]:
    """Read a statement; a block of Go has several. Yields nothing if it is not known.

    Args:
        lines: All of its lines, without ends.
        language: The file's language.
        first: The line of the file where it begins.
    """
    if language is Language.GO and len(lines) > 1:
        for at, line in enumerate(lines[1:-1], first + 1):
            yield from _go([line], at)
        return
    read = _READERS.get(Language.TYPESCRIPT if language in SCRIPTS else language)
    if read is not None:
        yield from read(lines, first)


def _python(lines: Sequence[str], first: int) -> Iterator[ImportStatement]:
    try:
        body = ast.parse("\n".join(lines)).body
    except SyntaxError:
        return
    match body:
        case [ast.Import(names=aliases)]:
            module = aliases[0].name
            names = tuple(one.asname or one.name.partition(".")[0] for one in aliases)
            is_from, members = False, tuple[str, ...]()
        case [ast.ImportFrom(module=name, level=level, names=aliases)]:
            module = "." * level + (name or "")
            names = tuple(alias.asname or alias.name for alias in aliases)
            members = tuple(map(ast.unparse, aliases))
            is_from = True
        case _:
            return
    yield ImportStatement(
        lines=lines,
        first=first,
        module=module,
        names=() if "*" in names or module == "__future__" else names,
        members=members,
        group=_python_group(module),
        key=(is_from, module.lower()),
    )


def _python_group(module: str) -> int:
    if module == "__future__":
        return 0
    if module.startswith("."):
        return 3
    return 1 if module.partition(".")[0] in MODULES else 2


def _script(lines: Sequence[str], first: int) -> Iterator[ImportStatement]:
    found = _SCRIPT.match(" ".join(lines))
    if found is None:
        return
    members = tuple(filter(None, map(str.strip, (found["members"] or "").split(","))))
    names = [member.split()[-1] for member in members]
    names += filter(None, [found["default"], found["all"]])
    yield ImportStatement(
        lines=lines,
        first=first,
        module=found["module"],
        names=tuple(names),
        members=members,
    )


def _go(lines: Sequence[str], first: int) -> Iterator[ImportStatement]:
    found = _GO.match(lines[0].strip())
    if found is None:
        return
    module = found["module"]
    *outer, last = module.split("/")
    if _VERSION.fullmatch(last) and outer:
        last = outer[-1]
    name = found["name"] or last
    yield ImportStatement(
        lines=lines,
        first=first,
        module=module,
        names=(name,) if name.isidentifier() and name != "_" else (),
        group=int("." in module.partition("/")[0]),
        key=(False, module),
    )


def _rust(lines: Sequence[str], first: int) -> Iterator[ImportStatement]:
    found = _RUST.match(" ".join(lines))
    if found is None:
        return
    path = found["path"]
    root = path.partition("::")[0].strip()
    inner = root in ("crate", "self", "super")
    yield ImportStatement(
        lines=lines,
        first=first,
        module=path,
        names=() if "*" in path else tuple(_RUST_NAME.findall(path)),
        group=2 if inner else int(root not in ("std", "core", "alloc")),
        key=(False, path),
    )


def _java(lines: Sequence[str], first: int) -> Iterator[ImportStatement]:
    found = _JAVA.match(" ".join(lines))
    if found is None:
        return
    module = found["module"]
    name = module.rpartition(".")[2]
    is_ours = not module.startswith(("java.", "javax."))
    yield ImportStatement(
        lines=lines,
        first=first,
        module=module,
        names=() if name == "*" else (name,),
        group=2 if found["static"] else int(is_ours),
        key=(False, module),
    )


_Reader = Callable[[Sequence[str], int], Iterator[ImportStatement]]

_READERS: dict[Language, _Reader] = {
    Language.PYTHON: _python,
    Language.TYPESCRIPT: _script,
    Language.GO: _go,
    Language.RUST: _rust,
    Language.JAVA: _java,
}
