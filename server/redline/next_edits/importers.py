"""K1 in other files: a definition was renamed that they import.

Python by modules, JavaScript and TypeScript by relative paths. A file counts only if
an import in it names both the renamed file and the old name.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from msgspec import Struct

from redline.next_edits.journal import UserChange
from redline.next_edits.next_edit import NextEdit
from redline.next_edits.python_names import read_names
from redline.next_edits.rename import (
    n_module_bindings,
    read_both,
    renaming,
    replaced_name,
    variable_uses,
)
from redline.next_edits.script_uses import uses_of_member, uses_of_name
from redline.next_edits.source import EditedSource, TooLongError
from redline.next_edits.tokens import Token, code

SCRIPTS = frozenset(["javascript", "javascriptreact", "typescript", "typescriptreact"])
_SCRIPT_SUFFIX = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?$")

_PYTHON_DEFINITION = r"(?:(?:async +)?def +|class +)?{}\s*[=:(\[]"
_SCRIPT_DEFINITION = (
    r"export\s++(?:declare\s++)?(?:abstract\s++)?(?:async\s++)?"
    r"(?:function(?:\s*+\*)?|class|const|let|var|interface|type|enum)\s*+\b{}\b"
)
_SCRIPT_IMPORT = re.compile(
    r"(?:\bimport\s+(?:type\s+)?(?:\w+\s*,\s*)?\{(?P<names>[^{}]*)\}\s*from\s*"
    r"|\b(?:const|let|var)\s*\{(?P<required>[^{}]*)\}\s*=\s*require\(\s*"
    r"|\bimport\s*\*\s*as\s+(?P<module>\w+)\s+from\s*"
    r"|\b(?:const|let|var)\s+(?P<assigned>\w+)\s*=\s*require\(\s*"
    r")(?P<quote>['\"])(?P<path>\.[^'\"\n]*)(?P=quote)"
)


class ExportedRename(Struct, frozen=True, kw_only=True):
    """A definition that other files may import, and its new name."""

    path: str
    """Its file, relative to the workspace folder."""
    language: str
    old: str
    new: str


def exported_rename(
    source: EditedSource, change: UserChange, path: str
) -> ExportedRename | None:
    """Return the definition that a change renamed, if other files can import it."""
    name = replaced_name(change)
    if name is None:
        return None
    old, new = name.old, name.new
    # Most renames are of other names: the text as a whole is not needed for them.
    n_before = bisect_right([*accumulate(map(len, change.new))], name.start)
    line = source.lines[change.first + n_before]
    if source.family == "python":
        is_defined = re.match(_PYTHON_DEFINITION.format(re.escape(new)), line)
        if not is_defined or n_module_bindings(source, old):
            return None
        if n_module_bindings(source, new) != 1:
            return None
    elif source.language in SCRIPTS:
        if not re.match(_SCRIPT_DEFINITION.format(re.escape(new)), line):
            return None
        if re.search(_SCRIPT_DEFINITION.format(re.escape(old)), source.text):
            return None
    else:
        return None
    return ExportedRename(path=path, language=source.language, old=old, new=new)


def importing_uses(
    source: EditedSource, path: str, rename: ExportedRename
) -> list[NextEdit]:
    """Return the uses of a renamed definition in a file that imports it, in order.

    Args:
        source: The file.
        path: Its path, relative to the same workspace folder.
        rename: The definition.
    """
    if path == rename.path:
        return []
    find = _python_uses if source.family == "python" else _script_uses
    try:
        starts = sorted(set(find(source, path, rename)))
    except TooLongError:
        return []
    return renaming(source, starts, rename.old, rename.new)


# Python.


def _python_uses(
    source: EditedSource, path: str, rename: ExportedRename
) -> Iterator[int]:
    old, new = rename.old, rename.new
    for statement in _import_statements(source):
        for one in _imported(statement, path, rename.path):
            if one.name == old and one.alias:
                yield one.token.start
            elif one.name == old:
                read, definition = read_both(
                    source.parts_with(old, new), old, new, one.token.start
                )
                uses = variable_uses(read, definition, old, new)
                if uses is not None:
                    yield from (one.token.start, *uses)
            elif not one.name:
                yield from _attributes(source, one.bound, old)


class _Imported(Struct, frozen=True):
    """A module or a name of it that a statement imports."""

    token: Token
    name: str
    """Of the renamed module; empty: the module itself."""
    alias: bool
    bound: tuple[str, ...]
    """The names by which the module is reached."""


def _import_statements(source: EditedSource) -> Iterator[list[Token]]:
    for _, tokens in read_names(source.parts_with("import"), ()).statements:
        if tokens[0].text in ("from", "import"):
            yield tokens


def _imported(
    statement: list[Token], path: str, module_path: str
) -> Iterator[_Imported]:
    texts = [one.text for one in statement]
    if "import" not in texts:
        return
    at = texts.index("import")
    source = "".join(texts[1:at])
    for item in _items(statement[at + 1 :]):
        dotted = "".join(one.text for one in item if one.text != "as")
        has_alias = len(item) > 2 and item[-2].text == "as"
        last = item[-1].text
        if at == 0:
            parts = item[:-2] if has_alias else item
            dotted = "".join(one.text for one in parts)
            if _names_module(dotted, path, module_path):
                bound = (last,) if has_alias else tuple(dotted.split("."))
                yield _Imported(item[0], "", has_alias, bound)
        elif _names_module(source, path, module_path):
            yield _Imported(item[0], item[0].text, has_alias, ())
        elif _names_module(_joined(source, item[0].text), path, module_path):
            yield _Imported(item[0], "", has_alias, (last,))


def _items(tokens: list[Token]) -> Iterator[list[Token]]:
    """Split a list of imported names."""
    item: list[Token] = []
    for one in tokens:
        if one.text in ("(", ")", ","):
            if item:
                yield item
            item = []
        else:
            item.append(one)
    if item:
        yield item


def _joined(package: str, name: str) -> str:
    return package + name if package.endswith(".") else f"{package}.{name}"


def _names_module(dotted: str, path: str, module_path: str) -> bool:
    """Whether a module's name, as written in a file, means another file."""
    module = module_path.removesuffix(".py").removesuffix("/__init__")
    name = dotted.lstrip(".")
    n_dots = len(dotted) - len(name)
    parts = name.replace(".", "/")
    if n_dots:
        folder = posixpath.dirname(path)
        for _ in range(n_dots - 1):
            folder = posixpath.dirname(folder)
        return module == posixpath.join(folder, parts).rstrip("/")
    if module == parts:
        return True
    if not parts or not module.endswith(f"/{parts}"):
        return False
    # Elsewhere the name may be that of another module. Beside a folder `src` stand the
    # tests of what is in it.
    root = module.removesuffix(parts)
    if root == "src/" or root.endswith("/src/"):
        root = root.removesuffix("src/")
    return path.startswith(root)


