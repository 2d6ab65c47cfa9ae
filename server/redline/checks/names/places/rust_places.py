"""Declarations of names in Rust: the modules of the crates of a workspace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from redline.checks.names.places.places import Place, WorkspacePlaces
from redline.syntax.word_set import word_set

_OWN_ROOTS = frozenset({"crate", "self", "super"})
_STD = word_set(
    "String Vec Option Result Box Some None Ok Err HashMap HashSet Iterator Self"
)


class RustPlaces(WorkspacePlaces):
    """Follows the paths of `use`."""

    is_shared = True

    def of_type(self, name: str) -> Iterator[Place]:
        if not re.fullmatch(r"[A-Z]\w*", name) or name in _STD:
            return
        path = self._modules_of(name)
        if path is None:
            return
        kinds = rf"\b(?:struct|enum|trait|union)\s+{name}\b"
        found = self._project.declaring(name, kinds, (".rs",), hints=" ".join(path))
        modules = [one for one in path if one not in self._own_roots]
        found = [one for one in found if one != self._path]
        found = [one for one in found if set(modules) <= {*one.parts, one.stem}]
        if len(found) + bool(re.search(kinds, self._text)) == 1:
            yield from ((one, name) for one in found)

    def of_value(self, name: str) -> Iterator[Place]:
        path = self._modules_of(name)
        if not path:
            return
        pattern = rf"^pub(?:\([^()]*\))? (?:async )?fn {name}\b"
        hints = " ".join(path)
        for one in self._project.declaring(name, pattern, (".rs",), hints=hints):
            yield one, name

    @cached_property
    def _own_roots(self) -> frozenset[str]:
        """The first words of paths that lead into the workspace."""
        roots = set(_OWN_ROOTS)
        for one in self._project.manifests(r"Cargo\.toml"):
            roots.update(
                found.replace("-", "_")
                for found in re.findall(r"^name\s*=\s*\"([\w-]+)\"", one, re.MULTILINE)
            )
        roots.update(re.findall(r"\bmod\s+(\w+)\s*[;{]", self._text))
        return frozenset(roots)

    def _modules_of(self, name: str) -> list[str] | None:
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
