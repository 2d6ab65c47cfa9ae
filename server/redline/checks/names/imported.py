"""The modules that a file imports, in languages other than Python."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from redline.syntax.language import Language
from redline.syntax.tree import Tree

_QUOTED = r"[\"']([^\"'\n]+)[\"']"
_FROM = re.compile(rf"(?:\bfrom|\bimport)\s*{_QUOTED}")
_REQUIRED = re.compile(rf"\b(?:require|import)\(\s*{_QUOTED}\s*\)")
_GO = re.compile(r"(?:(?<![\w.])([\w.]++)\s++)?\"([^\"\n]+)\"")
_JAVA = re.compile(r"import\s+(static\s+)?([\w.]+)(\.\*)?\s*;")
_CSHARP = re.compile(
    r"^(?:global\s+)?using\s+(?:static\s+|\w+\s*=\s*)?(?:global::)?([\w.]+)\s*;"
)
_PHP = re.compile(r"^use\s+(?:function\s+|const\s+)?\\?([\w\\]+)")
_RUBY = re.compile(
    r"^[ \t]*+require[ \t]*+(?:\([ \t]*+)?[\"']([\w/-]++)[\"']\)?[ \t]*+\r?$"
)
_IN_FULL = {
    Language.JAVA: re.compile(
        r"(?<![\w.\"])((?:com|org|net|io|dev|edu|gov|java|javax|jakarta)\."
        r"(?:[a-z]\w*\.)+[A-Z]\w*[a-z]\w*)"
    ),
    Language.CSHARP: re.compile(r"(?:\bnew\s+|\bglobal::)((?:[A-Z]\w*\.){2,}[A-Z]\w*)"),
    Language.PHP: re.compile(r"(?<![\w\\])\\([A-Z]\w*(?:\\\w+)+)"),
}
"""Names with their packages, in code."""
_RUST_PATH = re.compile(r"(?<![\w:.])(::)?([a-z_]\w*)::(?!<)")


class ImportedModule(Struct, frozen=True, kw_only=True):
    module: str
    names: tuple[str, ...] = ()
    """The names that are taken from it."""
    whole: str = ""
    """The name under which the file has the whole module."""


def imported_modules(tree: Tree, text: str) -> Iterator[tuple[int, ImportedModule]]:
    """Yield the imports of a file with their lines."""
    match tree.language:
        case Language.JAVASCRIPT | Language.TYPESCRIPT | Language.TSX:
            yield from _of_scripts(tree, text)
        case Language.GO:
            yield from _of_go(tree)
        case Language.RUST:
            yield from _roots_of_rust(tree, text)
        case Language.JAVA:
            yield from _of_java(tree)
            yield from _in_full(tree, text)
        case Language.CSHARP:
            yield from _by_pattern(tree, _CSHARP)
            yield from _in_full(tree, text)
        case Language.PHP:
            yield from _by_pattern(tree, _PHP)
            yield from _in_full(tree, text)
        case Language.RUBY:
            yield from _in_lines(tree, text, _RUBY)


def _of_go(tree: Tree) -> Iterator[tuple[int, ImportedModule]]:
    for one in tree.imports:
        for found in _GO.finditer(one.text.removeprefix("import")):
            line = one.first_line + one.text.count("\n", 0, found.start())
            # The last part may be a version, as in `example.org/a/v2`.
            *_, last = re.sub(r"/v\d+$", "", found[2]).split("/")
            yield line, ImportedModule(module=found[2], whole=found[1] or last)


def _of_java(tree: Tree) -> Iterator[tuple[int, ImportedModule]]:
    for one in tree.imports:
        if (found := _java_import(one.text)) is not None:
            yield one.first_line, found


def _java_import(text: str) -> ImportedModule | None:
    found = _JAVA.match(text)
    if found is None:
        return None
    is_static, name, is_star = found[1], found[2], found[3]
    if is_static and not is_star:
        name = name.rpartition(".")[0]
    whole = "*" if is_star and not is_static else name.rpartition(".")[2]
    return ImportedModule(module=name, whole="" if is_static else whole)


def _by_pattern(
    tree: Tree, pattern: re.Pattern[str]
) -> Iterator[tuple[int, ImportedModule]]:
    for one in tree.imports:
        if found := pattern.match(one.text):
            yield one.first_line, ImportedModule(module=found[1])


def _in_full(tree: Tree, text: str) -> Iterator[tuple[int, ImportedModule]]:
    """Yield what is named with its package instead of being imported."""
    lines: set[int] = set()
    for one in tree.imports:
        lines.update(range(one.first_line, one.last_line + 1))
    for line, found in _in_lines(tree, text, _IN_FULL[tree.language]):
        if line not in lines:
            yield line, found


def _in_lines(
    tree: Tree, text: str, pattern: re.Pattern[str]
) -> Iterator[tuple[int, ImportedModule]]:
    for number, line in enumerate(text.split("\n")):
        for found in pattern.finditer(line):
            if not tree.in_comment_or_string(number, found.start()):
                yield number, ImportedModule(module=found[1])


def _of_scripts(tree: Tree, text: str) -> Iterator[tuple[int, ImportedModule]]:
    for one in tree.imports:
        if found := _FROM.search(one.text):
            yield one.first_line, _script_import(one.text, found[1])
    for number, line in enumerate(text.split("\n")):
        for found in _REQUIRED.finditer(line):
            if not tree.in_comment_or_string(number, found.start()):
                named = re.search(
                    r"\b(?:const|let|var)\s++(\w++|\{[^{}]*+\})\s*+=\s*+(?:await\s++)?$",
                    line[: found.start()],
                )
                bound = named[1] if named else ""
                names = _listed(bound, ":") if bound.startswith("{") else ()
                whole = "" if names else bound
                yield (
                    number,
                    ImportedModule(module=found[1], names=names, whole=whole),
                )


def _script_import(text: str, module: str) -> ImportedModule:
    listed = re.search(r"\{([^{}]*+)\}", text)
    names = _listed(listed[1], " as ") if listed else ()
    if re.match(r"import\s+type\b", text):
        names = tuple(f"type {name}" for name in names)
    whole = re.match(r"import\s+(?:\*\s*as\s+)?(\w+)\s*(?:,|from\b)", text)
    is_type = whole is not None and whole[1] == "type"
    return ImportedModule(
        module=module, names=names, whole="" if whole is None or is_type else whole[1]
    )


def _listed(names: str, alias: str) -> tuple[str, ...]:
    cut = (one.split(alias)[0].strip() for one in names.strip("{}").split(","))
    return tuple(one for one in cut if one and not one.startswith("..."))


def _roots_of_rust(tree: Tree, text: str) -> Iterator[tuple[int, ImportedModule]]:
    for number, line in enumerate(text.split("\n")):
        for found in _RUST_PATH.finditer(line):
            if not tree.in_comment_or_string(number, found.start(2)):
                yield number, ImportedModule(module=found[2])
        used = re.match(r"\s*(?:pub )?use ([a-z_]\w*)\b", line)
        if used and not tree.in_comment_or_string(number, used.start(1)):
            yield number, ImportedModule(module=used[1])
