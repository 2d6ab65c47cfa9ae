"""In which files of a workspace a file's names are declared, by the rules of its
language: relative imports, packages, namespaces and headers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from redline.checks.names.imported import imported_modules
from redline.checks.project_files import ProjectFiles
from redline.syntax.language import Language
from redline.syntax.tree import Tree
from redline.syntax.type_names import SCRIPTS
from redline.syntax.word_set import word_set

_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".js", ".jsx", ".mjs")
_IMPORT = re.compile(
    r"import\b(?P<what>[^\"'`;()]*+)[\"'](?P<module>[^\"'\n]++)", re.DOTALL
)
"""An import of scripts, from its beginning."""
_REEXPORT = re.compile(
    r"^export[ \t]++(?:type[ \t]++)?(?P<what>\*(?:[ \t]++as[ \t]++\w++)?+|\{[^{}]*+\})"
    r"\s*+from\s*+[\"'](?P<module>[^\"'\n]++)",
    re.MULTILINE,
)
_OWN_ROOTS = frozenset({"crate", "self", "super"})
_INCLUDE = re.compile(r"^[ \t]*+#[ \t]*+include[ \t]*+\"([\w./-]++)\"", re.MULTILINE)
_PACKAGE = re.compile(r"^[ \t]*+(?:package|namespace)\s++([\w.\\]++)", re.MULTILINE)
_RUST_STD = word_set(
    "String Vec Option Result Box Some None Ok Err HashMap HashSet Iterator Self"
)
_GO_DECLARED = re.compile(
    r"^(?:type |func \((?:\w+ )?\*?|func |var |const |\t)(?P<name>\w+)", re.MULTILINE
)
"""Lines that may declare a name, or a method of a type."""
_MAX_HEADERS = 12

Place = tuple[Path, str]
"""A file, and the name that it has for what is looked up."""


class TypePlaces:
    """Finds the declarations of the names that one file uses."""

    def __init__(
        self, tree: Tree, text: str, project: ProjectFiles | None, path: Path | None
    ) -> None:
        self._tree = tree
        self._text = text
        self._project = project
        self._path = path
        self._language = tree.language
        self._indexes: dict[Path, Mapping[str, list[Path]]] = {}

    @property
    def is_shared(self) -> bool:
        """Whether other files may declare parts of the types of a file."""
        return self._language in (Language.GO, Language.RUST)

    @property
    def is_open(self) -> bool:
        """Whether a module may have names that are not written in it."""
        if self._language is Language.GO:
            return "//go:generate" in self._text or 'import "C"' in self._text
        return (
            re.search(
                r"\bexport\s+\*|\bexport\s+=|\bmodule\.exports\b|\bexports\.",
                self._text,
            )
            is not None
        )

    @cached_property
    def exported_names(self) -> frozenset[str]:
        """Names that lists of exports have."""
        if self._language not in SCRIPTS:
            return frozenset()
        lists = re.findall(r"\bexport\s+(?:type\s+)?\{([^{}]*)\}", self._text)
        words = re.findall(r"[\w$]+", ",".join(lists))
        others = re.findall(
            r"\bexport\s+(?:const|let|var|namespace|declare \w+|default)\s*([^=;\n]*)",
            self._text,
        )
        return frozenset([*words, "default", *re.findall(r"[\w$]+", " ".join(others))])

    def of_type(self, name: str) -> Iterator[Place]:
        """Yield the files that declare a type, or parts of it."""
        if self._project is None or self._path is None:
            return
        match self._language:
            case Language.JAVASCRIPT | Language.TYPESCRIPT | Language.TSX:
                yield from self._imported(name)
            case Language.JAVA:
                yield from self._of_java(name)
            case Language.GO:
                yield from self._of_go(name)
            case Language.RUST:
                yield from self._of_rust(name)
            case Language.CSHARP:
                yield from self._of_csharp(name)
            case Language.PHP:
                yield from self._of_php(name)
            case Language.CPP:
                yield from ((one, name) for one in self._headers)

    def of_value(self, name: str) -> Iterator[Place]:
        """Yield the files that declare a function or a variable."""
        if self._project is None or self._path is None:
            return
        match self._language:
            case Language.JAVASCRIPT | Language.TYPESCRIPT | Language.TSX:
                yield from self._imported(name)
            case Language.GO:
                yield from self._of_go(name)
            case Language.RUST if path := self._rust_path(name):
                pattern = rf"^pub(?:\([^()]*\))? (?:async )?fn {name}\b"
                found = self._project.declaring(
                    name, pattern, (".rs",), hints=" ".join(path)
                )
                yield from ((one, name) for one in found)
            case Language.CPP:
                yield from ((one, name) for one in self._headers)

    def namespace(self, name: str) -> list[Path] | None:
        """Return the files of a module that a name stands for; None: it is none."""
        if self._project is None or self._path is None:
            return None
        if self._language is Language.GO:
            folder = self._go_folder(name)
            return None if folder is None else self._go_files(folder)
        if self._language in SCRIPTS and name in self._scripts:
            module, inner = self._scripts[name]
            place = self._resolved(module) if inner == "*" else None
            return None if place is None else [place]
        return None

    def passed_on(self, name: str) -> Iterator[Place]:
        """Yield the files from which a module exports a name."""
        if self._language not in SCRIPTS:
            return
        for found in _REEXPORT.finditer(self._text):
            what, place = found["what"], self._resolved(found["module"])
            if place is None:
                continue
            if what == "*":
                yield place, name
            for inner, outer in _listed(what):
                if outer == name:
                    yield place, inner
        if name == "default":
            own = re.search(r"\bexport\s+default\s+(?:class\s+)?(\w+)", self._text)
            if own and self._path:
                yield self._path, own[1]
        elif name in self._scripts:
            yield from self._imported(name)

    # Scripts

    @cached_property
    def _scripts(self) -> dict[str, tuple[str, str]]:
        """By local name the module, and the name that it has there."""
        names: dict[str, tuple[str, str]] = {}
        for statement in self._tree.imports:
            found = _IMPORT.match(statement.text)
            what, is_from, _ = (
                found["what"].rpartition("from") if found else ("", "", "")
            )
            if found is None or not is_from:
                continue
            what, module = what.strip().removeprefix("type "), found["module"]
            for inner, outer in _listed(what):
                names[outer] = (module, inner)
            if star := re.search(r"\*\s+as\s+(\w+)", what):
                names[star[1]] = (module, "*")
            if default := re.match(r"(?!type\b)[\w$]+", what):
                names[default[0]] = (module, "default")
        return names

    def _imported(self, name: str) -> Iterator[Place]:
        if name not in self._scripts:
            return
        module, inner = self._scripts[name]
        place = self._resolved(module)
        if place is not None:
            yield place, inner

    def _resolved(self, module: str) -> Path | None:
        if not module.startswith(".") or self._path is None or self._project is None:
            return None
        stem = Path(os.path.normpath(self._path.parent / module))
        written = stem.with_suffix("") if stem.suffix in (".js", ".mjs") else stem
        for place in (written, written / "index"):
            files = self._project.names(place.parent)
            for end in _ENDINGS:
                if place.name + end in files:
                    return place.parent / (place.name + end)
        return None

    # Java

    def _of_java(self, name: str) -> Iterator[Place]:
        assert self._project is not None
        assert self._path is not None
        folder = self._path.parent
        if not re.fullmatch(r"[A-Z]\w*", name):
            return
        for _, one in imported_modules(self._tree, self._text):
            if one.whole == name:
                package = _PACKAGE.search(self._text)
                depth = package[1].count(".") + 1 if package else 0
                if depth > len(folder.parents):
                    return
                root = folder.parents[depth - 1] if depth else folder
                yield from self._java_file(root, one.module, name)
                return
        if f"{name}.java" in self._project.names(folder):
            yield folder / f"{name}.java", name

    def _java_file(self, root: Path, module: str, name: str) -> Iterator[Place]:
        assert self._project is not None
        roots = [root]
        if root.parts[-3:] == ("src", "test", "java"):
            roots.append(Path(*root.parts[:-2], "main", "java"))
        for one in roots:
            place = one.joinpath(*module.split(".")).with_suffix(".java")
            outer = place.parent.with_suffix(".java")  # A class in a class.
            for each in (place, outer):
                if each.name in self._project.names(each.parent):
                    yield each, name
                    return

    # Go

    def _of_go(self, name: str) -> Iterator[Place]:
        assert self._project is not None
        assert self._path is not None
        package, _, inner = name.rpartition(".")
        folder = self._go_folder(package) if package else self._path.parent
        if folder is None or not re.fullmatch(r"\w+", inner):
            return
        for place in self._go_index(folder).get(inner, ()):
            if place != self._path:
                yield place, inner

    def _go_index(self, folder: Path) -> Mapping[str, list[Path]]:
        """Return the files of a package by the names that they declare."""
        assert self._project is not None
        if folder not in self._indexes:
            index: dict[str, list[Path]] = {}
            for place in self._go_files(folder):
                text = self._project.text(place) or ""
                for name in set(_GO_DECLARED.findall(text)):
                    index.setdefault(name, []).append(place)
            self._indexes[folder] = index
        return self._indexes[folder]

    def _go_files(self, folder: Path) -> list[Path]:
        assert self._project is not None
        assert self._path is not None
        is_test = self._path.name.endswith("_test.go") and folder == self._path.parent
        return [
            folder / name
            for name in sorted(self._project.names(folder))
            if name.endswith(".go") and (is_test or not name.endswith("_test.go"))
        ]

    def _go_folder(self, package: str) -> Path | None:
        """Return the folder of a package of the workspace that the file imports."""
        return self._go_packages.get(package)

    @cached_property
    def _go_packages(self) -> Mapping[str, Path]:
        assert self._project is not None
        modules = [
            (folder, name[1])
            for folder, text in self._project.placed_manifests(r"go\.mod")
            if (name := re.search(r"^module\s+\"?([^\s\"]+)", text, re.MULTILINE))
        ]
        return {
            one.whole: folder / one.module.removeprefix(name + "/")
            for _, one in imported_modules(self._tree, self._text)
            for folder, name in modules
            if one.module.startswith(name + "/")
        }

    # Rust

    @cached_property
    def _own_roots(self) -> frozenset[str]:
        """The first words of paths that lead into the workspace."""
        assert self._project is not None
        roots = set(_OWN_ROOTS)
        for one in self._project.manifests(r"Cargo\.toml"):
            roots.update(
                found.replace("-", "_")
                for found in re.findall(r"^name\s*=\s*\"([\w-]+)\"", one, re.MULTILINE)
            )
        roots.update(re.findall(r"\bmod\s+(\w+)\s*[;{]", self._text))
        return frozenset(roots)

    def _rust_path(self, name: str) -> list[str] | None:
        """Return the modules that a file takes a name from; None: another crate."""
        for statement in self._tree.imports:
            use = statement.text.partition("use ")[2].rstrip(";")
            words = re.findall(r"\w+|\*", use)
            if name not in words and "*" not in words:
                continue
            if not words or words[0] not in self._own_roots:
                return None
            if name in words:
                at = words.index(name)
                if words[at + 1 : at + 2] == ["as"]:
                    return None
                before = re.search(rf"^(.*?)\b{name}\b", use, re.DOTALL)
                return _modules(before[1]) if before else None
        return []

    def _of_rust(self, name: str) -> Iterator[Place]:
        assert self._project is not None
        if not re.fullmatch(r"[A-Z]\w*", name) or name in _RUST_STD:
            return
        path = self._rust_path(name)
        if path is None:
            return
        kinds = rf"\b(?:struct|enum|trait|union)\s+{name}\b"
        found = self._project.declaring(name, kinds, (".rs",), hints=" ".join(path))
        modules = [one for one in path if one not in self._own_roots]
        found = [one for one in found if one != self._path]
        found = [one for one in found if set(modules) <= {*one.parts, one.stem}]
        if len(found) + bool(re.search(kinds, self._text)) == 1:
            yield from ((one, name) for one in found)

    # C#

    def _of_csharp(self, name: str) -> Iterator[Place]:
        assert self._project is not None
        if not re.fullmatch(r"[A-Z]\w*", name):
            return
        own = _PACKAGE.search(self._text)
        scopes = set(
            re.findall(r"^\s*(?:global\s+)?using\s+([\w.]+)\s*;", self._text, re.M)
        )
        parts = own[1].split(".") if own else []
        scopes.update(".".join(parts[:n]) for n in range(len(parts) + 1))
        kinds = (
            r"\b(?:class|struct|interface|enum|record(?:\s+(?:class|struct))?)"
            rf"\s+{name}\b"
        )
        found = []
        for one in self._project.declaring(name, kinds, (".cs",)):
            namespace = _PACKAGE.search(self._project.text(one) or "")
            if one != self._path and (namespace[1] if namespace else "") in scopes:
                found.append(one)
        if len(found) == 1:
            yield found[0], name

    # PHP

    def _of_php(self, name: str) -> Iterator[Place]:
        assert self._project is not None
        own = _PACKAGE.search(self._text)
        whole = f"{own[1]}\\{name}" if own else name
        for found in re.finditer(
            r"^use\s+([\w\\]+)(?:\s+as\s+(\w+))?\s*;", self._text, re.M
        ):
            if (found[2] or found[1].rpartition("\\")[2]) == name:
                whole = found[1]
        for found in re.finditer(
            r"^use\s+([\w\\]+)\\\{([^{}]*)\}\s*;", self._text, re.M
        ):
            if name in re.split(r"[,\s]+", found[2]):
                whole = f"{found[1]}\\{name}"
        package, _, last = whole.lstrip("\\").rpartition("\\")
        if not re.fullmatch(r"\w+", last):
            return
        kinds = rf"(?i:\b(?:class|interface|trait|enum)\s+){last}\b"
        for one in self._project.declaring(last, kinds, (".php",)):
            namespace = _PACKAGE.search(self._project.text(one) or "")
            if one != self._path and (namespace[1] if namespace else "") == package:
                yield one, last

    # C++

    @cached_property
    def _headers(self) -> list[Path]:
        """The headers of the workspace that the file includes, also indirectly."""
        assert self._project is not None
        assert self._path is not None
        found: list[Path] = []
        waiting = [(self._path.parent, self._text)]
        while waiting and len(found) < _MAX_HEADERS:
            folder, text = waiting.pop()
            for name in _INCLUDE.findall(text):
                place = self._header(folder, name)
                if place is not None and place not in found and place != self._path:
                    found.append(place)
                    waiting.append((place.parent, self._project.text(place) or ""))
        return found

    def _header(self, folder: Path, name: str) -> Path | None:
        assert self._project is not None
        folders = [folder, *self._project.folders_above]
        for one in folders:
            for inner in (".", "include", "src"):
                place = Path(os.path.normpath(one / inner / name))
                if place.name in self._project.names(place.parent):
                    return place
        return None


def _modules(written: str) -> list[str]:
    """Return the modules of the beginning of a `use`, up to a name in braces."""
    depth, parts = 0, [""]
    for letter in reversed(written):
        depth += (letter == "}") - (letter == "{")
        if depth < 0:
            depth = 0
            parts.append("")
        elif letter == "," and not depth:
            parts[-1] += ","
        else:
            parts[-1] += letter
    kept = [one.partition(",")[0][::-1] for one in parts]
    return re.findall(r"\w+", "::".join(reversed(kept)))


def _listed(what: str) -> Iterator[tuple[str, str]]:
    """Yield the names in braces, as they are exported and as they are imported."""
    inside = re.search(r"\{([^{}]*)\}", what)
    for one in inside[1].split(",") if inside else ():
        words = one.split()
        if words[:1] == ["type"] and len(words) > 1:
            words = words[1:]
        if words:
            yield words[0], words[-1]