def _attributes(
    source: EditedSource, bound: tuple[str, ...], old: str
) -> Iterator[int]:
    """Yield where an attribute of an imported module is used."""
    first = bound[0]
    read = read_names(source.parts_with(first), {first})
    statements = [tokens for _, tokens in read.statements]
    imports = {
        one.start
        for tokens in statements
        if tokens[0].text in ("from", "import")
        for one in tokens
    }
    if any(
        one.role in ("bind", "param", "unsure") and one.token.start not in imports
        for one in read.uses
    ):
        return
    wanted = [each for name in (*bound, old) for each in (".", name)][1:]
    for part in source.parts_with(old):
        tokens = code(part)
        texts = [one.text for one in tokens]
        for end in range(len(wanted), len(tokens) + 1):
            start = end - len(wanted)
            is_attribute = start > 0 and texts[start - 1] == "."
            if texts[start:end] == wanted and not is_attribute:
                yield tokens[end - 1].start


# JavaScript and TypeScript.


def _script_uses(source: EditedSource, path: str, rename: ExportedRename) -> list[int]:
    tokens = code(source.tokens_between(0, len(source.text)))
    names = {one.start for one in tokens if one.kind == "name"}
    starts: list[int] = []
    for found in _SCRIPT_IMPORT.finditer(source.text):
        is_import = found.start() in names
        if not is_import or not _is_same_script(found["path"], path, rename.path):
            continue
        uses = _uses_of_import(source.text, tokens, found, rename)
        if uses is None:
            return []
        starts += uses
    return starts


def _uses_of_import(
    text: str, tokens: list[Token], found: re.Match[str], rename: ExportedRename
) -> list[int] | None:
    """Return the uses of what one import binds; None: not all can be renamed."""
    old, new = rename.old, rename.new
    for group in ("module", "assigned"):
        if found[group]:
            return uses_of_member(tokens, found.start(group), found[group], old)
    group, word = ("required", ":") if found["names"] is None else ("names", "as")
    start, end = found.span(group)
    starts: list[int] = []
    for item in _items([one for one in tokens if start <= one.start < end]):
        texts = [one.text for one in item]
        if texts[0] == "type" and texts[1:2] not in ([], ["as"]):
            item, texts = item[1:], texts[1:]
        if texts[0] != old:
            continue
        if len(texts) == 3 and texts[1] == word:
            starts.append(item[0].start)
        elif len(texts) == 1:
            uses = uses_of_name(text, tokens, item[0].start, old, new)
            if uses is None:
                return None
            starts += uses
        else:
            return None
    return starts


def _is_same_script(written: str, path: str, other: str) -> bool:
    """Whether a relative path, as written in a file, means another file."""
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), written))
    target = _SCRIPT_SUFFIX.sub("", other)
    return _SCRIPT_SUFFIX.sub("", joined) in (target, target.removesuffix("/index"))
