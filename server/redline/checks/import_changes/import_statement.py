"""The import statements of a file, and the names that they bind."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from redline.syntax.language import Language
from redline.text.python_standard import MODULES

_Reader = Callable[[Sequence[str], int], "Iterator[ImportStatement]"]

SCRIPTS = frozenset({Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX})

_TAIL = r"\s*+;?+\s*+(?://.*+|/\*[^*]*+\*/\s*+)?+"
"""What may stand behind a statement: an end, and a comment."""

_SCRIPT = re.compile(
    r"import\b\s*+(?:type\s++)?+(?:(?P<default>[\w$]++)\s*+,?+\s*+)?+"
    r"(?:\{(?P<members>[^}]*+)\}|\*\s*+as\s++(?P<all>[\w$]++))?+\s*+"
    r"(?:from\b\s*+)?+[\"'](?P<module>[^\"']++)[\"']"
    r"(?:\s*+(?:with|assert)\s*+\{[^}]*+\})?+" + _TAIL
)
_GO = re.compile(
    r"(?:import\s++)?+(?:(?P<name>[\w.]++)\s++)?+[\"`](?P<module>[^\"`]++)[\"`]" + _TAIL
)
_C = re.compile(r"#\s*+include\s*+(?P<path><[^<>]++>|\"[^\"]++\")" + _TAIL)
_PHP = re.compile(
    r"use\s++(?:function\s++|const\s++)?+(?P<path>[\w\\]++)\s*+(?=;)" + _TAIL
)
_CSHARP = re.compile(r"using\s++(?P<path>[\w.]++)\s*+(?=;)" + _TAIL)
_JAVA = re.compile(
    r"import\s++(?P<static>static\s++)?+(?P<module>[\w.]++\*?+)\s*+(?=;)" + _TAIL
)
_RUST = re.compile(r"(?:pub(?:\([^)]*+\))?+\s++)?+use\s++(?P<path>[^;]++)(?=;)" + _TAIL)
_RUST_TOKEN = re.compile(r"\w++|::|[{},*]")
_MEMBERS = re.compile(r"from\s++[\w.]++\s++import\b[\s(]*+|import\b[^{}\"']*+\{\s*+")
"""What stands in front of the names that a statement imports."""
_GO_BLOCK = re.compile(r"import\s*+\(\s*+(?://.*+)?+")
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
    paths: tuple[str, ...] = ()
    """What it loads although its names may be bound: submodules in Python, in Rust all
    of its items, since a trait is used without its name."""
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

    @property
    def is_plain(self) -> bool:
        """Whether it binds nothing but its members."""
        return bool(self.members) and len(self.names) == len(self.members)

    def with_members(self, members: Sequence[str]) -> str | None:
        """Return its line with other members; None if it is not one plain line."""
        line = self.lines[0]
        start = _MEMBERS.match(line)
        before = ", ".join(self.members)
        if len(self.lines) > 1 or not start or not line.startswith(before, start.end()):
            return None
        end = start.end() + len(before)
        return line[: start.end()] + ", ".join(members) + line[end:]


def bound_name(member: str) -> str:
    """Return the name that a member of a statement, such as `a as b`, binds."""
    return member.split()[-1]


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
        if not _GO_BLOCK.fullmatch(lines[0]) or lines[-1].strip() != ")":
            return
        for at, line in enumerate(lines[1:-1], first + 1):
            yield from _go([line], at)
        return
    read = _READERS.get(Language.TYPESCRIPT if language in SCRIPTS else language)
    if read is not None:
        yield from read(lines, first)


def _python(lines: Sequence[str], first: int) -> Iterator[ImportStatement]:
    try:
        body = ast.parse("\n".join(lines)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    match body:
        case [ast.Import(names=aliases)]:
            module = aliases[0].name
            names = tuple(one.asname or one.name.partition(".")[0] for one in aliases)
            is_from, members = False, tuple[str, ...]()
            paths = [one.name for one in aliases if "." in one.name and not one.asname]
        case [ast.ImportFrom(module=name, level=level, names=aliases)]:
            module = "." * level + (name or "")
            names = tuple(alias.asname or alias.name for alias in aliases)
            members = tuple(map(ast.unparse, aliases))
            is_from, paths = True, []
        case _:
            return
    yield ImportStatement(
        lines=lines,
        first=first,
        module=module,
        names=() if "*" in names or module == "__future__" else names,
        members=members,
        paths=tuple(paths),
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
    found = _SCRIPT.fullmatch(" ".join(lines))
    if found is None:
        return
    members = tuple(filter(None, map(str.strip, (found["members"] or "").split(","))))
    names = list(map(bound_name, members))
    names += filter(None, [found["default"], found["all"]])
    yield ImportStatement(
        lines=lines,
        first=first,
        module=found["module"],
        names=tuple(names),
        members=members,
    )


def _go(lines: Sequence[str], first: int) -> Iterator[ImportStatement]:
    found = _GO.fullmatch(lines[0].strip())
    # A comment above the import of C is code, so nothing may come between them.
    if found is None or found["module"] == "C":
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
    found = _RUST.fullmatch(" ".join(lines))
    if found is None:
        return
    path = found["path"]
    root = path.partition("::")[0].strip()
    paths = list(_rust_paths(path))
    names = [re.split(r"::| ", each)[-1] for each in paths]
    inner = root in ("crate", "self", "super")
    yield ImportStatement(
        lines=lines,
        first=first,
        module=path,
        names=() if "*" in path else tuple(names),
        paths=tuple(paths),
        group=2 if inner else int(root not in ("std", "core", "alloc")),
        key=(False, path),
    )


def _rust_paths(path: str) -> Iterator[str]:
    """Yield the full path of each item of a tree, with its ` as name`."""
    outer: list[str] = []
    at = ""
    for token in _RUST_TOKEN.findall(path):
        if token == "{":
            outer.append(at)
            at = ""
        elif token in ",}":
            if at:
                yield at
            at = ""
            if token == "}" and outer:
                outer.pop()
        elif token == "self" and outer and not at:
            at = outer[-1].removesuffix("::")
        elif token == "as" or at.endswith(" as"):
            at += f" {token}"
        else:
            at = (at or "".join(outer[-1:])) + token
    if at:
        yield at


def _java(lines: Sequence[str], first: int) -> Iterator[ImportStatement]:
    found = _JAVA.fullmatch(" ".join(lines))
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


def _by_path(
    pattern: re.Pattern[str],
    is_later: Callable[[str], bool],
    *,
    separator: str | None = None,
) -> _Reader:
    """Return a reader for statements that differ only in their path.

    Args:
        pattern: What a whole statement matches, with the group `path`.
        is_later: Whether a path belongs to a block below the others.
        separator: What stands in a path in front of the name that it binds; None if it
            binds none.
    """

    def read(lines: Sequence[str], first: int) -> Iterator[ImportStatement]:
        found = pattern.fullmatch(" ".join(lines).strip())
        if found is not None:
            path = found["path"]
            name = path.rpartition(separator)[2] if separator else ""
            yield ImportStatement(
                lines=lines,
                first=first,
                module=path,
                names=(name,) if name else (),
                paths=(path,),
                group=int(is_later(path)),
                key=(False, path),
            )

    return read


_READERS: dict[Language, _Reader] = {
    Language.PYTHON: _python,
    Language.TYPESCRIPT: _script,
    Language.GO: _go,
    Language.RUST: _rust,
    Language.JAVA: _java,
    Language.C: _by_path(_C, lambda path: path.startswith('"')),
    Language.CPP: _by_path(_C, lambda path: path.startswith('"')),
    Language.PHP: _by_path(_PHP, lambda _: False, separator="\\"),
    Language.CSHARP: _by_path(_CSHARP, lambda path: not path.startswith("System")),
}
